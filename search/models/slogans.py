"""Slogans: statements in plain words, written by a model, and the runs that ask for them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from search.models.corpora import Corpus, Statement
from work.models import Call, LeasedTask, PricedJob, RunState, lease_constraints


class Reads(models.TextChoices):
    """What a model reads: a statement, alone or with something of its document."""

    BODY = "body", "The statement alone"
    ABSTRACT = "abstract", "With the abstract of its document"
    INTRODUCTION = "introduction", "With the first section of its document"


class SloganRun(PricedJob):
    """A request for the slogans of a corpus. It always has a budget, because every statement costs a call."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="slogan_runs")
    reads = models.CharField(max_length=20, choices=Reads)
    prompt_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reads__in=Reads.values), name="slogan_run_reads"),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=False) | Q(max_cost__isnull=False),
                name="slogan_run_has_a_budget",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED], finished_at=None)
                | Q(state__in=[RunState.DONE, RunState.CANCELLED], finished_at__isnull=False),
                name="slogan_run_finished_at_some_time",
            ),
            models.UniqueConstraint(
                fields=["corpus", "reads"],
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED]),
                name="one_slogan_run_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"slogan run {self.pk}"


class SloganTask(LeasedTask):
    """One statement of a run."""

    run = models.ForeignKey(SloganRun, on_delete=models.PROTECT, related_name="tasks")
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "statement"], name="slogan_task_once_per_run"),
            *lease_constraints("slogan_task"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="slogan_task_queue"),
            models.Index(fields=["run", "state", "id"], name="slogan_task_of_run"),
        ]

    def __str__(self) -> str:
        return f"slogan task {self.pk}"


class SloganCall(Call):
    """One request to an endpoint and its raw reply, kept for ever."""

    task = models.ForeignKey(SloganTask, on_delete=models.PROTECT, related_name="calls")

    def __str__(self) -> str:
        return f"slogan call {self.pk}"


class Slogan(models.Model):
    """What a model wrote about a statement; `fault` is the code of why it is not used, and empty if it is."""

    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="slogans")
    reads = models.CharField(max_length=20, choices=Reads)
    model = models.CharField(max_length=200)
    prompt_sha256 = models.CharField(max_length=64)
    task = models.OneToOneField(SloganTask, on_delete=models.PROTECT, related_name="slogan")
    call = models.OneToOneField(SloganCall, on_delete=models.PROTECT, related_name="slogan")
    text = models.TextField(blank=True)
    fault = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(fault="") & ~Q(text="") | ~Q(fault="") & Q(text=""),
                name="slogan_has_a_text_or_a_fault",
            ),
            models.UniqueConstraint(
                fields=["statement", "reads", "model", "prompt_sha256"],
                condition=Q(fault=""),
                name="slogan_once_per_statement",
            ),
        ]

    def __str__(self) -> str:
        return self.text or self.fault
