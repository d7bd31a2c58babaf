"""Solvers, their runs, and the attempts of a run with their memory."""

from django.conf import settings as site
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models import FrozenTuple, Instance, Release, Run
from solving.models.materials import Material
from work.models import PricedJob, RunState


class Solver(models.Model):
    """A version of a system that is run here: a recipe, its settings, and the models that it asks. Never changed.

    It becomes the benchmark's system `slug-vN` when its first run is published.
    """

    slug = models.SlugField(max_length=80)
    version = models.PositiveSmallIntegerField()
    recipe = models.CharField(max_length=50)
    recipe_sha256 = models.CharField(max_length=64, help_text="Of the recipe's code and prompts.")
    settings = models.JSONField(help_text="Every setting of the recipe.")
    endpoint = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    decoding = models.JSONField(default=dict)
    family = models.CharField(
        max_length=100, blank=True, help_text="Of the model, to tell kin from strangers."
    )
    training_cutoff = models.DateField(null=True, help_text="As declared; nobody can verify it.")
    prompt_price = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    completion_price = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    cached_price = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, help_text="Of tokens from a cache, if they cost less."
    )
    roles = models.JSONField(
        default=dict,
        help_text="Roles of the recipe with a model of their own: endpoint, model, decoding, prices.",
    )
    sha256 = models.CharField(max_length=64, unique=True, help_text="Of all of the above but its name.")
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        site.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="solver_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="solver_versions_count_from_one"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """As the benchmark's system is called."""
        return f"{self.slug}-v{self.version}"


class SolveRun(PricedJob):
    """A solver's attempts at instances of a release, with what each may use and what all together may use."""

    class Rule(models.TextChoices):
        HARD = "hard", "Never exceeded"
        PUBLISHED = "published", "Begun while less is used"

    solver = models.ForeignKey(Solver, on_delete=models.PROTECT, related_name="runs")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="solve_runs")
    track = models.CharField(max_length=50, default="raw")
    condition = models.CharField(max_length=50, blank=True)
    split = models.CharField(
        max_length=50, blank=True, help_text="The part of the release; empty for all of it."
    )
    attempts_each = models.PositiveSmallIntegerField(default=1)
    attempt_tokens = models.PositiveBigIntegerField(null=True)
    attempt_cost = models.DecimalField(max_digits=16, decimal_places=6, null=True)
    attempt_seconds = models.PositiveIntegerField(null=True, help_text="Active ones.")
    rule = models.CharField(max_length=10, choices=Rule, default=Rule.HARD)
    artifact = models.ForeignKey(
        FrozenTuple, null=True, on_delete=models.PROTECT, related_name="+", help_text="What may be searched."
    )
    bank = models.ForeignKey(Material, null=True, on_delete=models.PROTECT, related_name="+")
    blocked = models.ForeignKey(Material, null=True, on_delete=models.PROTECT, related_name="+")
    seed = models.PositiveBigIntegerField(default=1)
    cached_price = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        site.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True)
    published = models.OneToOneField(Run, null=True, on_delete=models.PROTECT, related_name="solved_by")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED], finished_at=None)
                | Q(state__in=[RunState.DONE, RunState.CANCELLED], finished_at__isnull=False),
                name="solve_run_finished_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(published=None) | Q(state=RunState.DONE), name="solve_run_published_when_done"
            ),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=False) | Q(max_cost__isnull=False),
                name="solve_run_has_a_budget",
            ),
            models.CheckConstraint(
                condition=Q(attempt_tokens__isnull=False)
                | Q(attempt_cost__isnull=False)
                | Q(attempt_seconds__isnull=False),
                name="solve_run_bounds_attempts",
            ),
            models.CheckConstraint(
                condition=Q(rule__in=["hard", "published"]), name="solve_run_rule_is_known"
            ),
            models.CheckConstraint(
                condition=Q(attempts_each__gte=1, attempts_each__lte=1000), name="solve_run_attempts_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"solve run {self.pk}"


class AttemptState(models.TextChoices):
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    ENDED = "ended", "Ended"


class Attempt(models.Model):
    """One attempt of a run at an instance, and how it ended. What happened in it is in its steps and its memory."""

    class Because(models.TextChoices):
        FINISHED = "finished", "Finished"
        ROUNDS = "rounds", "All rounds done"
        TOKENS = "tokens", "Cap on tokens"
        COST = "cost", "Cap on cost"
        TIME = "time", "Cap on time"
        NO_REPLY = "no_reply", "No usable reply"
        TOOL_FAULT = "tool_fault", "Fault of a tool"
        CANCELLED = "cancelled", "Cancelled"

    class Outcome(models.TextChoices):
        ANSWERED = "answered", "Answered"
        ABSTAINED = "abstained", "Abstained"
        FAILED = "failed", "Failed"

    run = models.ForeignKey(SolveRun, on_delete=models.PROTECT, related_name="attempts")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField(help_text="Counts the attempts at an instance, from 1.")
    state = models.CharField(max_length=10, choices=AttemptState, default=AttemptState.RUNNING)
    note = models.TextField(blank=True, help_text="Why it was paused by itself.")
    ended_because = models.CharField(max_length=20, choices=Because, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    result = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    ranking = models.JSONField(default=list, help_text="How the result was chosen, the best first.")
    rounds = models.PositiveSmallIntegerField(
        default=0, help_text="The last round in which anything was done."
    )
    tokens_spent = models.PositiveBigIntegerField(default=0)
    cost_spent = models.DecimalField(max_digits=16, decimal_places=6, default=0)
    active_seconds = models.FloatField(default=0.0)
    began_at = models.DateTimeField(null=True, help_text="When its first step was over.")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "instance", "number"], name="attempt_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="attempt_numbers_from_one"),
            models.CheckConstraint(condition=Q(state__in=AttemptState.values), name="attempt_state_is_known"),
            models.CheckConstraint(
                condition=Q(state="ended", ended_at__isnull=False) & ~Q(ended_because="") & ~Q(outcome="")
                | ~Q(state="ended") & Q(ended_at=None, ended_because="", outcome=""),
                name="attempt_ended_for_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["run", "state", "id"], name="attempt_of_run")]

    def __str__(self) -> str:
        return f"attempt {self.pk}"


class MemoryEntry(models.Model):
    """An entry of an attempt's memory. Added, and never changed or removed: guards refuse it."""

    class Section(models.TextChoices):
        PROBLEM = "problem", "Problem"
        LITERATURE = "literature", "Literature"
        KNOWLEDGE = "knowledge", "Knowledge"
        PROOF = "proof", "Proof"
        FEEDBACK = "feedback", "Feedback"

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="memory")
    number = models.PositiveIntegerField(help_text="Counts the entries of the attempt, from 1.")
    section = models.CharField(max_length=20, choices=Section)
    round = models.PositiveSmallIntegerField()
    agent = models.CharField(max_length=20)
    role = models.CharField(max_length=20)
    step = models.CharField(max_length=100, blank=True, help_text="The key of the step that it is from.")
    text = models.TextField()
    sha256 = models.CharField(max_length=64, help_text="Of the text in UTF-8.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "number"], name="memory_entry_once"),
            models.UniqueConstraint(
                fields=["attempt", "step", "section"],
                condition=~Q(step=""),
                name="memory_entry_once_per_step",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="memory_entries_from_one"),
            models.CheckConstraint(
                condition=Q(
                    section__in=["problem", "literature", "knowledge"], role__in=["initializer", "module"]
                )
                | Q(section="proof", role__in=["initializer", "proposer"])
                | Q(section="feedback", role="verifier"),
                name="memory_is_written_by_its_roles",
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.number} of {self.attempt_id}"
