"""LLM judges: versions, runs, their tasks in the queue of record, raw calls and verdicts."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from benchmark.models import Instance, Output, Release
from work.models import Job, LeasedTask, lease_constraints

PAIR = "Of a pair: the output that order 1 shows second. The value is the place, as shown, of the better one."


def once_per_subject(
    owner: str, table: str, rule: str
) -> list[models.UniqueConstraint | models.CheckConstraint]:
    """One row per owner, subject, predicate, order and vote.

    The subject is exactly one of: an output; a pair of outputs, stored once, smaller number first; an instance,
    which is shown in one order only.
    """
    question = ["predicate", "order", "vote"]
    return [
        models.CheckConstraint(
            condition=Q(output__isnull=False, instance=None)
            | Q(output=None, second=None, instance__isnull=False, order=1),
            name=f"{table}_has_one_subject",
        ),
        models.UniqueConstraint(
            fields=[owner, "instance", *question],
            condition=Q(instance__isnull=False),
            name=f"{table}_on_an_instance_{rule}",
        ),
        models.UniqueConstraint(
            fields=[owner, "output", *question], condition=Q(second=None), name=f"{table}_{rule}"
        ),
        models.UniqueConstraint(
            fields=[owner, "output", "second", *question],
            condition=Q(second__isnull=False),
            name=f"{table}_on_a_pair_{rule}",
        ),
        models.CheckConstraint(
            condition=Q(second=None) | Q(second__gt=F("output"), order__in=[1, 2]),
            name=f"{table}_pair_is_in_order",
        ),
    ]


class Judge(models.Model):
    """One judge version. Changing any setting or a prompt makes a new row."""

    slug = models.SlugField(max_length=100)
    version = models.PositiveSmallIntegerField(default=1)
    protocol = models.CharField(max_length=50)
    model = models.CharField(max_length=200)
    family = models.CharField(max_length=100, blank=True)
    endpoint = models.CharField(
        max_length=100, blank=True, help_text="Empty for a judge whose verdicts were imported."
    )
    program = models.CharField(
        max_length=100, blank=True, help_text="The protocol's program that answers, with its version."
    )
    decoding = models.JSONField(default=dict)
    published_as = models.CharField(
        max_length=200, blank=True, help_text="The version's name in the file it was imported from."
    )
    votes = models.PositiveSmallIntegerField(default=1)
    early_stop = models.BooleanField(
        default=False, help_text="Votes that can no longer change the majority are not asked for."
    )
    repair = models.BooleanField(
        default=False, help_text="A reply that cannot be read is asked for once more, as a call of its own."
    )
    prices = models.JSONField(
        default=dict,
        help_text="Price of a million tokens: prompt and completion, in the deployment's currency.",
    )
    budget = models.JSONField(default=dict, help_text="What one run may use at most: tokens, cost.")
    prompts = models.JSONField(
        default=dict,
        help_text="Predicate to its prompt's name and SHA-256, or to the program that answers it.",
    )
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="judge_version_once"),
            models.CheckConstraint(condition=Q(votes__range=(1, 99)), name="judge_votes_1_to_99"),
            models.CheckConstraint(
                condition=Q(program="") | Q(endpoint="", model="", votes=1),
                name="judge_program_has_no_model_and_one_vote",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return self.published_as or f"{self.slug}-v{self.version}"


class UploadedPrompt(models.Model):
    """A prompt in somebody's own words for one predicate: immutable, and a new version whenever anything changes.

    `fields` are the fields of data to send after the words, each with its heading. `reply` is the format for which the
    words ask (llm.replies.ReplyFormat), empty for ours. A judge version that uses it holds a copy.
    """

    protocol = models.CharField(max_length=50)
    predicate = models.CharField(max_length=50)
    name = models.SlugField(max_length=90)
    version = models.PositiveSmallIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64, help_text="Of the words in UTF-8.")
    fields = models.JSONField()
    reply = models.JSONField(default=dict)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "name", "version"], name="uploaded_prompt_once"),
            models.CheckConstraint(condition=~Q(text=""), name="uploaded_prompt_has_words"),
            models.CheckConstraint(condition=Q(version__gte=1), name="uploaded_prompt_version_from_1"),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"{self.name}.v{self.version}"

    @property
    def identity(self) -> dict[str, object]:
        """What a judge version holds of it."""
        return {
            "name": self.label,
            "sha256": self.sha256,
            "text": self.text,
            "fields": self.fields,
            "reply": self.reply,
        }


class RunSubject(models.TextChoices):
    OUTPUT = "output", "Outputs of a track, or pairs of them"
    INSTANCE = "instance", "Instances"


class JudgeRun(Job):
    """A request to judge outputs or instances of a release; its tasks are the queue of record."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="runs")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="judge_runs")
    subject = models.CharField(max_length=20, choices=RunSubject.choices, default=RunSubject.OUTPUT)
    track = models.CharField(
        max_length=50, default="raw", blank=True, help_text="Of the outputs; empty for a run on instances."
    )
    condition = models.CharField(
        max_length=50,
        default="",
        blank=True,
        help_text="Of the outputs' runs, “usual” for the usual one; empty for all conditions.",
    )
    predicates = models.JSONField()
    after = models.ForeignKey(
        Judge,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="runs_after_it",
        help_text="Only what this judge left undecided is asked.",
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state", "-priority", "id"], name="judge_run_by_priority")]
        constraints = [
            models.CheckConstraint(
                condition=Q(after__isnull=True) | ~Q(after=F("judge")), name="judge_run_not_after_itself"
            ),
            models.CheckConstraint(
                condition=(Q(subject=RunSubject.OUTPUT) & ~Q(track=""))
                | Q(subject=RunSubject.INSTANCE, track="", after=None),
                name="judge_run_on_instances_has_no_track",
            ),
            models.CheckConstraint(
                condition=Q(subject=RunSubject.OUTPUT) | Q(condition=""),
                name="judge_run_on_instances_has_no_condition",
            ),
        ]

    def __str__(self) -> str:
        return f"judge run {self.pk}"


class JudgeTask(LeasedTask):
    """One vote to obtain. Claimed by a conditional update; a lease that runs out returns it to the queue."""

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="tasks")
    output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="judge_tasks"
    )
    second = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text=PAIR
    )
    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, null=True, blank=True, related_name="judge_tasks"
    )
    predicate = models.CharField(max_length=50)
    order = models.PositiveSmallIntegerField(default=1)
    vote = models.PositiveSmallIntegerField(default=1)
    repair_of = models.ForeignKey(
        "Call",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The call whose reply could not be read; set once, so that there is one repair at most.",
    )

    class Meta:
        constraints = [
            *once_per_subject("run", "judge_task", "once_per_run"),
            *lease_constraints("judge_task"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="judge_task_queue"),
            models.Index(fields=["run", "state", "id"], name="judge_task_of_run"),
        ]

    def __str__(self) -> str:
        return f"judge task {self.pk}"


class Call(models.Model):
    """One request to an endpoint and its raw reply, kept for ever."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="calls")
    task = models.ForeignKey(JudgeTask, on_delete=models.PROTECT, related_name="calls")
    token = models.UUIDField(
        unique=True,
        null=True,
        editable=False,
        help_text="Given by the worker, so that no call is stored twice.",
    )
    prompt_sha256 = models.CharField(max_length=64)
    request = models.JSONField()
    reply = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    latency_seconds = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"call {self.pk}"


class VerdictState(models.TextChoices):
    ANSWERED = "answered", "Answered"
    ABSTAIN = "abstain", "Abstain"
    UNAVAILABLE = "unavailable", "Unavailable"
    UNPARSED = "unparsed", "Unparsed"


class Verdict(models.Model):
    """What a judge version said about one output, pair or instance: one row per predicate, order and vote."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="verdicts")
    output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="verdicts"
    )
    second = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text=PAIR
    )
    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, null=True, blank=True, related_name="verdicts"
    )
    predicate = models.CharField(max_length=50)
    order = models.PositiveSmallIntegerField(default=1)
    vote = models.PositiveSmallIntegerField(default=1)
    value = models.CharField(max_length=50, blank=True)
    state = models.CharField(max_length=20, choices=VerdictState.choices, default=VerdictState.ANSWERED)
    confidence = models.FloatField(null=True, blank=True)
    reason = models.TextField(blank=True)
    evidence = models.JSONField(
        default=dict,
        blank=True,
        help_text="A program's own, of a construction audit: marked spans, or what was compared.",
    )
    call = models.ForeignKey(Call, on_delete=models.PROTECT, null=True, blank=True, related_name="verdicts")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            *once_per_subject("judge", "verdict", "exactly_once"),
            models.CheckConstraint(
                condition=(Q(state=VerdictState.ANSWERED) & ~Q(value=""))
                | (~Q(state=VerdictState.ANSWERED) & Q(value="")),
                name="verdict_has_a_value_iff_answered",
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0, 1)),
                name="verdict_confidence_0_to_1",
            ),
        ]
        indexes = [
            models.Index(fields=["output", "predicate"], name="verdict_by_output"),
            models.Index(fields=["instance", "predicate"], name="verdict_by_instance"),
        ]

    def __str__(self) -> str:
        return f"{self.predicate}: {self.value or self.state}"


class StepVerdict(models.Model):
    """What a verdict's reply says about one step of the output as well: one row per step, never without the verdict.

    `question` is the stepwise question of rubrics that it answers, so that experts and judges answer the same one.
    """

    verdict = models.ForeignKey(Verdict, on_delete=models.PROTECT, related_name="steps")
    question = models.CharField(max_length=50)
    step = models.CharField(max_length=50, help_text="Its id, as in experts' labels of steps.")
    label = models.CharField(max_length=50)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["verdict", "question", "step"], name="step_verdict_once"),
            models.CheckConstraint(
                condition=~Q(question="") & ~Q(step="") & ~Q(label=""), name="step_verdict_is_complete"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} {self.step}: {self.label}"
