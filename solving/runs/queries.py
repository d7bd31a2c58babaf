"""Reading runs: how far they are, their transcripts, what an order would take, and what two runs differ in."""

import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet, Sum

from benchmark.models import Instance
from benchmark.releases.years import Years, years_of
from solvers.asking import rendered
from solvers.budgets import Budget
from solvers.planning import plan
from solvers.recipe import get_recipe
from solvers.steps import Ask, End, Frontier, Given
from solvers.steps import Step as Planned
from solving.models import Attempt, AttemptState, SolveCall, Solver, SolveRun, Step
from solving.runs.stored import bound_of, budget_of, given_of, is_outdated, most_of, record_of, settings_of
from solving.tools.reading import year_bounds
from work.models import TaskState


@dataclass(frozen=True)
class RunProgress:
    """How far a run is. `unused` is the share of their caps that ended attempts did not use, None without a cap.

    Of attempts at which the cited source is handed over, `without_output` are those whose source could not be read, and
    `without_blocks` those whose source had no statement to cut out, so that its beginning was shown.
    """

    attempts: int
    ended: int
    paused: int
    answered: int
    abstained: int
    failed: int
    because: Mapping[str, int]
    steps: int
    steps_waiting: int
    steps_in_flight: int
    calls: int
    tokens: int
    cost: str
    unused: float | None
    without_output: int
    without_blocks: int


@dataclass(frozen=True)
class TranscriptStep:
    """A step as people read it: what was sent, what came back, and each call that was made for it."""

    step: Step
    prompt: str
    rules: str
    fields: Mapping[str, str]
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """Something in which two runs differ, with the value of each."""

    name: str
    first: str
    second: str


def runs() -> QuerySet[SolveRun]:
    """All runs, the newest first, with what their lists show."""
    loaded = SolveRun.objects.select_related(
        "solver", "release", "artifact", "bank", "blocked", "published__tupled"
    )
    counted = loaded.annotate(
        n_attempts=Count("attempts"),
        n_ended=Count("attempts", filter=Q(attempts__state=AttemptState.ENDED)),
        n_answered=Count("attempts", filter=Q(attempts__outcome="answered")),
        n_failed=Count("attempts", filter=Q(attempts__outcome="failed")),
    )
    return counted.order_by("-pk")


def progress_of(run: SolveRun) -> RunProgress:
    """Counts of a run: three statements."""
    by = {outcome: Count("pk", filter=Q(outcome=outcome)) for outcome in Attempt.Outcome.values}
    # A cancelled attempt did not leave its cap unused.
    of_their_own = Q(state=AttemptState.ENDED) & ~Q(ended_because=Attempt.Because.CANCELLED)
    counts = run.attempts.aggregate(
        attempts=Count("pk"),
        ended=Count("pk", filter=Q(state=AttemptState.ENDED)),
        paused=Count("pk", filter=Q(state=AttemptState.PAUSED)),
        used=Sum("tokens_spent", filter=of_their_own),
        measured=Count("pk", filter=of_their_own),
        without_output=Count("pk", filter=Q(result__no_output=True)),
        without_blocks=Count("pk", filter=Q(result__source_shown="beginning")),
        **by,
    )
    used = counts.pop("used") or 0
    steps = run.steps.aggregate(
        steps=Count("pk"),
        steps_waiting=Count("pk", filter=Q(state__in=[TaskState.WAITING, TaskState.HELD])),
        steps_in_flight=Count("pk", filter=Q(state=TaskState.LEASED)),
        tokens=Sum("tokens_spent"),
        cost=Sum("cost_spent"),
    )
    ended = run.attempts.exclude(ended_because="").values_list("ended_because")
    because = dict(ended.annotate(times=Count("pk")).order_by("ended_because"))
    allowed = (run.attempt_tokens or 0) * counts.pop("measured")
    return RunProgress(
        **counts,
        **{**steps, "tokens": steps["tokens"] or 0, "cost": f"{(steps['cost'] or Decimal(0)).normalize():f}"},
        because=because,
        calls=SolveCall.objects.filter(task__run=run).count(),
        unused=max(0.0, 1 - used / allowed) if allowed else None,
    )


def years_in(run: SolveRun) -> Years | None:
    """The upper years of the run's problems in its artifact; None for a run without one."""
    attempted = Instance.objects.filter(pk__in=run.attempts.order_by().values("instance"))
    return years_bounded(run, attempted)


def years_bounded(run: SolveRun, instances: QuerySet[Instance]) -> Years | None:
    """The upper years of these problems in the run's artifact; None for a run without one."""
    bounds = year_bounds(run)
    return None if bounds is None else years_of(instances, bounds)


def attempts_of(run: SolveRun) -> QuerySet[Attempt]:
    """The attempts of a run in the order of instances."""
    return run.attempts.select_related("instance").order_by("instance__key", "number")


def planned_again(attempt: Attempt) -> tuple[Frontier | End, dict[str, Planned]]:
    """Where the attempt is by its stored replies alone, and all steps as they were asked for."""
    recipe = get_recipe(attempt.run.solver.recipe)
    steps = list(attempt.steps.order_by("pk"))
    asked: dict[str, Planned] = {}
    planned = plan(
        recipe,
        given_of(attempt),
        settings_of(attempt.run.solver),
        budget_of(attempt.run),
        record_of(steps),
        bound_of(recipe, attempt.run, steps),
        asked,
    )
    return planned, asked


def transcript(attempt: Attempt) -> list[TranscriptStep]:
    """All steps of an attempt in order. What was sent is made again from the replies before it, by the same recipe."""
    asked = {} if is_outdated(attempt.run.solver) else planned_again(attempt)[1]
    calls = Prefetch("calls", SolveCall.objects.order_by("pk"))
    found = []
    for step in attempt.steps.prefetch_related(calls).order_by("pk"):
        planned = asked.get(step.key)
        if isinstance(planned, Ask):
            found.append(TranscriptStep(step, planned.prompt, planned.rules, planned.fields, {}))
        else:
            found.append(TranscriptStep(step, "", "", {}, planned.arguments if planned else {}))
    return found


def differences(first: SolveRun, second: SolveRun) -> list[Difference]:
    """What makes two runs incomparable: everything that is not the solver must be equal."""
    found = []
    for name, title in COMPARED.items():
        values = [
            str(getattr(run, name)) if getattr(run, name) is not None else "none" for run in (first, second)
        ]
        if values[0] != values[1]:
            found.append(Difference(title, *values))
    problems = [set(run.attempts.order_by().values_list("instance", flat=True)) for run in (first, second)]
    if first.release_id == second.release_id and problems[0] != problems[1]:
        only = [problems[0] - problems[1], problems[1] - problems[0]]
        values = [
            f"{len(all_of_it)}, of these {len(own)} in this run only"
            for all_of_it, own in zip(problems, only, strict=True)
        ]
        found.append(Difference("problems", *values))
    tools = [str(run.solver.settings.get("tool_steps", "none")) for run in (first, second)]
    if tools[0] != tools[1]:
        found.append(Difference("uses of tools", *tools))
    return found


COMPARED = {
    "release": "release", "split": "selection", "track": "track", "condition": "condition",
    "artifact_id": "frozen tuple", "blocked_id": "block list", "bank_id": "knowledge bank",
    "attempts_each": "attempts", "attempt_tokens": "tokens of an attempt", "attempt_cost": "cost of an attempt",
    "attempt_seconds": "seconds of an attempt", "rule": "rule of the cap",
}  # fmt: skip


def first_questions(solver: Solver, given: Given) -> list[list[dict[str, str]]]:
    """The messages of the first questions of an attempt, for a look before a run begins."""
    recipe = get_recipe(solver.recipe)
    planned = plan(
        recipe, given, settings_of(solver), Budget(), {}, lambda step: most_of(recipe, solver, step)
    )
    steps = planned.steps if isinstance(planned, Frontier) else ()
    return [rendered(recipe, one, secrets.token_hex(16)).messages for one in steps if isinstance(one, Ask)]


def changed_models(run: SolveRun) -> dict[str, list[str]]:
    """The models that replies of one role say they are from, of each role with several: one was asked for."""
    if is_outdated(run.solver):  # its prompts may be those of other roles now
        return {}
    recipe = get_recipe(run.solver.recipe)
    said = SolveCall.objects.filter(task__run=run, adopted=True).exclude(model="")
    found: dict[str, set[str]] = defaultdict(set)
    for prompt, model in said.order_by().values_list("task__name", "model").distinct():
        found[recipe.role_of(prompt)].add(model)
    return {role: sorted(models) for role, models in sorted(found.items()) if len(models) > 1}
