"""What is measured: releases with their papers and instances, systems, runs and outputs.

A frozen release and a frozen run are held by guards in the database (migration 0002): nobody updates,
deletes or adds to what they contain.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from benchmark.flag_rows import ProtocolFlag  # noqa: F401 - a model of this app
from benchmark.import_rows import ImportUpload  # noqa: F401 - a model of this app
from benchmark.settling.rows import Settlement  # noqa: F401 - a model of this app
from benchmark.tuple_rows import FrozenTuple, TupledRun  # noqa: F401 - models of this app


class Benchmark(models.Model):
    """A benchmark; its protocol is a folder below benchmark/protocols."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    protocol = models.CharField(max_length=50)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(protocol=""), name="benchmark_names_its_protocol")]

    def __str__(self) -> str:
        return self.name


class Release(models.Model):
    """A versioned set of instances. `sha256` is over the canonical content, not over the file's bytes."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="releases")
    name = models.SlugField(max_length=100, unique=True)
    sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=500, blank=True)
    is_sample = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class ReleaseDescription(models.Model):
    """What a reader must know to use and cite a release. No part of its content, so a frozen one may have it
    mended; every change stands in the audit trail."""

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="description")
    licence = models.CharField(max_length=200)
    creators = models.CharField(max_length=1000)
    citation = models.TextField(blank=True)
    homepage = models.URLField(max_length=500, blank=True)
    version = models.CharField(max_length=50, default="1.0.0")
    published_on = models.DateField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(licence=""), name="described_release_has_a_licence"),
            models.CheckConstraint(condition=~Q(creators=""), name="described_release_has_creators"),
            models.CheckConstraint(condition=~Q(version=""), name="described_release_has_a_version"),
        ]

    def __str__(self) -> str:
        return f"description of release {self.release_id}"


class Paper(models.Model):
    """The paper an instance was drawn from: the cluster of every interval."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="papers")
    key = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    identifiers = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "key"], name="paper_once_per_release")]

    def __str__(self) -> str:
        return self.key


class Instance(models.Model):
    """One problem of a release; the payload is parsed by its protocol's schema on the way in and out."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="instances")
    key = models.CharField(max_length=200)
    paper = models.ForeignKey(
        Paper, on_delete=models.PROTECT, null=True, blank=True, related_name="instances"
    )
    domain = models.CharField(max_length=100)
    split = models.CharField(max_length=50, blank=True)
    payload = models.JSONField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "key"], name="instance_once_per_release"),
            models.CheckConstraint(condition=~Q(key=""), name="instance_has_a_key"),
        ]
        indexes = [models.Index(fields=["release", "domain"], name="instance_by_domain")]

    def __str__(self) -> str:
        return self.key


class System(models.Model):
    """Who wrote an output. The identity that blinding hides: reviewers' code paths never join this table."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    family = models.CharField(max_length=100, blank=True)

    def __str__(self) -> str:
        return self.name


class Run(models.Model):
    """One system's pass over a release in one track and condition."""

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="runs")
    track = models.CharField(max_length=50, default="raw")
    condition = models.CharField(max_length=50, blank=True)
    budget = models.JSONField(default=dict)
    config = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "release", "track", "condition"], name="run_once_per_track_and_condition"
            )
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"


class OutputState(models.TextChoices):
    ANSWERED = "answered", "Answered"
    ABSTAINED = "abstained", "Abstained"
    FAILED = "failed", "Failed"


class TextFormat(models.TextChoices):
    LATEX = "latex", "LaTeX"
    MARKDOWN = "markdown", "Markdown"
    PLAIN = "plain", "Plain text"


class Output(models.Model):
    """What one run produced for one instance. Abstentions and failures are scored by rule, never shown."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="outputs")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="outputs")
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=20, choices=OutputState.choices, default=OutputState.ANSWERED)
    text = models.TextField(blank=True)
    text_format = models.CharField(max_length=20, choices=TextFormat.choices, default=TextFormat.LATEX)
    payload = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "instance", "attempt"], name="output_once_per_attempt"),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="output_attempts_count_from_one"),
            models.CheckConstraint(condition=Q(state__in=OutputState.values), name="output_state_is_known"),
            models.CheckConstraint(
                condition=Q(text_format__in=TextFormat.values), name="output_text_format_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"output {self.pk}"


class UnreleasedOutput(models.Model):
    """The makers of a run say that its output for an instance exists and is not public: nobody can judge it.

    It is no output, so it stands in no denominator; a run has it or outputs for an instance, never both.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="unreleased")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="unreleased")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "instance"], name="unreleased_once_per_instance"),
        ]

    def __str__(self) -> str:
        return f"unreleased output {self.pk}"


class IdentityScan(models.Model):
    """What the identity scan found in an output's shown texts; made anew by a newer version of the scan.

    `findings` is a list of {"field", "kind", "start", "end", "evidence", "certain"}.
    """

    output = models.OneToOneField(Output, on_delete=models.CASCADE, related_name="identity_scan")
    version = models.PositiveSmallIntegerField()
    findings = models.JSONField(default=list)
    certain = models.PositiveIntegerField()
    scanned_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"scan of output {self.output_id}"


class IdentityWord(models.Model):
    """A word that tells who wrote a text of this release, added by its staff: a code name, say. Kept when removed."""

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
    """What a person decided about an output that may tell who wrote it. Kept for good; one is live."""

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


class RenderedDocument(models.Model):
    """A text by the hash of format and text, with its blocks and the report of its formulas once a worker of some
    `version` of the renderer was there. May be deleted: what a page misses is made again."""

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
