"""Systems, their runs and outputs, and what rules and people say about single outputs."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models.releases import Instance, Release


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


class Abstention(models.Model):
    """Marks an output that came as an answer and that the study's staff count as abstained, with their reason.

    Made and withdrawn while the run is not frozen; the output's state and the hashes go with it.
    """

    output = models.OneToOneField(Output, on_delete=models.PROTECT, related_name="abstention")
    reason = models.CharField(max_length=500)
    marked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    marked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="abstention_has_a_reason")]

    def __str__(self) -> str:
        return f"output {self.output_id}: {self.reason}"


class UnreleasedOutput(models.Model):
    """Marks that a run's output for an instance exists but is not public, so nobody can judge it.

    It is not an output, so it is in no denominator; a run has it or outputs for an instance, never both.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="unreleased")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="unreleased")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "instance"], name="unreleased_once_per_instance"),
        ]

    def __str__(self) -> str:
        return f"unreleased output {self.pk}"


class ProtocolFlag(models.Model):
    """A breach of the protocol's rules that shows in the payloads: certain, or for a person to look at.

    It changes no score. Immutable, because what it follows from is.
    """

    output = models.ForeignKey("benchmark.Output", on_delete=models.CASCADE, related_name="protocol_flags")
    kind = models.CharField(max_length=50)
    certain = models.BooleanField()
    reason = models.TextField()
    found_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["output", "kind"], name="protocol_flag_once_per_kind"),
            models.CheckConstraint(
                condition=~(Q(kind="") | Q(reason="")), name="protocol_flag_says_what_and_why"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on output {self.output_id}"


class SettlementVerdict(models.TextChoices):
    SAME = "same", "Same work"
    DIFFERENT = "different", "Different works"


class Settlement(models.Model):
    """One person's answer about one pair of texts of a release. Kept for good; of those that were not withdrawn, the
    latest decides.

    `found` and `wanted` are the texts as the person read them, lists of [name, text].
    """

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="settlements")
    pair = models.CharField(max_length=64)
    found = models.JSONField()
    wanted = models.JSONField()
    verdict = models.CharField(max_length=20, choices=SettlementVerdict.choices)
    note = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=SettlementVerdict.values), name="settlement_verdict_is_known"
            ),
            models.CheckConstraint(condition=~Q(pair=""), name="settlement_names_its_pair"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_by=None)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
                name="settlement_withdrawn_by_somebody",
            ),
        ]
        indexes = [models.Index(fields=["release", "pair"], name="settlement_by_pair")]

    def __str__(self) -> str:
        return f"settlement {self.pk}: {self.verdict}"
