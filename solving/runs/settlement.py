"""Storing what steps came to, and planning on: both in one transaction.

An attempt's row is locked before anything of it is read, in the order of ids, so that of two workers with its last two
replies the second sees what the first has stored.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import models, transaction
from django.db.models import F, Max, Prefetch
from django.utils import timezone

from solvers.asking import read
from solvers.budgets import Bound
from solvers.planning import plan
from solvers.recipe import get_recipe
from solvers.steps import End, Frontier, Tool
from solvers.steps import Use as Planned
from solving.models import AskStep, Attempt, AttemptState, MemoryEntry, SolveCall, SolveRun, Step, ToolStep
from solving.runs.roles import model_of
from solving.runs.stored import (
    CLOSED,
    Recorded,
    bound_of,
    budget_of,
    entry_row,
    given_of,
    is_outdated,
    record_of,
    reply_of,
    row_of,
    settings_of,
)
from solving.tools.reading import READING, read_tool
from work.asking import Answer, call_of, tell_breakers, without_messages
from work.budget import as_booked, charge
from work.claims import give_back
from work.kinds import Failure, Use
from work.models import TaskState
from work.signal import ring

if TYPE_CHECKING:
    from solving.runs.kinds import Done

OPEN = (TaskState.WAITING, TaskState.LEASED, TaskState.HELD)
OUTDATED = "The recipe has changed since this solver was made. Finish with the code that it was made with, or cancel."
NO_ROOM = "another try could exceed the attempt's cap"
_CLOSING = [
    "state", "lease_owner", "lease_until", "tokens_reserved", "cost_reserved", "last_error", "tokens_spent",
    "cost_spent", "seconds", "reply", "reply_state", "reply_fault", "question",
]  # fmt: skip
_GOING_ON = [
    "state", "note", "tokens_spent", "cost_spent", "began_at", "ended_at", "outcome", "ended_because", "result",
    "ranking", "rounds", "active_seconds",
]  # fmt: skip
_OF_RUN = (
    "solver", "release__benchmark", "artifact__retrieval_file", "artifact__materialisation_file", "bank", "blocked",
)  # fmt: skip
LOADED = ("instance", *(f"run__{one}" for one in _OF_RUN))
_AGGREGATES = ["tokens_spent", "cost_spent", "began_at"]


@transaction.atomic
def settle_asks(*, results: Sequence[Answer | Failure], owner: str, live: bool = True) -> int:
    """Store calls and replies, close or return the steps, and plan on; returns how many replies are new.

    Replies that are not `live` say nothing about how the endpoint is now.
    """
    attempts = _locked({result.task.attempt_id for result in results})
    known = set(
        SolveCall.objects.filter(token__in=[one.token for one in results]).values_list("token", flat=True)
    )
    new = [without_messages(result) for result in results if result.token not in known]
    steps = _fresh(result.task.pk for result in new)
    uses, touched = {}, []
    for result in new:
        step = steps[result.task.pk]
        held = step.state == TaskState.LEASED and step.lease_owner == owner
        if held and step.pk in uses:
            continue  # the same worker asked twice: it slept beyond its lease, and that lease is booked
        if held:
            uses[step.pk] = use = _use(result, step)
            _book(step, attempts[step.attempt_id], use)
            touched.append(step)
        elif isinstance(result, Answer) and step.state == TaskState.LEASED:
            # This answer ends the step while another worker asks the same: that request counts in full.
            _forfeit(step, attempts[step.attempt_id])
            touched.append(step)
    charge(AskStep, SolveRun, owner=owner, uses=uses)
    if live:
        tell_breakers(new)
    failures = [one for one in new if isinstance(one, Failure)]
    give_back(AskStep, owner=owner, failures=failures)
    calls = [call_of(SolveCall, one) for one in failures if one.request is not None]
    closed = []
    for answer in (one for one in new if isinstance(one, Answer)):
        step, call = steps[answer.task.pk], call_of(SolveCall, answer)
        call.model = str(answer.reply.get("model") or "")[:200]
        call.cached_tokens, call.reasoning_tokens = answer.cached_tokens, answer.reasoning_tokens
        calls.append(call)
        if step.state not in OPEN:
            continue  # a late reply: kept, and not what the attempt went on with
        call.adopted = True
        recipe = get_recipe(answer.task.run.solver.recipe)
        document, fault = read(recipe, step.name, answer.text)
        step.reply, step.reply_fault = dict(document), fault
        step.reply_state = Step.ReplyState.UNPARSED if fault else Step.ReplyState.PARSED
        step.seconds = answer.latency_seconds
        _close(step)
        closed.append(step)
    over = {step.pk for step in closed}
    Step.objects.bulk_update(
        [step for step in touched if step.pk not in over], ["tokens_spent", "cost_spent"]
    )
    _write(Step, closed, _CLOSING)
    SolveCall.objects.bulk_create(calls)
    if failures:
        _store(attempts)
        _give_up([one.task.pk for one in failures])
    advance(attempts.values())
    return len(closed)


@transaction.atomic
def settle_tools(*, results: Sequence["Done | Failure"], owner: str) -> int:
    """The same for tools, which cost nothing and make no calls."""
    attempts = _locked({result.task.attempt_id for result in results})
    failures = [one for one in results if isinstance(one, Failure)]
    give_back(ToolStep, owner=owner, failures=failures)
    steps = _fresh(result.task.pk for result in results if not isinstance(result, Failure))
    closed = []
    for result in results:
        if isinstance(result, Failure) or steps[result.task.pk].state not in OPEN:
            continue
        step = steps[result.task.pk]
        step.reply, step.reply_fault, step.seconds = result.document, result.fault[:500], result.seconds
        step.reply_state = Step.ReplyState.UNPARSED if result.fault else Step.ReplyState.PARSED
        _close(step)
        closed.append(step)
        attempt = attempts[step.attempt_id]
        attempt.began_at = attempt.began_at or timezone.now()
    _write(Step, closed, _CLOSING)
    advance(attempts.values())
    return len(closed)


def returned(ids: Sequence[int]) -> None:
    """Book the steps of dead workers with all that they may have used; what then has no room is given up.

    Part of the transaction that returned them.
    """
    attempts = _locked(set(Step.objects.filter(pk__in=ids).values_list("attempt_id", flat=True)))
    steps = _fresh(ids)
    for step in steps.values():
        _forfeit(step, attempts[step.attempt_id])
    Step.objects.bulk_update(steps.values(), ["tokens_spent", "cost_spent"])
    _store(attempts)
    _give_up(ids)
    advance(attempts.values())


def advance(attempts: Iterable[Attempt]) -> None:
    """Queue the next steps of these attempts, which are locked, or end them.

    An attempt with an open step waits for it. One whose recipe has changed is paused. What waits again of one that was
    cancelled is not needed. Everything in the given rows is stored, so that callers need not store them.
    """
    attempts = list(attempts)
    over = [one for one in attempts if one.state == AttemptState.ENDED]
    Step.objects.filter(attempt__in=over, state=TaskState.WAITING).update(state=TaskState.NOT_NEEDED)
    running = {one.pk: one for one in attempts if one.state == AttemptState.RUNNING}
    outdated = [one for one in running.values() if is_outdated(one.run.solver)]
    for attempt in outdated:
        del running[attempt.pk]
        attempt.state, attempt.note = AttemptState.PAUSED, OUTDATED
    Step.objects.filter(attempt__in=outdated, state=TaskState.WAITING).update(state=TaskState.HELD)
    steps_of = Step.objects.filter(attempt__in=running)
    unfinished = set(steps_of.exclude(state__in=CLOSED).order_by().values_list("attempt_id", flat=True))
    ready = [one for one in running.values() if one.pk not in unfinished]
    by_attempt: dict[int, list[Recorded]] = defaultdict(list)
    for row in Step.objects.filter(attempt__in=ready).order_by("pk").values_list(*Recorded._fields):
        by_attempt[row[0]].append(Recorded(*row))
    known = MemoryEntry.objects.filter(attempt__in=ready).values("attempt").annotate(last=Max("number"))
    written = {row["attempt"]: row["last"] for row in known.order_by("attempt")}
    steps, entries = [], []
    for attempt in ready:
        recipe = get_recipe(attempt.run.solver.recipe)
        planned, rows, bound = _planned(attempt, by_attempt[attempt.pk])
        steps += rows
        last = written.get(attempt.pk, 0)
        entries += [entry_row(attempt, entry) for entry in planned.memory if entry.number > last]
        attempt.active_seconds = planned.spent.seconds
        if isinstance(planned, End):
            attempt.state, attempt.ended_at = AttemptState.ENDED, timezone.now()
            attempt.outcome, attempt.ended_because = planned.ended.outcome, planned.ended.because
            attempt.result, attempt.ranking = dict(planned.ended.result), list(planned.ended.ranking)
            attempt.rounds = planned.rounds
        else:
            attempt.rounds = max(step.round for step in planned.steps)
            steps += [row_of(attempt, step, bound(step), recipe) for step in planned.steps]
    MemoryEntry.objects.bulk_create(entries, batch_size=500)
    Step.objects.bulk_create(steps, batch_size=500, ignore_conflicts=True)
    _write(Attempt, attempts, _GOING_ON)
    if steps:
        transaction.on_commit(ring)


def _planned(attempt: Attempt, before: Sequence[Recorded]) -> tuple[End | Frontier, list[Step], Bound]:
    """What comes next, and the rows of steps that were taken at once: tools that only read what the run was given."""
    run = attempt.run
    recipe, given, record = get_recipe(run.solver.recipe), given_of(attempt), record_of(before)
    settings, budget, bound = settings_of(run.solver), budget_of(run), bound_of(recipe, run, before)
    rows: list[Step] = []
    while True:
        planned = plan(recipe, given, settings, budget, record, bound)
        reading = (
            [step for step in planned.steps if isinstance(step, Tool) and step.tool in READING]
            if isinstance(planned, Frontier)
            else []
        )
        if not reading:
            return planned, rows, bound
        for step in reading:
            row = row_of(attempt, step, Planned(), recipe)
            row.reply = read_tool(run, given.instance, step.tool, step.arguments)
            row.state, row.reply_state, row.question = TaskState.DONE, Step.ReplyState.PARSED, {}
            rows.append(row)
            record[step.key] = reply_of(row)


def _locked(ids: Collection[int]) -> dict[int, Attempt]:
    """These attempts. Those of a run share one object of it, and those at a problem one of that."""
    runs = Prefetch("run", SolveRun.objects.select_related(*_OF_RUN))
    rows = Attempt.objects.filter(pk__in=ids).order_by("pk").select_for_update(of=("self",))
    return {attempt.pk: attempt for attempt in rows.prefetch_related("instance", runs)}


def _fresh(ids: Iterable[int]) -> dict[int, Step]:
    rows = Step.objects.filter(pk__in=list(ids)).order_by("pk").select_for_update(of=("self",))
    return {step.pk: step for step in rows.defer("question")}


def _use(result: Answer | Failure, step: Step) -> Use:
    """What a request cost: as the endpoint reported it, else the most it can have been."""
    bound = Use(step.tokens_bound, step.cost_bound)
    if isinstance(result, Failure):
        return bound * result.unanswered
    if result.prompt_tokens is None or result.completion_tokens is None:
        return bound
    sent, received = result.prompt_tokens, result.completion_tokens
    prices = model_of(result.task.run.solver, result.task.name).prices
    # With the places of a column: else what a run, its attempts and their steps have spent would not be the same.
    return Use(sent + received, as_booked(prices.of(sent, received, result.cached_tokens)))


def _book(step: Step, attempt: Attempt, use: Use) -> None:
    step.tokens_spent += use.tokens
    step.cost_spent += use.cost
    attempt.tokens_spent += use.tokens
    attempt.cost_spent += use.cost
    attempt.began_at = attempt.began_at or timezone.now()


def _forfeit(step: Step, attempt: Attempt) -> None:
    """Book a request of which nobody knows what it used."""
    bound = Use(step.tokens_bound, step.cost_bound)
    _book(step, attempt, bound)
    if step.state == TaskState.LEASED:  # else the queue has booked what was reserved
        SolveRun.objects.filter(pk=step.run_id).update(
            tokens_spent=F("tokens_spent") + bound.tokens, cost_spent=F("cost_spent") + bound.cost
        )


def _close(step: Step) -> None:
    step.state, step.lease_owner, step.lease_until = TaskState.DONE, "", None
    step.tokens_reserved, step.cost_reserved = 0, Decimal(0)
    step.last_error, step.question = "", {}


def _write(model: type[models.Model], rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Store these fields of whole rows that are there and locked: an upsert.

    `bulk_update` builds an expression for each value, which took two thirds of a worker's time.
    """
    if rows:
        model._default_manager.bulk_create(
            rows, batch_size=500, update_conflicts=True, update_fields=fields, unique_fields=["id"]
        )


def _store(attempts: dict[int, Attempt]) -> None:
    Attempt.objects.bulk_update(attempts.values(), _AGGREGATES, batch_size=200)


def _give_up(ids: Sequence[int]) -> None:
    """Close those of these waiting steps of which another try could exceed the attempt's cap.

    A plan had room for one try of each step of a frontier; tries that failed and were billed have used some of it.
    """
    waiting = Step.objects.filter(pk__in=ids, state=TaskState.WAITING, tokens_spent__gt=0)
    for step in waiting.select_related("run", "attempt").order_by("pk"):
        budget = budget_of(step.run)
        left = Step.objects.filter(attempt=step.attempt_id, state__in=OPEN).values_list(
            "tokens_bound", "cost_bound"
        )
        tokens = step.attempt.tokens_spent + sum(one for one, _ in left)
        cost = step.attempt.cost_spent + sum((one for _, one in left), Decimal(0))
        if step.run.rule == SolveRun.Rule.PUBLISHED:  # counts what is used, not what may be
            tokens, cost = step.attempt.tokens_spent + 1, step.attempt.cost_spent
        if budget.overdrawn(Planned(tokens, cost)):
            Step.objects.filter(pk=step.pk).update(state=TaskState.FAILED, last_error=NO_ROOM)
