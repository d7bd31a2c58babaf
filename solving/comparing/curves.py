"""What runs would have come to with less: attempts are planned again from their replies, and nothing is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from solvers.budgets import Budget
from solvers.planning import plan
from solvers.recipe import get_recipe
from solvers.steps import End
from solving.comparing.outcomes import is_accepted
from solving.models import Attempt, AttemptState, SolveRun
from solving.runs.settlement import LOADED
from solving.runs.stored import bound_of, budget_of, given_of, is_outdated, record_of, settings_of

MOST_ATTEMPTS = 40  # of a run; each is planned again once for each of its frontiers
QUARTERS = (25, 50, 75, 100)


@dataclass(frozen=True)
class Point:
    """What an attempt had come to when it had used so much."""

    tokens: int
    cost: float
    answered: bool
    accepted: bool


@dataclass(frozen=True)
class Curve:
    """The courses of a run's ended attempts; `left_out` are those beyond MOST_ATTEMPTS."""

    run: SolveRun
    courses: tuple[tuple[Point, ...], ...]
    left_out: int
    refusal: str = ""

    def accepted_by(self, x: float, *, by_cost: bool = False) -> int:
        """How many attempts have an answer that their verifiers accept, had each stopped at x."""
        return sum(_at(course, x, by_cost).accepted for course in self.courses)

    def answered_by(self, x: float) -> int:
        return sum(_at(course, x, False).answered for course in self.courses)


NOTHING = Point(0, 0.0, False, False)


def _at(course: Sequence[Point], x: float, by_cost: bool) -> Point:
    fitting = [one for one in course if (one.cost if by_cost else one.tokens) <= x]
    return fitting[-1] if fitting else NOTHING


def curve_of(run: SolveRun) -> Curve:
    """The courses of a run. A run whose recipe has changed since has none."""
    if is_outdated(run.solver):
        return Curve(run, (), 0, "Its recipe has changed since, so it cannot be planned again.")
    ended = run.attempts.filter(state=AttemptState.ENDED).exclude(ended_because=Attempt.Because.CANCELLED)
    rows = ended.select_related(*LOADED).prefetch_related("steps").order_by("instance__key", "number")
    try:
        courses = tuple(tuple(course_of(one)) for one in rows[:MOST_ATTEMPTS])
    except (ValueError, KeyError, TypeError) as error:
        return Curve(run, (), 0, f"Its attempts cannot be planned again: {type(error).__name__}.")
    return Curve(run, courses, max(0, ended.count() - MOST_ATTEMPTS))


def course_of(attempt: Attempt) -> Iterator[Point]:
    """What the attempt would have come to at each moment at which it could have stopped, by what was used then.

    A cap of one token more than the last stop begins exactly the next frontier.
    """
    run = attempt.run
    recipe, given, settings = get_recipe(run.solver.recipe), given_of(attempt), settings_of(run.solver)
    steps = sorted(attempt.steps.all(), key=lambda one: one.pk)
    record, bound = record_of(steps), bound_of(recipe, run, steps)
    verifiers, cap = run.solver.settings.get("verifiers", 0), 1
    while True:
        end = plan(recipe, given, settings, Budget(tokens=cap, rule="published"), record, bound)
        if not isinstance(end, End):
            # The run's own cap ended it here.
            end = plan(recipe, given, settings, budget_of(run), record, bound)
            if not isinstance(end, End):
                return
            yield _point(end, verifiers)
            return
        yield _point(end, verifiers)
        if end.ended.because != "tokens" or end.spent.tokens < cap:
            return
        cap = end.spent.tokens + 1


def _point(end: End, verifiers: object) -> Point:
    ended = end.ended
    accepted = is_accepted(verifiers, ended.ranking, ended.outcome)
    return Point(end.spent.tokens, float(end.spent.cost), ended.outcome == "answered", accepted)


# --- the picture ----------------------------------------------------------------------------------------------------

LEFT, RIGHT, TOP, BOTTOM = 60.0, 690.0, 16.0, 230.0
TICKS = 4


@dataclass(frozen=True)
class Drawn:
    """A run's line through a chart, as points of SVG, with its words."""

    name: str
    points: str
    shade: int
    legend_y: float


@dataclass(frozen=True)
class Tick:
    at: str
    words: str


@dataclass(frozen=True)
class Chart:
    """Share of attempts with an accepted answer against what each used."""

    title: str
    across: str
    lines: tuple[Drawn, ...]
    ticks: tuple[Tick, ...]
    shares: tuple[Tick, ...]
    height: float
    words: str


def chart_of(curves: Sequence[Curve], names: Sequence[str], *, by_cost: bool) -> Chart | None:
    """None where nothing was used, as where tokens have no price."""
    used = [
        one.cost if by_cost else one.tokens for curve in curves for course in curve.courses for one in course
    ]
    end = float(max(used, default=0))
    if end <= 0:
        return None

    def x(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * value / end

    def y(share: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * share

    lines: list[Drawn] = []
    said: list[str] = []
    for number, (curve, name) in enumerate(zip(curves, names, strict=True)):
        if not curve.courses:
            continue
        stops = sorted({one.cost if by_cost else one.tokens for course in curve.courses for one in course})
        places, share = [(x(0), y(0))], 0.0
        for stop in stops:
            places.append((x(stop), y(share)))
            share = curve.accepted_by(stop, by_cost=by_cost) / len(curve.courses)
            places.append((x(stop), y(share)))
        places.append((x(end), y(share)))
        points = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
        lines.append(Drawn(name, points, number % 4, BOTTOM + 52 + 20 * len(lines)))
        said.append(f"{name}: {curve.accepted_by(end, by_cost=by_cost)} of {len(curve.courses)} at the end")
    of = "money" if by_cost else "tokens"
    ticks = tuple(
        Tick(f"{x(at):.1f}", f"{at:.3g}" if by_cost else f"{round(at):,}")
        for at in (end * n / TICKS for n in range(TICKS + 1))
    )
    shares = tuple(Tick(f"{y(n / 4):.1f}", f"{25 * n} %") for n in range(5))
    return Chart(
        f"Accepted answers against {of}", f"{of} of an attempt", tuple(lines), ticks, shares,
        BOTTOM + 50 + 20 * max(1, len(lines)), f"Share of attempts with an accepted answer. {'; '.join(said)}.",
    )  # fmt: skip
