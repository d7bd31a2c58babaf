"""The row of a campaign that is being set up step by step."""

from django.db import models
from django.db.models import Q


class SetupStep(models.TextChoices):
    """The steps from a release to an open campaign, in order; the values appear in URLs."""

    TERMS = "terms", "What is graded"
    ITEMS = "items", "Items"
    PEOPLE = "people", "Reviewers"
    OPTIONS = "options", "Options"
    PLAN = "plan", "Assignment"
    OPENING = "opening", "Opening"


class CampaignSetup(models.Model):
    """What a draft has settled so far. `reached` is the furthest step that was saved.

    `draw` holds the choices of the draw until it takes place, as the campaign kind's form takes them;
    `minutes_per_item` is the coordinator's estimate, empty where they keep what was measured.
    """

    campaign = models.OneToOneField("annotation.Campaign", on_delete=models.PROTECT, related_name="setup")
    reached = models.CharField(max_length=20, choices=SetupStep.choices, default=SetupStep.TERMS)
    draw = models.JSONField(default=dict)
    minutes_per_item = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reached__in=SetupStep.values), name="setup_step_is_known"),
            models.CheckConstraint(
                condition=Q(minutes_per_item__isnull=True) | Q(minutes_per_item__range=(1, 600)),
                name="setup_minutes_1_to_600",
            ),
        ]

    def __str__(self) -> str:
        return f"setup of {self.campaign_id}"
