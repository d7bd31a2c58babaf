"""Storing what came back: raw calls, verdicts, and the end or the return of tasks, in one transaction.

Storing the same results twice changes nothing, so a worker whose commit was not answered may repeat it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import transaction

from judging.asking.costs import attempts, most_of_one_call, use_of
from judging.asking.prompts import step_question
from judging.models import Call, JudgeRun, JudgeTask, StepVerdict, Verdict
from judging.runs.early_stop import advance, question_of
from work.breaker import note_results
from work.budget import charge
from work.claims import FREE, give_back
from work.kinds import Failure, Use
from work.models import TaskState


@dataclass(frozen=True)
class Outcome:
    """A finished call for a task. `state` is a VerdictState; `value` only if answered, and so `steps`, id to label.

    `unanswered` counts attempts before it that the endpoint may bill; `token` makes storing it twice harmless.
    """

    task: JudgeTask
    prompt_sha256: str
    request: Mapping[str, object]
    reply: Mapping[str, object] | None
    latency_seconds: float
    state: str
    value: str = ""
    reason: str = ""
    confidence: float | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
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
    tokens = [result.token for result in results]
    stored_already = set(Call.objects.filter(token__in=tokens).values_list("token", flat=True))
    new = [result for result in results if result.token not in stored_already]
    outcomes = [result for result in new if isinstance(result, Outcome)]
    failures = [result for result in new if isinstance(result, Failure)]
    uses = {result.task.pk: _use(result) for result in new}  # without a cap, too: one can be given later
    ended = [outcome.task.pk for outcome in outcomes if not _asks_again(outcome)]
    charge(JudgeTask, JudgeRun, owner=owner, uses=uses, ended=ended)
    told: dict[str, list[str | None]] = defaultdict(list)
    for result in new:
        if isinstance(result, Outcome):
            told[result.task.run.judge.endpoint].append(None)
        elif result.counts:
            told[result.task.run.judge.endpoint].append(result.error)
    for endpoint in sorted(filter(None, told)):
        note_results(endpoint=endpoint, errors=told[endpoint])
    if failures:
        # Keep the failed calls that were made, and return the tasks to the queue or fail them for good.
        Call.objects.bulk_create([_call(failure) for failure in failures if failure.request is not None])
        give_back(JudgeTask, owner=owner, failures=failures)
    stored = _settle_outcomes(outcomes, owner) if outcomes else 0
    if tasks := [result.task for result in new if result.task.run.judge.early_stop]:
        advance({question_of(task) for task in tasks})
    return stored


def _use(result: Outcome | Failure) -> Use:
    """What a result cost: as the endpoint reported it, else the most it can have been."""
    if isinstance(result, Failure):
        return _bound(result.task) * result.unanswered if result.unanswered else Use()
    if result.prompt_tokens is None or result.completion_tokens is None:
        return _bound(result.task) * (result.unanswered + 1)
    known = use_of(result.task.run.judge, result.prompt_tokens, result.completion_tokens)
    return known + _bound(result.task) * result.unanswered if result.unanswered else known


def _bound(task: JudgeTask) -> Use:
    """The most of one attempt. For a run without a cap nothing is reserved; programs use nothing."""
    judge = task.run.judge
    if task.tokens_reserved or not judge.endpoint:
        return Use(task.tokens_reserved, task.cost_reserved) / attempts(judge)
    return most_of_one_call(task)


def _asks_again(outcome: Outcome) -> bool:
    """Whether the one repair of an unreadable reply is to follow."""
    task = outcome.task
    return outcome.state == "unparsed" and task.run.judge.repair and task.repair_of_id is None


def _settle_outcomes(outcomes: Sequence[Outcome], owner: str) -> int:
    calls = Call.objects.bulk_create([_call(outcome) for outcome in outcomes])
    final = []
    for outcome, call in zip(outcomes, calls, strict=True):
        task = outcome.task
        if _asks_again(outcome):
            # Queue the one repair; nothing when the lease was lost, since another worker is
            # responsible for the task.
            held = JudgeTask.objects.filter(
                pk=task.pk, state=TaskState.LEASED, lease_owner=owner, repair_of=None
            )
            held.update(**FREE, repair_of=call)
            continue
        verdict = Verdict(
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
        final.append((task.pk, verdict))
    Verdict.objects.bulk_create([verdict for _, verdict in final], ignore_conflicts=True)
    JudgeTask.objects.filter(id__in=[task for task, _ in final]).exclude(state=TaskState.DONE).update(
        **{**FREE, "state": TaskState.DONE}, last_error=""
    )
    stored = dict(Verdict.objects.filter(call__in=[call.pk for call in calls]).values_list("call", "pk"))
    steps = []
    for outcome, call in zip(outcomes, calls, strict=True):
        if outcome.steps and call.pk in stored:
            question = step_question(outcome.task.run.judge.protocol, outcome.task.predicate)
            about = {"verdict_id": stored[call.pk], "question": question}
            steps += [StepVerdict(**about, step=step, label=said) for step, said in outcome.steps.items()]
    StepVerdict.objects.bulk_create(steps)
    return len(stored)


def _call(result: Outcome | Failure) -> Call:
    call = Call(
        judge=result.task.run.judge,
        task=result.task,
        token=result.token,
        prompt_sha256=result.prompt_sha256,
        request=result.request,
        reply=result.reply,
        latency_seconds=result.latency_seconds,
    )
    if isinstance(result, Failure):
        call.error = result.error[:2000]
    else:
        call.prompt_tokens, call.completion_tokens = result.prompt_tokens, result.completion_tokens
    return call
