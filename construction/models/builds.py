"""Builds: a recipe followed through papers, what became of everything found in them, and the release made of it."""

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models import Instance, Release
from construction.models.sources import Source
from work.models import Call, LeasedTask, PricedJob, RunState, TaskState, lease_constraints


class Build(PricedJob):
    """A recipe, the papers it is followed through, and the model that is asked. All of it is fixed from the start."""

    name = models.SlugField(max_length=100, unique=True)
    protocol = models.CharField(max_length=50)
    recipe = models.JSONField(encoder=DjangoJSONEncoder, help_text="Every number of the recipe.")
    recipe_sha256 = models.CharField(max_length=64)
    sources_sha256 = models.CharField(
        max_length=64, help_text="Of the sources' hashes in order, and their pairs."
    )
    prompts = models.JSONField(help_text="The prompts by label, with their hashes.")
    seed = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True)
    release = models.OneToOneField(Release, null=True, on_delete=models.PROTECT, related_name="build")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED], finished_at=None)
                | Q(state__in=[RunState.DONE, RunState.CANCELLED], finished_at__isnull=False),
                name="build_finished_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(release=None) | Q(state=RunState.DONE), name="build_released_when_done"
            ),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=False) | Q(max_cost__isnull=False), name="build_has_a_budget"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class BuildPaper(LeasedTask):
    """A paper of a build, which is read again whenever all that was asked about it is answered."""

    run = models.ForeignKey(Build, on_delete=models.PROTECT, related_name="papers")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="+")
    main = models.CharField(max_length=1000, help_text="Its main file when the build began.")
    pairs = models.JSONField(
        default=list,
        help_text="Proofs paired by hand when the build began, as construction.reading.pairs has them.",
    )
    ordinal = models.PositiveIntegerField(help_text="Its place among the papers, from 0.")
    code = models.CharField(max_length=40, blank=True, help_text="Why it could not be read.")
    sentence = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "source"], name="build_paper_once"),
            models.UniqueConstraint(fields=["run", "ordinal"], name="build_paper_has_its_place"),
            models.CheckConstraint(
                condition=Q(code="") | Q(state=TaskState.DONE), name="build_paper_is_over_when_refused"
            ),
            *lease_constraints("build_paper"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="build_paper_queue"),
            models.Index(fields=["run", "state", "id"], name="build_paper_of_run"),
        ]

    def __str__(self) -> str:
        return f"{self.source} in {self.run}"


class Candidate(models.Model):
    """Something found in a paper, and how far it came: it waits for a reply, was dropped, came to lines,
    or led to other things, as a paper does to its citations."""

    class State(models.TextChoices):
        ASKED = "asked", "Waits for a reply"
        DROPPED = "dropped", "Dropped"
        MADE = "made", "Made"
        PASSED = "passed", "Led to other things"

    paper = models.ForeignKey(BuildPaper, on_delete=models.PROTECT, related_name="candidates")
    key = models.CharField(max_length=200, help_text="Its name within the paper.")
    place = models.PositiveIntegerField(help_text="Its place within the paper, from 0.")
    stage = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State)
    code = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    places = models.JSONField(default=list, help_text="Ranges of files: path, start, end.")
    lines = models.JSONField(default=list, help_text="Lines of the release, each with its provenance.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["paper", "key"], name="candidate_once"),
            models.CheckConstraint(
                condition=Q(state="dropped") & ~Q(code="") | ~Q(state="dropped") & Q(code=""),
                name="candidate_dropped_iff_code",
            ),
            models.CheckConstraint(condition=Q(state="made") | Q(lines=[]), name="candidate_made_if_lines"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.paper}"


class Step(LeasedTask):
    """A question to a model about a candidate. Its fields are kept until they are answered: they can be made again."""

    run = models.ForeignKey(Build, on_delete=models.PROTECT, related_name="steps")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="steps")
    stage = models.CharField(max_length=40)
    prompt = models.CharField(max_length=100)
    prompt_sha256 = models.CharField(max_length=64)
    input_sha256 = models.CharField(
        max_length=64,
        db_index=True,
        help_text="Of prompt, model, decoding and fields: what the reply depends on.",
    )
    fields = models.JSONField(default=dict)
    text = models.TextField(blank=True, help_text="The reply.")
    reused = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The step whose reply this is.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["candidate", "stage"], name="step_once_per_stage"),
            models.CheckConstraint(
                condition=Q(state=TaskState.DONE) | Q(text="", reused=None), name="step_done_if_answered"
            ),
            *lease_constraints("step"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="step_queue"),
            models.Index(fields=["run", "state", "id"], name="step_of_run"),
        ]

    def __str__(self) -> str:
        return f"{self.stage} of {self.candidate_id}"


class StepCall(Call):
    """One request about a step and its raw reply, kept for ever; the request without the messages, which are long."""

    task = models.ForeignKey(Step, on_delete=models.PROTECT, related_name="calls")

    def __str__(self) -> str:
        return f"step call {self.pk}"


class Decision(models.TextChoices):
    DROP = "drop", "Drop it"
    REPAIR = "repair", "Repair it"


class Review(models.Model):
    """What a person decided about a candidate that came to lines. Undone by withdrawing it, until the release."""

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=10, choices=Decision)
    reason = models.CharField(max_length=1000)
    before = models.JSONField(
        default=dict, help_text="The strings that a repair replaces, by line and field."
    )
    after = models.JSONField(default=dict)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["candidate"], condition=Q(withdrawn_at=None), name="one_live_review"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="review_has_a_reason"),
            models.CheckConstraint(
                condition=Q(decision="drop", after={}) | Q(decision="repair") & ~Q(after={}),
                name="review_repairs_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} {self.candidate_id}"


class BuiltInstance(models.Model):
    """Where an instance of a release came from: its candidate, and the origin of each of its strings."""

    instance = models.OneToOneField(Instance, on_delete=models.PROTECT, related_name="built")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="instances")
    provenance = models.JSONField()

    def __str__(self) -> str:
        return f"origin of {self.instance_id}"
