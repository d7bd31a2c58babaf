"""Steps of attempts: questions to the model and uses of tools, and the calls that were made for them."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from solving.models.runs import Attempt, SolveRun
from work.models import Call, LeasedTask, TaskState, lease_constraints


class Step(LeasedTask):
    """A step that an attempt asked for, and what came of it.

    What is sent is kept until it is answered; then it can be made again from the replies before it. The bounds are the
    most that one request can use; what was booked has every try.
    """

    class Kind(models.TextChoices):
        ASK = "ask", "Question to the model"
        TOOL = "tool", "Use of a tool"

    class ReplyState(models.TextChoices):
        PARSED = "parsed", "Parsed"
        UNPARSED = "unparsed", "Not what was asked for"

    run = models.ForeignKey(SolveRun, on_delete=models.PROTECT, related_name="steps")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="steps")
    key = models.CharField(max_length=100, help_text="Its name within the attempt, for example r2.p1.")
    kind = models.CharField(max_length=10, choices=Kind)
    round = models.PositiveSmallIntegerField()
    endpoint = models.CharField(max_length=100, blank=True, help_text="Of a question: whom it is put to.")
    agent = models.CharField(max_length=20, blank=True)
    phase = models.CharField(max_length=30, blank=True)
    name = models.CharField(max_length=100, help_text="The prompt, or the tool.")
    question = models.JSONField(
        default=dict, help_text="Fields, rules and length of a question, or arguments."
    )
    question_sha256 = models.CharField(max_length=64)
    reads = models.JSONField(default=list, help_text="The numbers of the memory entries that it shows.")
    tokens_bound = models.PositiveBigIntegerField(default=0)
    cost_bound = models.DecimalField(max_digits=16, decimal_places=6, default=0)
    tokens_spent = models.PositiveBigIntegerField(default=0)
    cost_spent = models.DecimalField(max_digits=16, decimal_places=6, default=0)
    seconds = models.FloatField(default=0.0, help_text="Of the request that was answered.")
    reply = models.JSONField(default=dict)
    reply_state = models.CharField(max_length=15, choices=ReplyState, blank=True)
    reply_fault = models.CharField(max_length=500, blank=True, help_text="Why the reply cannot be read.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "key"], name="solve_step_once"),
            models.CheckConstraint(
                condition=Q(state=TaskState.DONE, reply_state__in=["parsed", "unparsed"])
                | ~Q(state=TaskState.DONE) & Q(reply_state=""),
                name="solve_step_done_iff_replied",
            ),
            models.CheckConstraint(condition=Q(kind__in=["ask", "tool"]), name="solve_step_kind_is_known"),
            models.CheckConstraint(
                condition=Q(kind="ask") & ~Q(endpoint="") | ~Q(kind="ask") & Q(endpoint=""),
                name="solve_step_asks_an_endpoint",
            ),
            *lease_constraints("solve_step"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="solve_step_queue"),
            models.Index(fields=["run", "kind", "state", "endpoint", "id"], name="solve_step_of_run"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.attempt_id}"

    @property
    def asked_endpoint(self) -> str:
        return self.endpoint


class _OfKind(models.Manager[Any]):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(kind=self._kind)


class AskStep(Step):
    """The steps that ask the model: a kind of work of its own."""

    objects: ClassVar[models.Manager[Any]] = _OfKind("ask")

    class Meta:
        proxy = True


class ToolStep(Step):
    """The steps that are done on the worker's machine."""

    objects: ClassVar[models.Manager[Any]] = _OfKind("tool")

    class Meta:
        proxy = True


class SolveCall(Call):
    """One request about a step and its raw reply, kept for ever; the request without the messages, which are long."""

    task = models.ForeignKey(Step, on_delete=models.PROTECT, related_name="calls")
    model = models.CharField(
        max_length=200, blank=True, help_text="The model that the reply says it is from."
    )
    cached_tokens = models.PositiveIntegerField(null=True, help_text="Of the tokens sent.")
    reasoning_tokens = models.PositiveIntegerField(null=True, help_text="Of the tokens received.")
    adopted = models.BooleanField(default=False, help_text="Whether its reply is the step's.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task"], condition=Q(adopted=True), name="one_adopted_call_per_step"
            ),
            models.CheckConstraint(
                condition=Q(cached_tokens=None)
                | Q(prompt_tokens__isnull=False, cached_tokens__lte=F("prompt_tokens")),
                name="solve_call_cached_tokens_were_sent",
            ),
            models.CheckConstraint(
                condition=Q(reasoning_tokens=None)
                | Q(completion_tokens__isnull=False, reasoning_tokens__lte=F("completion_tokens")),
                name="solve_call_reasoning_was_received",
            ),
        ]

    def __str__(self) -> str:
        return f"solve call {self.pk}"
