"""Rows of calibration rounds: items whose blind answers are shown to everybody who gave one, and discussed."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


class CalibrationRound(models.Model):
    """Some items of a campaign. Revealed by a coordinator, then discussed until it is ended; never hidden again."""

    campaign = models.ForeignKey(
        "annotation.Campaign", on_delete=models.PROTECT, related_name="calibration_rounds"
    )
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    revealed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    revealed_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=Q(ended_at__isnull=True),
                name="calibration_one_round_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True, revealed_by__isnull=True, ended_at__isnull=True)
                | Q(revealed_at__isnull=False, revealed_by__isnull=False, ended_at__isnull=True)
                | Q(revealed_at__isnull=False, revealed_by__isnull=False, ended_at__gte=F("revealed_at")),
                name="calibration_is_revealed_before_it_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"calibration round {self.pk}"


class CalibrationItem(models.Model):
    """An item of a round; an item is discussed once at most."""

    round = models.ForeignKey(CalibrationRound, on_delete=models.PROTECT, related_name="items")
    item = models.OneToOneField("annotation.Item", on_delete=models.PROTECT, related_name="calibration")

    def __str__(self) -> str:
        return f"item {self.item_id} in calibration"


class CalibrationRemark(models.Model):
    """A contribution to the discussion of an item, Markdown with LaTeX; its author is shown as a letter."""

    subject = models.ForeignKey(CalibrationItem, on_delete=models.PROTECT, related_name="remarks")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="calibration_remark_says_something")
        ]

    def __str__(self) -> str:
        return f"remark {self.pk}"
