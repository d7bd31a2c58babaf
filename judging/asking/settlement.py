"""Storing what came back: raw calls, verdicts, and the end or the return of tasks, in one transaction.

Storing the same results twice changes nothing, so a worker whose commit was not answered may repeat it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from judging.asking.costs import attempts, use_of
from judging.models import Call, JudgeRun, JudgeTask, Verdict
from judging.runs.early_stop import advance, question_of
from work.breaker import note_results
from work.budget import charge
from work.claims import FREE, GivenBack, give_back
from work.kinds import Failure, Use
from work.models import TaskState


@dataclass(frozen=True)
class Outcome:
    """A finished call for a task. `state` is a VerdictState; `value` only if answered.

    `unanswered` counts attempts before it that the endpoint may bill; `token` makes storing it twice harmless.
    """

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
    unanswered: int = 0
    token: UUID = field(default_factory=uuid4)


@transaction.atomic
def settle(*, results: Sequence[Outcome | Failure], owner: str) -> int:
    """Store calls and verdicts, close or return the tasks; returns how many verdicts are new.

    Every call is kept, also one that came in after its lease had passed to another worker; the unique constraint on
    Verdict decides which of two late answers counts: the first, from any worker.
    """
    new = _not_stored(results)
    uses = {result.task.pk: _use(result) for result in new if result.task.run.is_capped}
    charge(JudgeTask, JudgeRun, owner=owner, uses=uses)
    ended: dict[str, list[str | None]] = defaultdict(list)
    for result in new:
        if isinstance(result, Outcome):
            ended[result.task.run.judge.endpoint].append(None)
        elif result.counts:
            ended[result.task.run.judge.endpoint].append(result.error)
    for endpoint in sorted(filter(None, ended)):
        note_results(endpoint=endpoint, errors=ended[endpoint])
    outcomes = [result for result in new if isinstance(result, Outcome)]
    failures = [result for result in new if isinstance(result, Failure)]
    if failures:
        # Keep the failed calls that were made, and return the tasks to the queue or fail them for good.
        Call.objects.bulk_create(
            [_failed_call(failure) for failure in failures if failure.request is not None]
        )
        give_back(
            JudgeTask,
            owner=owner,
            failed={
                failure.task.pk: GivenBack(error=failure.error, wait=failure.wait, final=failure.final)
                for failure in failures
            },
        )
    stored = _settle_outcomes(outcomes, owner) if outcomes else 0
    if tasks := [result.task for result in new if result.task.run.judge.early_stop]:
        advance({question_of(task) for task in tasks})
    return stored


def _use(result: Outcome | Failure) -> Use:
    """What a result cost: as the endpoint reported it, else the most it can have been."""
    task = result.task
    judge = task.run.judge
    bound = Use(task.tokens_reserved, task.cost_reserved) / attempts(judge)
    if isinstance(result, Failure):
        return bound * result.unanswered
    if result.prompt_tokens is None or result.completion_tokens is None:
        return bound * (result.unanswered + 1)
    return use_of(judge, result.prompt_tokens, result.completion_tokens) + bound * result.unanswered


def _not_stored(results: Sequence[Outcome | Failure]) -> list[Outcome | Failure]:
    tokens = [result.token for result in results]
    stored = set(Call.objects.filter(token__in=tokens).values_list("token", flat=True))
    return [result for result in results if result.token not in stored]


def _settle_outcomes(outcomes: Sequence[Outcome], owner: str) -> int:
    calls = Call.objects.bulk_create([_call(outcome) for outcome in outcomes])
    final = []
    for outcome, call in zip(outcomes, calls, strict=True):
        if _may_be_repaired(outcome):
            # Queue the one repair; nothing when the lease was lost, since another worker is
            # responsible for the task.
            held = JudgeTask.objects.filter(
                pk=outcome.task.pk, state=TaskState.LEASED, lease_owner=owner, repair_of=None
            )
            held.update(**FREE, repair_of=call)
        else:
            final.append((outcome, call))
    Verdict.objects.bulk_create([_verdict(*pair) for pair in final], ignore_conflicts=True)
    JudgeTask.objects.filter(id__in=[outcome.task.pk for outcome, _ in final]).exclude(
        state=TaskState.DONE
    ).update(**{**FREE, "state": TaskState.DONE}, last_error="")
    return Verdict.objects.filter(call__in=[call.pk for call in calls]).count()


def _may_be_repaired(outcome: Outcome) -> bool:
    task = outcome.task
    return outcome.state == "unparsed" and task.run.judge.repair and task.repair_of_id is None


def _failed_call(failure: Failure) -> Call:
    return Call(
        judge=failure.task.run.judge,
        task=failure.task,
        token=failure.token,
        prompt_sha256=failure.prompt_sha256,
        request=failure.request,
        reply=failure.reply,
        error=failure.error[:2000],
        latency_seconds=failure.latency_seconds,
    )


def _call(outcome: Outcome) -> Call:
    return Call(
        judge=outcome.task.run.judge,
        task=outcome.task,
        token=outcome.token,
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
        second=task.second,
        instance=task.instance,
        predicate=task.predicate,
        order=task.order,
        vote=task.vote,
        value=outcome.value,
        state=outcome.state,
        reason=outcome.reason,
        confidence=outcome.confidence,
        call=call,
    )
