"""Claiming tasks from the queue of record, keeping them, and returning them.

A claim is a conditional update whose effect is read back by its own token, which is right on PostgreSQL and
SQLite alike: of two workers that pick the same rows, the second finds them no longer waiting.
"""

import datetime as dt
import uuid
from collections.abc import Collection, Iterable
from decimal import Decimal

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from work.backoff import LONGEST_WAIT, MAX_TRIES
from work.budget import forfeit, reserve
from work.clock import shared_now
from work.kinds import Failure, Kind, Task
from work.models import TaskState
from work.signal import ring

FREE = {
    "state": TaskState.WAITING,
    "lease_owner": "",
    "lease_until": None,
    "tokens_reserved": 0,
    "cost_reserved": 0,
}
EXPORT = "batch-"  # how owners begin that are no workers: they hold tasks for as long as they said
_RETURNED = ["tries", "available_at", "last_error", *FREE]


def lease() -> dt.timedelta:
    """How long a claim holds without a heartbeat."""
    return dt.timedelta(seconds=settings.JUDGE_LEASE_SECONDS)


def new_owner() -> str:
    """A token that no other worker has."""
    return uuid.uuid4().hex


def claim(
    kind: Kind, *, owner: str, limit: int, which: Q | None = None, among: Q | None = None
) -> list[Task]:
    """Lease up to `limit` tasks of the kind to `owner`, of those `among` the tasks of the runs that `which` selects.

    Only runs in one of the kind's states count. Runs of a higher priority come first, then older runs; within a run
    the tasks' order. May return fewer while others claim. Runs, and whatever else is loaded, come as one object
    each, however many tasks share them.
    """
    now = shared_now()
    with transaction.atomic():
        # Waiting tasks whose time has come, run by run: each look-up is one index range.
        chosen: list[int] = []
        running = kind.runs.objects.filter(which or Q(), state__in=kind.states).order_by("-priority", "id")
        for run_id in running.values_list("id", flat=True):
            due = kind.tasks.objects.filter(
                among or Q(), run_id=run_id, state=TaskState.WAITING, available_at__lte=now
            )
            chosen += _lockable(due.order_by("id")).values_list("id", flat=True)[: limit - len(chosen)]
            if len(chosen) == limit:
                break
        taken = kind.tasks.objects.filter(id__in=chosen, state=TaskState.WAITING).update(
            state=TaskState.LEASED, lease_owner=owner, lease_until=now + lease()
        )
        if not taken:
            return []
        held = kind.tasks.objects.filter(id__in=chosen, state=TaskState.LEASED, lease_owner=owner)
        return reserve(kind, list(held.prefetch_related(*kind.loaded).order_by("-run__priority", "id")))


def _lockable(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Past the rows that another worker is claiming just now, where the database can skip them."""
    if connection.features.has_select_for_update_skip_locked:
        return tasks.select_for_update(skip_locked=True, of=("self",))
    return tasks


def keep_alive(tasks: type[Task], *, owner: str, task_ids: Collection[int]) -> int:
    """Heartbeat: extend the leases of `owner` on these tasks; returns how many it still holds.

    A lease whose claim was never answered (the database went away) is not among them and runs out.
    """
    return tasks.objects.filter(id__in=task_ids, state=TaskState.LEASED, lease_owner=owner).update(
        lease_until=shared_now() + lease()
    )


@transaction.atomic
def give_back(tasks: type[Task], *, owner: str, failures: Iterable[Failure]) -> int:
    """Return tasks that failed; after MAX_TRIES, or when final, they are failed for good.

    A task whose lease was lost meanwhile is left alone: another worker is responsible for it. Returns how many were
    still held.
    """
    now = shared_now()
    failed = {failure.task.pk: failure for failure in failures}
    leased = tasks.objects.filter(id__in=failed, state=TaskState.LEASED, lease_owner=owner).order_by("id")
    held = list(leased.select_for_update())
    for task in held:
        returned = failed[task.pk]
        task.tries += 1
        over = returned.final or task.tries >= MAX_TRIES
        task.state = TaskState.FAILED if over else TaskState.WAITING
        task.available_at = now + returned.wait
        task.lease_owner, task.lease_until = "", None
        task.tokens_reserved, task.cost_reserved = 0, Decimal(0)
        task.last_error = returned.error[:2000]
    return tasks.objects.bulk_update(held, _RETURNED, batch_size=500) if held else 0


def release(tasks: type[Task], *, owner: str, task_ids: Collection[int]) -> int:
    """Return tasks that were never asked; returns how many were still held."""
    held = tasks.objects.filter(id__in=task_ids, state=TaskState.LEASED, lease_owner=owner)
    return held.update(**FREE)


def release_all(tasks: type[Task], *, owner: str) -> int:
    """Return everything untried: the worker is stopping."""
    return tasks.objects.filter(state=TaskState.LEASED, lease_owner=owner).update(**FREE)


@transaction.atomic
def take_back_expired(kind: Kind) -> int:
    """Return tasks whose lease ran out (their worker died) to the queue.

    What was reserved for them counts as spent: nobody knows whether the call had been made. For the length of one lease
    after the database server has started, nothing is returned: while it was down nobody could renew a lease, so an
    expired one says nothing about its worker.
    """
    # Bound what was stored by a clock that was ahead: of the database, and set back since, or of a host that asked. A
    # worker's lease ends one lease from now, if it is not renewed; a new task waits for nothing, any other a day.
    now = shared_now()
    leased = kind.tasks.objects.filter(state=TaskState.LEASED, lease_until__gt=now + lease())
    leased.exclude(lease_owner__startswith=EXPORT).update(lease_until=now + lease())
    ahead = Q(tries=0, available_at__gt=now) | Q(available_at__gt=now + LONGEST_WAIT)
    waiting = _lockable(kind.tasks.objects.filter(ahead, state=TaskState.WAITING).order_by("id"))
    kind.tasks.objects.filter(id__in=list(waiting.values_list("id", flat=True))).update(available_at=now)
    if _just_started():
        return 0
    expired = kind.tasks.objects.filter(state=TaskState.LEASED, lease_until__lt=shared_now())
    ids = list(_lockable(expired.order_by("id")).values_list("id", flat=True))
    forfeit(kind, ids)
    returned = kind.tasks.objects.filter(id__in=ids).update(**FREE)
    if ids:
        kind.returned(ids)
    return returned


def call_for_due(*kinds: Kind) -> int:
    """Call workers if tasks of these kinds wait whose time has come; returns how many do."""
    now = shared_now()
    waiting = sum(
        kind.tasks.objects.filter(
            state=TaskState.WAITING, run__state__in=kind.states, available_at__lte=now
        ).count()
        for kind in kinds
    )
    if waiting:
        ring()
    return waiting


def _just_started() -> bool:
    """Whether the database server has been up for less than a lease; SQLite has no server."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM now() - pg_postmaster_start_time()) < %s",
            [settings.JUDGE_LEASE_SECONDS],
        )
        row = cursor.fetchone()
    return row is not None and bool(row[0])
