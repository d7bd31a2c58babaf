"""The verbs of batches: export the waiting questions of a paused run, settle the results, and withdraw a batch.

An export claims its questions as a worker does, with the most that they can use reserved, and holds them until their
results are settled. So no worker asks them too, whatever becomes of the run, and no cap is exceeded.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from llm.completion import Circumstances, read_completion
from llm.errors import Malformed
from llm.retries import is_transient
from solving.batches.lines import Name, Result, name_in, results_in
from solving.batches.queries import body_of, name_of, out_of
from solving.models import AskStep, Attempt, AttemptState, SolveCall, SolveRun, Step
from solving.runs.actions import close_finished
from solving.runs.kinds import ASKS
from solving.runs.roles import endpoints_of
from solving.runs.settlement import OPEN, OUTDATED, settle_asks
from solving.runs.stored import is_outdated
from work.asking import Answer
from work.budget import reserve
from work.claims import EXPORT, new_owner, release_all
from work.clock import shared_now
from work.endpoints import check_endpoint
from work.kinds import Failure
from work.models import RunState, TaskState
from work.signal import ring

MOST = 10_000  # questions of a batch
LEASE = dt.timedelta(days=30)  # as long as providers keep results; then the questions count as used in full
IN_ONE_GO = 500
_NOT_DONE = ("batch_expired", "batch_cancelled")  # errors of requests that the provider never carried out
_LONGEST = 500


@dataclass(frozen=True)
class Settled:
    """What a result file came to: lines that were stored, of these failed ones, lines that were stored before, and
    the questions that are still out."""

    settled: int
    failed: int
    known: int
    out: int
    state: str


@transaction.atomic
def export_batch(*, actor: User | None, run: SolveRun, limit: int = MOST) -> int:
    """Claim the waiting questions of a paused run for a batch; returns how many are out.

    While a batch is out nothing more is claimed: its file can be written again, but no second one is made. Raises
    Refused for a run that is not paused or cannot be answered by a batch, and where the run's cap allows nothing.
    """
    run = SolveRun.objects.select_related("solver").get(pk=run.pk)
    if already := out_of(run).count():
        return already
    if run.state != RunState.PAUSED:
        raise Refused("Pause the run: only a paused one is exported.", code="wrong_state")
    if is_outdated(run.solver):
        raise Refused(OUTDATED, code="outdated")
    if run.attempt_seconds is not None:
        reason = "The run's attempts are bounded by seconds, and a batch does not say how long a reply took."
        raise Refused(reason, code="seconds")
    for endpoint in endpoints_of(run.solver):
        check_endpoint(endpoint, field="")
    if not 1 <= limit <= MOST:
        raise Refused(f"A batch has 1 to {MOST:,} questions.", code="bad_limit", field="limit")
    owner = f"{EXPORT}{new_owner()}"
    waiting = AskStep.objects.filter(run=run, state=TaskState.WAITING, attempt__state=AttemptState.RUNNING)
    # A file is for one provider: the one whom the oldest question is put to.
    first = waiting.order_by("pk").values_list("endpoint", flat=True)[:1]
    chosen = list(
        waiting.filter(endpoint__in=list(first)).order_by("pk").values_list("pk", flat=True)[:limit]
    )
    AskStep.objects.filter(pk__in=chosen, state=TaskState.WAITING).update(
        state=TaskState.LEASED, lease_owner=owner, lease_until=shared_now() + LEASE
    )
    held = AskStep.objects.filter(run=run, state=TaskState.LEASED, lease_owner=owner).order_by("pk")
    claimed = list(held.defer("question").prefetch_related(*ASKS.loaded))
    if not claimed:
        raise Refused("No question of the run waits to be asked.", code="nothing_waits")
    granted = reserve(ASKS, claimed)
    if not granted:
        reason = "The next question could exceed the run's cap. Raise the cap, or wait for what is in flight."
        raise Refused(reason, code="no_budget", field="max_tokens")
    record(actor=actor, verb="export_solve_batch", target=run, details={"questions": len(granted)})
    return len(granted)


@transaction.atomic
def settle_batch(*, actor: User | None, run: SolveRun, path: Path) -> Settled:
    """Store the results in a file as a worker stores replies, and plan the attempts on; all or nothing.

    A line that is stored already changes nothing. Raises Refused with line and field, before anything is stored, for
    a line that is not a result, a custom_id that is not of this run or appears twice, and a question that is over or no
    longer out.
    """
    run = SolveRun.objects.select_related("solver").get(pk=run.pk)
    if is_outdated(run.solver):
        raise Refused(OUTDATED, code="outdated")
    lines: dict[Name, int] = {}
    for result in results_in(path):
        name = _of_this_run(run, result)
        if name in lines:
            reason = f"{result.custom_id} is on line {lines[name]} too."
            raise Refused(reason, code="twice", line=result.line, field="custom_id")
        lines[name] = result.line
    if not lines:
        raise Refused("The file has no results.", code="empty", field="file")
    # Attempts before steps, as workers lock them.
    holding = Attempt.objects.filter(pk__in=out_of(run).order_by().values("attempt"))
    list(holding.order_by("pk").select_for_update().values_list("pk"))
    held = {name_of(step): step.pk for step in out_of(run).only("run_id", "lease_owner")}
    known = _check_known({name: line for name, line in lines.items() if name not in held})
    failed = 0
    chunk: list[tuple[int, Result]] = []
    for result in results_in(path):
        pk = held.get(_of_this_run(run, result))
        if pk is not None:
            chunk.append((pk, result))
        if len(chunk) == IN_ONE_GO:
            failed += _settle(chunk)
            chunk = []
    failed += _settle(chunk)
    close_finished(SolveRun.objects.filter(pk=run.pk, state__in=[RunState.RUNNING, RunState.PAUSED]))
    run.refresh_from_db()
    told = Settled(len(lines) - known, failed, known, out_of(run).count(), run.state)
    if told.settled:
        details = {"settled": told.settled, "failed": failed, "out": told.out}
        record(actor=actor, verb="settle_solve_batch", target=run, details=details)
    return told


@transaction.atomic
def withdraw_batch(*, actor: User | None, run: SolveRun) -> int:
    """Let the questions that are out wait again, as if they were never exported; returns how many.

    Results of theirs are refused afterwards, so this is for a file that was not sent, or for what is left of one.
    """
    holding = Attempt.objects.filter(pk__in=out_of(run).order_by().values("attempt"))
    list(holding.order_by("pk").select_for_update().values_list("pk"))
    owners = set(out_of(run).order_by().values_list("lease_owner", flat=True))
    if not owners:
        raise Refused("No question of the run is out in a batch.", code="nothing_out")
    back = sum(release_all(AskStep, owner=owner) for owner in sorted(owners))
    ended = run.steps.filter(attempt__state=AttemptState.ENDED, state=TaskState.WAITING)
    ended.update(state=TaskState.NOT_NEEDED)  # of a cancelled run
    record(actor=actor, verb="withdraw_solve_batch", target=run, details={"questions": back})
    transaction.on_commit(ring)
    return back


def _of_this_run(run: SolveRun, result: Result) -> Name:
    name = name_in(result.custom_id)
    if name is None or name.run != run.pk:
        reason = f"{result.custom_id[:100]!r} is not a question of run {run.pk}."
        raise Refused(reason, code="not_of_run", line=result.line, field="custom_id")
    return name


def _check_known(lines: Mapping[Name, int]) -> int:
    """Refuse the first of these lines, whose questions are not out, that is not stored either; returns how many."""
    names = list(lines)
    for start in range(0, len(names), IN_ONE_GO):
        part = names[start : start + IN_ONE_GO]
        calls = SolveCall.objects.filter(token__in=[name.token for name in part])
        stored = set(calls.values_list("token", flat=True))
        steps = Step.objects.select_related("attempt__instance").defer("question", "reply")
        found = steps.in_bulk([name.step for name in part if name.token not in stored])
        for name in part:
            if name.token in stored:
                continue
            step = found.get(name.step)
            if step is None or step.run_id != name.run or step.kind != Step.Kind.ASK:
                reason, code = f"Run {name.run} has no question of this number.", "not_of_run"
            else:
                is_over = step.state not in OPEN
                fate = "over without this result" if is_over else "no longer out in this batch"
                reason = f"{step.key} of {step.attempt.instance.key} is {fate}. Remove the line."
                code = "step_over" if is_over else "not_out"
            raise Refused(reason, code=code, line=lines[name], field="custom_id")
    return len(lines)


def _settle(chunk: list[tuple[int, Result]]) -> int:
    """Store these results of questions that are out; returns how many failed."""
    rows = Step.objects.filter(pk__in=[pk for pk, _ in chunk]).order_by("pk").prefetch_related(*ASKS.loaded)
    steps = {step.pk: step for step in rows}
    by_owner: dict[str, list[Answer | Failure]] = defaultdict(list)
    for pk, result in chunk:
        by_owner[steps[pk].lease_owner].append(_reply(steps[pk], result))
    for owner, results in sorted(by_owner.items()):
        settle_asks(results=results, owner=owner, live=False)
    return sum(isinstance(one, Failure) for results in by_owner.values() for one in results)


def _reply(step: Step, result: Result) -> Answer | Failure:
    """The result as a worker would have it. How long it took is not known."""
    request, token = body_of(step), name_of(step).token
    if result.error is not None or result.status != 200:
        if result.error is not None:
            # Nobody knows whether the request was carried out, unless the error says so.
            said: Any = dict(result.error)
            code = str(said.get("code") or "error")
            reason, final = f"{code}: {said.get('message') or 'no reason given'}", False
            unanswered = 0 if code in _NOT_DONE else 1
        else:  # a status is read as that of an endpoint
            said, unanswered = result.body, 0
            reason = f"status {result.status}: {said}"
            final = result.status >= 300 and not is_transient(result.status)
        return Failure(
            task=step, error=f"batch: {reason}"[:_LONGEST], final=final, wait=dt.timedelta(), request=request,
            reply=said if isinstance(said, dict) else None, unanswered=unanswered, token=token,
        )  # fmt: skip
    try:
        completion = read_completion(result.body, Circumstances(request))
    except Malformed as fault:
        return Failure(
            task=step, error=f"batch: {fault.reason}", final=False, wait=dt.timedelta(), request=request,
            reply=fault.reply, unanswered=fault.unanswered, token=token,
        )  # fmt: skip
    return Answer(
        task=step, text=completion.text, finish_reason=completion.finish_reason, request=request,
        reply=completion.reply, latency_seconds=0.0, prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens, unanswered=0, token=token,
        cached_tokens=completion.cached_tokens, reasoning_tokens=completion.reasoning_tokens,
    )  # fmt: skip
