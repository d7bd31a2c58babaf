"""What runs came to, problem by problem, and what they took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, Q, Sum

from solving.attempts.ranking import read_ranking
from solving.models import Attempt, AttemptState, SolveCall, Solver, SolveRun, Step
from stats.scores.paired import sign_flip
from work.models import TaskState

SEED = 1  # of the signs that are drawn where there are too many to enumerate


@dataclass(frozen=True)
class Result:
    """What an attempt came to. `accepted`: all its own verifiers call the answer sound, and nothing is violated.

    `cancelled`: it was stopped with its run, so what it would have come to is not known, and pairs leave it out.
    """

    attempt: int
    number: int
    outcome: str
    accepted: bool
    tokens: int
    cancelled: bool = False

    @property
    def words(self) -> str:
        if self.cancelled:
            return "cancelled"
        if self.outcome == "answered":
            return "accepted" if self.accepted else "answered"
        return self.outcome or "running"

    @property
    def has_ended(self) -> bool:
        """Whether it came to an end of its own."""
        return bool(self.outcome) and not self.cancelled


@dataclass(frozen=True)
class ProblemRow:
    """A problem with the results of each run."""

    instance: int
    key: str
    results: tuple[tuple[Result, ...], ...]


@dataclass(frozen=True)
class Paired:
    """Attempts that two runs have both ended, none of them cancelled, by whether each succeeded; `p` is two-sided."""

    measure: str
    both: int
    first: int
    second: int
    neither: int
    p: float
    problems: int

    @property
    def pairs(self) -> int:
        return self.both + self.first + self.second + self.neither


@dataclass(frozen=True)
class Taken:
    """What a run took."""

    attempts: int
    ended: int
    accepted: int
    answered: int
    tokens: int
    cost: Decimal
    unused: float | None
    rounds: float | None
    calls: int
    failed_calls: int
    unreadable: int
    repairs: int
    without_reply: int


def is_accepted(verifiers: Any, ranking: Sequence[Mapping[str, Any]], outcome: str) -> bool:
    """Whether an answer satisfied all verifiers of its own run; never where there were none."""
    order = read_ranking(ranking[:1])
    if outcome != "answered" or not order or not isinstance(verifiers, int) or verifiers < 1:
        return False
    best = order[0]
    return best.sound == verifiers and not best.violated and not best.faults


def results_of(run: SolveRun) -> dict[tuple[int, str], list[Result]]:
    """Results by instance, in the order of attempts."""
    verifiers = run.solver.settings.get("verifiers", 0)
    rows = run.attempts.order_by("instance__key", "number").values_list(
        "instance", "instance__key", "pk", "number", "outcome", "ranking", "tokens_spent", "ended_because"
    )
    found: dict[tuple[int, str], list[Result]] = {}
    for instance, key, pk, number, outcome, ranking, tokens, because in rows:
        accepted = is_accepted(verifiers, ranking, outcome)
        cancelled = because == Attempt.Because.CANCELLED
        one = Result(pk, number, outcome, accepted, tokens, cancelled)
        found.setdefault((instance, key), []).append(one)
    return found


def rows_of(results: Sequence[Mapping[tuple[int, str], Sequence[Result]]]) -> list[ProblemRow]:
    """The problems that any of the runs attempted, by key."""
    problems = sorted(
        {problem for one in results for problem in one}, key=lambda problem: (problem[1], problem[0])
    )
    return [
        ProblemRow(instance, key, tuple(tuple(one.get((instance, key), ())) for one in results))
        for instance, key in problems
    ]


def paired(rows: Sequence[ProblemRow], first: int, second: int, measure: str) -> Paired:
    """Two runs attempt by attempt. The test flips the signs of problems' differences: with one attempt at each problem
    it is McNemar's exact test."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    differences: list[int] = []
    single = True
    for row in rows:
        ended = {one.number: one for one in row.results[second] if one.has_ended}
        pairs = [
            (one, ended[one.number]) for one in row.results[first] if one.has_ended and one.number in ended
        ]
        if not pairs:
            continue
        single = single and len(pairs) == 1
        total = 0
        for left, right in pairs:
            each = _succeeds(left, measure), _succeeds(right, measure)
            counts[each] += 1
            total += each[0] - each[1]
        differences.append(total)
    p = sign_flip(differences, seed=SEED, single=single).p if differences else 1.0
    return Paired(
        measure, counts[True, True], counts[True, False], counts[False, True], counts[False, False], p,
        len(differences),
    )  # fmt: skip


def _succeeds(result: Result, measure: str) -> bool:
    return result.accepted if measure == "accepted" else result.outcome == "answered"


def taken_by(run: SolveRun, results: Mapping[tuple[int, str], Sequence[Result]]) -> Taken:
    """What a run took: three statements. Attempts that were cancelled have not ended."""
    every = [one for some in results.values() for one in some]
    of_their_own = run.attempts.filter(state=AttemptState.ENDED).exclude(
        ended_because=Attempt.Because.CANCELLED
    )
    ended = of_their_own.aggregate(used=Sum("tokens_spent"), rounds=Avg("rounds"), times=Count("pk"))
    steps = run.steps.aggregate(
        tokens=Sum("tokens_spent"),
        cost=Sum("cost_spent"),
        unreadable=Count("pk", filter=Q(reply_state=Step.ReplyState.UNPARSED)),
        repairs=Count("pk", filter=Q(phase="repair")),
        without_reply=Count("pk", filter=Q(state=TaskState.FAILED)),
    )
    calls = SolveCall.objects.filter(task__run=run).aggregate(
        calls=Count("pk"), failed_calls=Count("pk", filter=~Q(error=""))
    )
    allowed = (run.attempt_tokens or 0) * ended["times"]
    return Taken(
        attempts=len(every),
        ended=ended["times"],
        accepted=sum(one.accepted for one in every),
        answered=sum(one.outcome == Attempt.Outcome.ANSWERED for one in every),
        tokens=steps["tokens"] or 0,
        cost=steps["cost"] or Decimal(0),
        unused=max(0.0, 1 - (ended["used"] or 0) / allowed) if allowed else None,
        rounds=ended["rounds"],
        unreadable=steps["unreadable"],
        repairs=steps["repairs"],
        without_reply=steps["without_reply"],
        **calls,
    )


def settings_that_differ(solvers: Sequence[Solver]) -> list[tuple[str, list[str]]]:
    """(setting, its value with each solver) of everything in which they differ."""

    def of(solver: Solver) -> dict[str, str]:
        own = {
            "recipe": solver.recipe, "model": solver.model, "endpoint": solver.endpoint,
            "price of tokens sent": f"{solver.prompt_price.normalize():f}",
            "price of tokens received": f"{solver.completion_price.normalize():f}",
        }  # fmt: skip
        if solver.cached_price is not None:
            own["price of tokens from a cache"] = f"{solver.cached_price.normalize():f}"
        own |= {
            f"{role}: {name}": str(value)
            for role, model in solver.roles.items()
            for name, value in model.items()
        }
        own |= {f"decoding: {name}": str(value) for name, value in solver.decoding.items()}
        for name, value in solver.settings.items():
            if isinstance(value, bool):
                own[name] = "on" if value else "off"
            else:
                own[name] = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return own

    every = [of(one) for one in solvers]
    names = list(dict.fromkeys(name for one in every for name in one))
    found = [(name, [one.get(name, "none") for one in every]) for name in names]
    return [(name, values) for name, values in found if len(set(values)) > 1]
