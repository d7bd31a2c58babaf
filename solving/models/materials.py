"""What runs are given besides problems: knowledge banks and block lists, in versions that never change."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Material(models.Model):
    """A knowledge bank (known results with their conditions) or a block list (what must not be read)."""

    class Kind(models.TextChoices):
        BANK = "bank", "Knowledge bank"
        BLOCKED = "blocked", "Block list"

    kind = models.CharField(max_length=10, choices=Kind)
    name = models.SlugField(max_length=100)
    sha256 = models.CharField(max_length=64, help_text="Of the content as canonical JSON.")
    content = models.JSONField()
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="material_named_once"),
            models.CheckConstraint(condition=Q(kind__in=["bank", "blocked"]), name="material_kind_is_known"),
        ]

    def __str__(self) -> str:
        return self.name
