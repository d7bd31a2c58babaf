"""What every kind of work has in common: a job, its leased tasks, and what is known of the endpoints they ask."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class RunState(models.TextChoices):
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    CANCELLED = "cancelled", "Cancelled"
    DONE = "done", "Done"


class Job(models.Model):
    """A request for work, whose tasks each name it as their `run`: its place in the queue, and its caps."""

    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.RUNNING)
    priority = models.SmallIntegerField(default=0, help_text="Runs with a higher number are asked first.")
    max_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    max_cost = models.DecimalField(max_digits=16, decimal_places=6, null=True, blank=True)
    tokens_spent = models.PositiveBigIntegerField(
        default=0, help_text="Sent and received, with or without a cap."
    )
    cost_spent = models.DecimalField(max_digits=16, decimal_places=6, default=0)
    note = models.TextField(blank=True, help_text="Why the run was paused by itself.")

    class Meta:
        abstract = True

    @property
    def is_capped(self) -> bool:
        return self.max_tokens is not None or self.max_cost is not None


class PricedJob(Job):
    """A job whose tasks all ask one model, at these prices."""

    endpoint = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    prompt_price = models.DecimalField(max_digits=12, decimal_places=6, help_text="Of a million tokens sent.")
    completion_price = models.DecimalField(
        max_digits=12, decimal_places=6, help_text="Of a million tokens received."
    )

    class Meta:
        abstract = True


class TaskState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    LEASED = "leased", "Leased"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    HELD = "held", "Held back until earlier votes are in"
    NOT_NEEDED = "not_needed", "Not needed: the majority is settled"


class LeasedTask(models.Model):
    """One thing to do for a `run`, a Job. Claimed by a conditional update; a lease that runs out returns it.

    A model that inherits adds `lease_constraints` and an index on (run, state, id).
    """

    state = models.CharField(max_length=20, choices=TaskState.choices, default=TaskState.WAITING)
    available_at = models.DateTimeField(default=timezone.now)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    last_error = models.TextField(blank=True)
    tokens_reserved = models.PositiveBigIntegerField(default=0)
    cost_reserved = models.DecimalField(max_digits=16, decimal_places=6, default=0)

    class Meta:
        abstract = True

    @property
    def asked_endpoint(self) -> str:
        """The endpoint that the task asks: its job's, unless the tasks of a job ask several."""
        endpoint: str = self.run.endpoint  # type: ignore[attr-defined]
        return endpoint


class Call(models.Model):
    """One request to an endpoint and its raw reply, kept for ever. A model that inherits names its `task`."""

    token = models.UUIDField(unique=True, editable=False, help_text="So that no call is stored twice.")
    request = models.JSONField()
    reply = models.JSONField(null=True)
    error = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    latency_seconds = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True


def lease_constraints(table: str) -> list[models.CheckConstraint]:
    """A task has an owner exactly while it is leased, and reserves nothing otherwise."""
    return [
        models.CheckConstraint(
            condition=(Q(state=TaskState.LEASED) & ~Q(lease_owner="") & Q(lease_until__isnull=False))
            | (~Q(state=TaskState.LEASED) & Q(lease_owner="") & Q(lease_until__isnull=True)),
            name=f"{table}_leased_iff_it_has_an_owner",
        ),
        models.CheckConstraint(
            condition=Q(state=TaskState.LEASED) | Q(tokens_reserved=0, cost_reserved=0),
            name=f"{table}_reserves_only_while_leased",
        ),
    ]


class EndpointState(models.Model):
    """What all workers know of an endpoint together: its circuit breaker, and when the next request may go."""

    name = models.CharField(max_length=100, unique=True)
    failures = models.PositiveIntegerField(default=0, help_text="Calls in a row that failed.")
    times_opened = models.PositiveIntegerField(default=0, help_text="In a row, without a success between.")
    open_until = models.DateTimeField(null=True, blank=True)
    probing = models.BooleanField(default=False, help_text="One call is on its way to find out.")
    last_error = models.TextField(blank=True)
    next_turn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "judging_endpointstate"  # made when judging was the only user of the queue

    def __str__(self) -> str:
        return self.name
