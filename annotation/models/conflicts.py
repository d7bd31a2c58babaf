"""Rows of conflicts of interest: what a declaration means, what was fixed for a reviewer, which items that excludes."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import Conflict

DEFAULT_LEAST = 3


class TargetKind(models.TextChoices):
    SYSTEM = "system", "System"
    PAPER = "paper", "Paper"
    PROBLEM = "problem", "Problem"


class ConflictTarget(models.Model):
    """Something that a declared conflict excludes, as a coordinator decided. Never shown to the reviewer.

    `key` is a system's slug, a paper's key in any release, or a problem as "benchmark/key" in any of its releases.
    """

    conflict = models.ForeignKey(Conflict, on_delete=models.CASCADE, related_name="targets")
    kind = models.CharField(max_length=20, choices=TargetKind.choices)
    key = models.CharField(max_length=301)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conflict", "kind", "key"], name="conflict_target_once"),
            models.CheckConstraint(
                condition=Q(kind__in=TargetKind.values), name="conflict_target_kind_is_known"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="conflict_target_names_something"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class ConflictsFixed(models.Model):
    """The targets that count for a reviewer in a campaign, written before their first place in it.

    The latest row counts; all rows of one benchmark agree at any time. A coordinator who applies later conflicts
    adds rows, so that it stays known under which targets each place was given.
    """

    campaign = models.ForeignKey(
        "annotation.Campaign", on_delete=models.PROTECT, related_name="conflicts_fixed"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="conflicts_fixed"
    )
    targets = models.JSONField(default=list, help_text="Pairs of kind and key.")
    fixed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["reviewer", "campaign"], name="conflicts_fixed_by_reviewer")]

    def __str__(self) -> str:
        return f"conflicts of {self.reviewer_id} in campaign {self.campaign_id}"


class Exclusion(models.Model):
    """An item that a reviewer never gets. It does not say why, so that blind roles may read it."""

    item = models.ForeignKey("annotation.Item", on_delete=models.PROTECT, related_name="exclusions")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exclusions"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "reviewer"], name="exclusion_once")]

    def __str__(self) -> str:
        return f"item {self.item_id}, not for {self.reviewer_id}"


class LeastAuthors(models.Model):
    """The least number of possible authors of any item that a reviewer gets; without a row, DEFAULT_LEAST.

    `set_by` is empty for campaigns that had opened before there was such a number.
    """

    campaign = models.OneToOneField(
        "annotation.Campaign", on_delete=models.PROTECT, related_name="least_authors"
    )
    least = models.PositiveSmallIntegerField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(least__range=(1, 100)), name="least_authors_1_to_100")
        ]

    def __str__(self) -> str:
        return f"at least {self.least} authors in campaign {self.campaign_id}"
