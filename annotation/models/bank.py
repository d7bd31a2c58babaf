"""Rows of comments that a study shares among its reviewers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class SharingState(models.TextChoices):
    PROPOSED = "proposed", "Proposed"
    SHARED = "shared", "Shared"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Withdrawn"


class SharedComment(models.Model):
    """A comment that every reviewer of a campaign may use, or, without a campaign, of every one of a protocol.

    It is a copy of what somebody proposed: its text never changes, and reviewers never learn who wrote it.
    """

    protocol = models.CharField(max_length=50)
    campaign = models.ForeignKey(
        "annotation.Campaign",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="shared_comments",
    )
    text = models.TextField()
    state = models.CharField(max_length=20, choices=SharingState.choices, default=SharingState.PROPOSED)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="shared_comment_says_something"),
            models.CheckConstraint(
                condition=Q(state__in=SharingState.values), name="shared_comment_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=SharingState.PROPOSED, decided_by__isnull=True, decided_at__isnull=True)
                | (~Q(state=SharingState.PROPOSED) & Q(decided_by__isnull=False, decided_at__isnull=False)),
                name="shared_comment_is_proposed_or_decided",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]
