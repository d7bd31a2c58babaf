"""Storing what came back: the raw call, the verdict, and the end of the task, in one transaction."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from judging.claims import give_back
from judging.models import Call, JudgeTask, TaskState, Verdict


@dataclass(frozen=True)
class Outcome:
    """A finished call for a task. `state` is a VerdictState; `value` only if answered."""

    task: JudgeTask
    prompt_sha256: str
    request: dict[str, Any]
    reply: dict[str, Any] | None
    latency_seconds: float
    state: str
    value: str = ""
    reason: str = ""
    confidence: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Failure:
    """A call that gave no reply to read. `final` when trying again cannot help; `wait` until the next try."""

    task: JudgeTask
    error: str
    final: bool
    wait: dt.timedelta
    prompt_sha256: str = ""
    request: dict[str, Any] | None = None
    reply: dict[str, Any] | None = None
    latency_seconds: float = 0.0


@transaction.atomic
def settle_failure(*, failure: Failure, owner: str) -> None:
    """Keep the failed call, if one was made, and return the task to the queue or fail it for good."""
    if failure.request is not None:
        Call.objects.create(
            judge=failure.task.run.judge,
            task=failure.task,
            prompt_sha256=failure.prompt_sha256,
            request=failure.request,
            reply=failure.reply,
            error=failure.error[:2000],
            latency_seconds=failure.latency_seconds,
        )
    give_back(
        task_id=failure.task.pk, owner=owner, error=failure.error, wait=failure.wait, final=failure.final
    )


@transaction.atomic
def settle(*, outcomes: Sequence[Outcome]) -> int:
    """Store calls and verdicts, close the tasks; returns how many verdicts are new.

    Every call is kept, also one that came in after its lease had passed to another worker; the unique
    constraint on Verdict decides which of two late answers counts (the first), whoever gave it.
    """
    calls = Call.objects.bulk_create([_call(outcome) for outcome in outcomes])
    verdicts = [_verdict(outcome, call) for outcome, call in zip(outcomes, calls, strict=True)]
    before = _stored(outcomes)
    Verdict.objects.bulk_create(verdicts, ignore_conflicts=True)
    JudgeTask.objects.filter(id__in=[outcome.task.id for outcome in outcomes]).exclude(
        state=TaskState.DONE
    ).update(state=TaskState.DONE, lease_owner="", lease_until=None, last_error="")
    return len(verdicts) - before


def _call(outcome: Outcome) -> Call:
    return Call(
        judge=outcome.task.run.judge,
        task=outcome.task,
        prompt_sha256=outcome.prompt_sha256,
        request=outcome.request,
        reply=outcome.reply,
        prompt_tokens=outcome.prompt_tokens,
        completion_tokens=outcome.completion_tokens,
        latency_seconds=outcome.latency_seconds,
    )


def _verdict(outcome: Outcome, call: Call) -> Verdict:
    task = outcome.task
    return Verdict(
        judge=task.run.judge,
        output=task.output,
        predicate=task.predicate,
        order=task.order,
        vote=task.vote,
        value=outcome.value,
        state=outcome.state,
        reason=outcome.reason,
        confidence=outcome.confidence,
        call=call,
    )


def _stored(outcomes: Sequence[Outcome]) -> int:
    tasks = [outcome.task for outcome in outcomes]
    keys = {(t.run.judge_id, t.output_id, t.predicate, t.order, t.vote) for t in tasks}
    rows = Verdict.objects.filter(output__in={t.output_id for t in tasks}).values_list(
        "judge_id", "output_id", "predicate", "order", "vote"
    )
    return len(keys.intersection(rows))
