"""The rows of the chain of history."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class HistoryLink(models.Model):
    """One sealed row: its hash, and the hash of the chain up to here. Append-only, held by a guard."""

    position = models.PositiveBigIntegerField(unique=True)
    kind = models.CharField(max_length=20)
    version = models.PositiveSmallIntegerField(help_text="Which columns were hashed.")
    row = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    chain = models.CharField(max_length=64)
    sealed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "row"], name="history_row_sealed_once"),
            models.CheckConstraint(condition=Q(position__gte=1), name="history_position_from_one"),
        ]

    def __str__(self) -> str:
        return f"link {self.position}"
