"""Public records: frozen scores that anybody may read."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reports.models.artifacts import Artifact


class PublicRecord(models.Model):
    """One version of a public record. Nothing of it changes, except that it can be withdrawn once, with a reason.

    `declared` is what its owner said and chose (reports/records/declared.py). The files that readers get follow from
    it, the artifact and the frozen texts; `archive_sha256` is the hash of the archive with all of them.
    """

    name = models.SlugField(max_length=100)
    version = models.PositiveIntegerField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="records")
    declared = models.JSONField()
    archive_sha256 = models.CharField(max_length=64)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    published_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="record_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="record_versions_from_one"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_reason="")
                | Q(withdrawn_at__isnull=False) & ~Q(withdrawn_reason=""),
                name="record_withdrawn_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"
