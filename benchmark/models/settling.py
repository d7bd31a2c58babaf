"""Rows of people's answers to open cases."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class SettlementVerdict(models.TextChoices):
    SAME = "same", "Same work"
    DIFFERENT = "different", "Different works"


class Settlement(models.Model):
    """One person's answer about one pair of texts of a release. Kept for good; of those that were not withdrawn, the
    latest decides.

    `found` and `wanted` are the texts as the person read them, lists of [name, text].
    """

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="settlements")
    pair = models.CharField(max_length=64)
    found = models.JSONField()
    wanted = models.JSONField()
    verdict = models.CharField(max_length=20, choices=SettlementVerdict.choices)
    note = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=SettlementVerdict.values), name="settlement_verdict_is_known"
            ),
            models.CheckConstraint(condition=~Q(pair=""), name="settlement_names_its_pair"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_by=None)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
                name="settlement_withdrawn_by_somebody",
            ),
        ]
        indexes = [models.Index(fields=["release", "pair"], name="settlement_by_pair")]

    def __str__(self) -> str:
        return f"settlement {self.pk}: {self.verdict}"
