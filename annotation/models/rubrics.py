"""Rubrics that campaigns use."""

from django.db import models


class Rubric(models.Model):
    """A rubric version as it was when a campaign adopted it: immutable and content-hashed."""

    protocol = models.CharField(max_length=50)
    name = models.CharField(max_length=100)
    version = models.PositiveSmallIntegerField()
    content = models.JSONField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "name", "version"], name="rubric_version_once")
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"{self.name}-v{self.version}"
