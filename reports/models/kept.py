"""Scores that were computed before."""

from django.db import models
from django.utils import timezone

from benchmark.models import Release


class KeptScore(models.Model):
    """The score document of a track as it was computed last; `basis` is the hash of its inputs and of the code."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    choice = models.CharField(
        max_length=2000, help_text="Track, condition, judge and tuple, as a query string."
    )
    basis = models.CharField(max_length=64)
    content = models.TextField(help_text="JSON whose keys are in the order of the document.")
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "choice"], name="score_kept_once_by_choice"),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}: {self.choice}"
