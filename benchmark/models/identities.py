"""What the identity scan found in outputs, and what was decided about it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from benchmark.models.releases import Release
from benchmark.models.runs import Output


class IdentityScan(models.Model):
    """What the identity scan found in an output's shown texts; replaced by a newer version of the scan.

    `findings` is a list of {"field", "kind", "start", "end", "evidence", "certain"}. `words_sha256` tells which words
    of the release were looked for, "" if there were none.
    """

    output = models.OneToOneField(Output, on_delete=models.CASCADE, related_name="identity_scan")
    version = models.PositiveSmallIntegerField()
    findings = models.JSONField(default=list)
    certain = models.PositiveIntegerField()
    words_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    scanned_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"scan of output {self.output_id}"


class IdentityWord(models.Model):
    """A word that reveals who wrote a text of this release, added by its staff: a code name, say. Kept when removed."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="identity_words")
    word = models.CharField(max_length=100)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "release", Lower("word"), condition=Q(removed_at=None), name="identity_word_once_per_release"
            ),
            models.CheckConstraint(condition=~Q(word=""), name="identity_word_is_not_empty"),
        ]

    def __str__(self) -> str:
        return self.word


class IdentityVerdict(models.TextChoices):
    REDACTED = "redacted", "Redacted"
    HARMLESS = "harmless", "Harmless"
    EXCLUDED = "excluded", "Left out of expert work"


class IdentityDecision(models.Model):
    """What a person decided about an output that may reveal who wrote it. Kept for good; one is live."""

    output = models.ForeignKey(Output, on_delete=models.PROTECT, related_name="identity_decisions")
    verdict = models.CharField(max_length=20, choices=IdentityVerdict.choices)
    passages = models.JSONField(default=list, help_text="What was redacted: field, start and end of each.")
    reason = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=IdentityVerdict.values), name="identity_verdict_is_known"
            ),
            models.UniqueConstraint(
                fields=["output"], condition=Q(withdrawn_at__isnull=True), name="identity_decided_once"
            ),
            models.CheckConstraint(
                condition=Q(verdict=IdentityVerdict.REDACTED) | ~Q(reason=""),
                name="identity_decision_has_its_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"output {self.output_id}: {self.verdict}"


class RedactedOutput(models.Model):
    """The text and payload that graders and judges read instead of the output's own, which stay as they are."""

    output = models.OneToOneField(Output, on_delete=models.PROTECT, related_name="redacted")
    decision = models.OneToOneField(IdentityDecision, on_delete=models.PROTECT, related_name="redacted")
    text = models.TextField(blank=True)
    payload = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"redacted output {self.output_id}"
