"""Rendered texts."""

from django.db import models
from django.utils import timezone

from benchmark.models.runs import TextFormat


class RenderedDocument(models.Model):
    """A text by the hash of format and text, with its blocks and the report of its formulas once a worker of some
    `version` of the renderer was there. Rows may be deleted: a page has missing texts rendered again."""

    sha256 = models.CharField(max_length=64, unique=True)
    text = models.TextField(blank=True, db_default="")
    text_format = models.CharField(max_length=10, choices=TextFormat, db_default="plain")
    version = models.CharField(max_length=20, blank=True, db_default="")
    blocks = models.JSONField(default=list)
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    rendered_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="rendered_by_a_version",
                condition=models.Q(version="", rendered_at=None)
                | (~models.Q(version="") & models.Q(rendered_at__isnull=False)),
            )
        ]
        indexes = [models.Index(fields=["id"], name="waiting_to_be_rendered", condition=models.Q(version=""))]

    def __str__(self) -> str:
        return self.sha256
