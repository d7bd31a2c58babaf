"""Frozen score artifacts."""

from django.db import models
from django.utils import timezone

from benchmark.models import Release


class Artifact(models.Model):
    """Canonical JSON of everything a score depends on, with its hash; append-only."""

    kind = models.CharField(max_length=50)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="artifacts")
    content = models.TextField()
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.sha256
