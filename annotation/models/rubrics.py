"""Rubrics that campaigns use, and the drafts of those that are being written."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


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


class RubricDraft(models.Model):
    """A form that is being written in the editor, however incomplete; it is deleted when a version is made of it.

    `saves` counts and decides conflicts between windows and people.
    """

    protocol = models.CharField(max_length=50)
    content = models.JSONField()
    saves = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(saves__gte=1), name="rubric_draft_was_saved")]

    def __str__(self) -> str:
        return f"draft {self.pk} of a form"
