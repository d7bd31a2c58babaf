"""Claiming tasks from the queue of record, keeping them, and giving them back.

A claim is a conditional update whose effect is read back by its own token, which is right on PostgreSQL and
SQLite alike: of two workers that pick the same rows, the second finds them no longer waiting.
"""

import datetime as dt
import uuid

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from judging.backoff import MAX_TRIES
from judging.models import JudgeTask, RunState, TaskState


def lease() -> dt.timedelta:
    """How long a claim holds without a heartbeat."""
    return dt.timedelta(seconds=settings.JUDGE_LEASE_SECONDS)


def new_owner() -> str:
    """A token that no other worker has."""
    return uuid.uuid4().hex


def claimable(now: dt.datetime) -> QuerySet[JudgeTask]:
    """Waiting tasks of running runs whose time has come, oldest first."""
    return JudgeTask.objects.filter(
        state=TaskState.WAITING, available_at__lte=now, run__state=RunState.RUNNING
    ).order_by("id")


def claim(*, owner: str, limit: int) -> list[JudgeTask]:
    """Lease up to `limit` tasks to `owner`; may return fewer while others are claiming."""
    now = timezone.now()
    with transaction.atomic():
        chosen = list(claimable(now).values_list("id", flat=True)[:limit])
        taken = JudgeTask.objects.filter(id__in=chosen, state=TaskState.WAITING).update(
            state=TaskState.LEASED, lease_owner=owner, lease_until=now + lease()
        )
        if not taken:
            return []
        return list(
            JudgeTask.objects.filter(id__in=chosen, state=TaskState.LEASED, lease_owner=owner)
            .select_related("run__judge", "output__instance", "output__redacted")
            .order_by("id")
        )


def keep_alive(*, owner: str) -> int:
    """Heartbeat: extend all leases of `owner`; returns how many it still holds."""
    return JudgeTask.objects.filter(state=TaskState.LEASED, lease_owner=owner).update(
        lease_until=timezone.now() + lease()
    )


def give_back(*, task_id: int, owner: str, error: str, wait: dt.timedelta, final: bool) -> bool:
    """Return a task that failed. After MAX_TRIES, or when `final`, it is failed for good.

    False when the lease was lost meanwhile: then somebody else answers for the task.
    """
    held = JudgeTask.objects.filter(id=task_id, state=TaskState.LEASED, lease_owner=owner)
    free = {"lease_owner": "", "lease_until": None, "tries": F("tries") + 1, "last_error": error[:2000]}
    if final or held.filter(tries__gte=MAX_TRIES - 1).exists():
        return bool(held.update(state=TaskState.FAILED, **free))
    return bool(held.update(state=TaskState.WAITING, available_at=timezone.now() + wait, **free))


def release_all(*, owner: str) -> int:
    """Give everything back untried: the worker is stopping."""
    return JudgeTask.objects.filter(state=TaskState.LEASED, lease_owner=owner).update(
        state=TaskState.WAITING, lease_owner="", lease_until=None
    )


def take_back_expired() -> int:
    """Return tasks whose lease ran out (their worker died) to the queue."""
    return JudgeTask.objects.filter(state=TaskState.LEASED, lease_until__lt=timezone.now()).update(
        state=TaskState.WAITING, lease_owner="", lease_until=None
    )
