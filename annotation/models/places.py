"""Places: items assigned to reviewers, and drafts of their answers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.campaigns import Item


class AssignmentState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    SUBMITTED = "submitted", "Submitted"
    RELEASED = "released", "Released"


class ReleaseReason(models.TextChoices):
    OUT_OF_FIELD = "out_of_field", "Out of the reviewer's field"
    LATE = "late", "Late"
    WITHDRAWN = "withdrawn", "Withdrawn by the coordinator"


class Assignment(models.Model):
    """One reviewer's place on one item, known to them by an opaque handle and a seeded position only.

    `pulled` tells a place that the reviewer asked for from one that the coordinator's plan gave them.
    `swapped` says for a pair whether its second output is shown first; `repeat` marks the mirrored one.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    handle = models.CharField(max_length=40, unique=True)
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=AssignmentState.choices, default=AssignmentState.WAITING)
    release_reason = models.CharField(max_length=20, choices=ReleaseReason.choices, blank=True)
    pulled = models.BooleanField(default=False)
    swapped = models.BooleanField(null=True, blank=True)
    repeat = models.BooleanField(default=False)
    assigned_at = models.DateTimeField(default=timezone.now)
    first_opened_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    shown_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "reviewer", "repeat"], name="assignment_never_twice_to_one_reviewer"
            ),
            models.CheckConstraint(
                condition=Q(repeat=False) | Q(swapped__isnull=False), name="assignment_repeats_only_pairs"
            ),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.SUBMITTED, submitted_at__isnull=False)
                | (~Q(state=AssignmentState.SUBMITTED) & Q(submitted_at__isnull=True)),
                name="assignment_submitted_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.RELEASED, release_reason__in=ReleaseReason.values)
                | (~Q(state=AssignmentState.RELEASED) & Q(release_reason="")),
                name="assignment_released_has_its_reason",
            ),
            models.CheckConstraint(
                condition=Q(state__in=AssignmentState.values), name="assignment_state_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["reviewer", "state", "position"], name="assignment_queue"),
            models.Index(
                fields=["reviewer", "position"], condition=Q(repeat=False), name="assignment_last_position"
            ),
        ]

    def __str__(self) -> str:
        return self.handle


class Draft(models.Model):
    """What a reviewer has typed so far; `version` counts saves and decides conflicts between tabs.

    A draft is locked when its grade is submitted and unlocked when the reviewer reopens the item.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    version = models.PositiveIntegerField(default=1)
    content = models.JSONField()
    active_seconds = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(default=timezone.now)
    locked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}, version {self.version}"
