"""Sources of papers: what their archives held as text, and what a manifest says of them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class SourceState(models.TextChoices):
    READABLE = "readable", "Readable"
    UNDECIDED = "undecided", "Somebody must choose its main file"
    UNREADABLE = "unreadable", "Cannot be read"


class Source(models.Model):
    """One version of a paper as its authors wrote it. Its files never change; which of them is the main one may."""

    key = models.CharField(
        max_length=200, help_text="The name of the paper, for example its number on arXiv."
    )
    version = models.CharField(max_length=20, blank=True)
    sha256 = models.CharField(max_length=64, unique=True, help_text="Of the archive's bytes.")
    name = models.CharField(max_length=300, help_text="What the archive was called.")
    form = models.CharField(max_length=20)
    title = models.CharField(max_length=1000, blank=True)
    authors = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True)
    category = models.CharField(max_length=100, blank=True)
    domain = models.CharField(max_length=100, blank=True)
    licence = models.CharField(max_length=100, blank=True, help_text="SPDX identifier; empty if unknown.")
    state = models.CharField(max_length=20, choices=SourceState)
    code = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    main = models.CharField(max_length=1000, blank=True)
    others = models.JSONField(default=list, help_text="Members that are not kept: path and size.")
    notes = models.JSONField(default=list, help_text="What was noted of members: code, path, sentence.")
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="source_once_per_version"),
            models.CheckConstraint(condition=Q(state__in=SourceState.values), name="source_state"),
            models.CheckConstraint(
                condition=Q(state=SourceState.READABLE, code="") & ~Q(main="")
                | ~Q(state=SourceState.READABLE) & ~Q(code="") & Q(main=""),
                name="source_has_a_main_file_or_a_code",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}{self.version}"


class SourceFile(models.Model):
    """A text of a source, decoded; offsets of everything found in it count its characters."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=1000)
    text = models.TextField()
    sha256 = models.CharField(max_length=64, help_text="Of the text in UTF-8.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "path"], name="source_file_once")]

    def __str__(self) -> str:
        return self.path
