"""Rows as what recipes know: an attempt as Given, its steps as a Record, and a step of a recipe as a row."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from benchmark.protocols import get_protocol
from canonical import canonical_json, sha256_of
from solvers.asking import most
from solvers.budgets import Bound, Budget
from solvers.recipe import Recipe, get_recipe
from solvers.steps import Ask, Given, Reply, Tool, Use
from solvers.steps import Step as Planned
from solving.models import Attempt, MemoryEntry, Solver, SolveRun, Step
from solving.runs.roles import model_of
from work.budget import as_booked
from work.models import TaskState

CLOSED = (TaskState.DONE, TaskState.FAILED)


class Recorded(NamedTuple):
    """What planning needs of a step. It is read again before each question: whole rows would take too long."""

    attempt_id: int
    key: str
    state: str
    reply: dict[str, object]
    reply_state: str
    tokens_spent: int
    cost_spent: Decimal
    seconds: float
    tokens_bound: int
    cost_bound: Decimal


def is_outdated(solver: Solver) -> bool:
    """Whether the recipe's code or prompts are no longer those that the solver was made with."""
    try:
        return get_recipe(solver.recipe).sha256 != solver.recipe_sha256
    except KeyError:
        return True


def given_of(attempt: Attempt) -> Given:
    """What the attempt's recipe is given of the problem."""
    run, instance = attempt.run, attempt.instance
    solving = get_protocol(run.release.benchmark.protocol).solving
    if solving is None:
        raise ValueError(f"no solver works on {run.release.benchmark.protocol}")
    fields = solving.given(instance.payload, run.track, run.condition)
    there = {"has_artifact": run.artifact_id is not None, "has_bank": run.bank_id is not None}
    return Given(instance.key, attempt.number, run.seed, {**fields, **there})


def budget_of(run: SolveRun) -> Budget:
    """What each attempt of the run may use."""
    rule = "hard" if run.rule == SolveRun.Rule.HARD else "published"
    return Budget(run.attempt_tokens, run.attempt_cost, run.attempt_seconds, rule)  # type: ignore[arg-type]


def settings_of(solver: Solver) -> Any:
    """The settings of a solver, read once."""
    return _settings(solver.recipe, canonical_json(solver.settings))


@lru_cache(maxsize=200)
def _settings(recipe: str, settings: bytes) -> Any:
    model = get_recipe(recipe).settings
    return model.model_validate_json(settings)


def record_of(steps: Iterable[Step | Recorded]) -> dict[str, Reply]:
    """What is recorded of an attempt: its steps that are over."""
    return {step.key: reply_of(step) for step in steps if step.state in CLOSED}


def reply_of(step: Step | Recorded) -> Reply:
    """What a step came to."""
    use = Use(step.tokens_spent, step.cost_spent, step.seconds)
    if step.state == TaskState.FAILED:
        return Reply("unavailable", use=use)
    return Reply("parsed" if step.reply_state == "parsed" else "unparsed", step.reply, use)


def bound_of(recipe: Recipe, run: SolveRun, steps: Iterable[Step | Recorded]) -> Bound:
    """The most of a step: as stored, or computed once for one that is not stored yet."""
    known = {step.key: Use(step.tokens_bound, step.cost_bound) for step in steps}

    def bound(step: Planned) -> Use:
        if step.key not in known:
            known[step.key] = most_of(recipe, run.solver, step)
        return known[step.key]

    return bound


def most_of(recipe: Recipe, solver: Solver, step: Planned) -> Use:
    """The most that asking once can use, at the prices of the model that is asked; costs as they are booked."""
    if not isinstance(step, Ask):
        return Use()
    found = most(recipe, step, model_of(solver, step.prompt).prices)
    return replace(found, cost=as_booked(found.cost))


def row_of(attempt: Attempt, planned: Planned, bound: Use, recipe: Recipe) -> Step:
    """A step to queue."""
    row = Step(
        run_id=attempt.run_id,
        attempt=attempt,
        key=planned.key,
        round=planned.round,
        agent=planned.agent,
        phase=planned.phase,
        question=content_of(planned),
        question_sha256=question_sha256(planned, recipe),
        tokens_bound=bound.tokens,
        cost_bound=bound.cost,
    )
    if isinstance(planned, Tool):
        row.kind, row.name = Step.Kind.TOOL, planned.tool
    else:
        row.kind, row.name, row.reads = Step.Kind.ASK, planned.prompt, list(planned.reads)
        row.endpoint = model_of(attempt.run.solver, planned.prompt).endpoint
    return row


def content_of(planned: Planned) -> dict[str, object]:
    """What is kept of a step until it is over."""
    if isinstance(planned, Tool):
        return dict(planned.arguments)
    return {"fields": dict(planned.fields), "rules": planned.rules, "max_tokens": planned.max_tokens}


def question_sha256(planned: Planned, recipe: Recipe) -> str:
    """The hash of all that is sent, but for the nonce; of a tool, of its arguments."""
    if isinstance(planned, Ask):
        return sha256_of([planned.prompt, recipe.prompts[planned.prompt].sha256, content_of(planned)])
    return sha256_of([planned.tool, content_of(planned)])


def entry_row(attempt: Attempt, entry: Any) -> MemoryEntry:
    """An entry of memory to store."""
    return MemoryEntry(
        attempt=attempt,
        number=entry.number,
        section=entry.section,
        round=entry.round,
        agent=entry.agent,
        role=entry.role,
        step=entry.step,
        text=entry.text,
        sha256=hashlib.sha256(entry.text.encode()).hexdigest(),
    )
