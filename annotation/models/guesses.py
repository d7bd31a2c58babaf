"""Rows of the question that is asked after submitting: which system wrote this?"""

from django.conf import settings
from django.db import models
from django.utils import timezone

from benchmark.models import System


class GuessQuestion(models.Model):
    """The campaign asks its reviewers, after each grade, which system they think wrote the answer."""

    campaign = models.OneToOneField(
        "annotation.Campaign", on_delete=models.PROTECT, related_name="guess_question"
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"guesses in {self.campaign_id}"


class SystemGuess(models.Model):
    """What the holder of a place guessed, once, in their own words; no words mean "no idea". No part of any grade.

    `system` was chosen from a list, which told who takes part; no guess has it any more.
    """

    assignment = models.OneToOneField(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="system_guess"
    )
    system = models.ForeignKey(
        System, on_delete=models.PROTECT, null=True, blank=True, related_name="guesses"
    )
    named = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(named="") | models.Q(system__isnull=True), name="guess_named_or_chosen"
            )
        ]

    def __str__(self) -> str:
        return f"guess at {self.assignment_id}"
