"""The speed of a run, its estimated end, and the state of its endpoint."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Avg, Count, Q
from django.utils import timezone

from judging.asking.subjects import of_run
from judging.models import Call, JudgeRun, Verdict, VerdictState
from llm import fewest_more
from stats.raters.votes import VoteSpread, vote_spread, votes_needed
from work.breaker import BreakerState, breaker_state
from work.models import EndpointState, RunState

_MIRRORED = {"first": "second", "second": "first"}
WINDOW = dt.timedelta(minutes=2)  # rates are those of the recent past


@dataclass(frozen=True)
class Pace:
    """Calls and answers per minute, mean seconds of a call, over WINDOW or since the run began if that is less;
    `ends_at` is when the rest will be answered at this rate, None while nothing is being answered."""

    calls_per_minute: float
    answers_per_minute: float
    seconds_per_call: float | None
    ends_at: dt.datetime | None


@dataclass(frozen=True)
class EndpointHealth:
    """The circuit breaker of an endpoint, for people."""

    name: str
    state: BreakerState
    failures: int
    open_until: dt.datetime | None
    last_error: str


def run_pace(run: JudgeRun, n_open: int) -> Pace:
    """The run's recent rates and its estimated end."""
    now = timezone.now()
    since = max(now - WINDOW, run.created_at)
    minutes = max((now - since).total_seconds(), 1.0) / 60
    recent = Call.objects.filter(task__run=run, created_at__gte=since).aggregate(
        calls=Count("id"), answers=Count("id", filter=Q(error="")), seconds=Avg("latency_seconds")
    )
    answers = recent["answers"] / minutes
    moving = run.state == RunState.RUNNING and answers > 0 and n_open > 0
    ends_at = now + dt.timedelta(minutes=n_open / answers) if moving else None
    return Pace(recent["calls"] / minutes, answers, recent["seconds"], ends_at)


def endpoint_health(name: str) -> EndpointHealth | None:
    """The state of the endpoint called `name`; None for a judge without one."""
    if not name:
        return None
    known = EndpointState.objects.filter(name=name).first()
    state = breaker_state(known, timezone.now())
    if known is None:
        return EndpointHealth(name, state, 0, None, "")
    return EndpointHealth(name, state, known.failures, known.open_until, known.last_error)


@dataclass(frozen=True)
class Steadiness:
    """How far the votes on one predicate agree (STATISTICS.md 3 v), and the votes worth asking for."""

    predicate: str
    spread: VoteSpread
    needed: int | None


def steadiness(run: JudgeRun) -> list[Steadiness]:
    """By predicate, from subjects with all of the votes that every question gets; [] with fewer than two.

    With early stop only the first votes are asked of every question. The others depend on what those said and
    would bias the figure, so they are left out.
    """
    judge = run.judge
    votes = fewest_more([], planned=judge.votes) if judge.early_stop else judge.votes
    if votes < 2:
        return []
    counted = (
        Verdict.objects.filter(
            of_run(run),
            judge=judge,
            predicate__in=run.predicates,
            vote__lte=votes,
            state=VerdictState.ANSWERED,
        )
        .values("predicate", "output_id", "instance_id")
        .annotate(n=Count("id"), positive=Count("id", filter=Q(value="yes")))
        .filter(n=votes)
        .values_list("predicate", "positive")
    )
    positives: dict[str, list[int]] = defaultdict(list)
    for predicate, positive in counted:
        positives[predicate].append(positive)
    spreads = {predicate: vote_spread(found, votes) for predicate, found in sorted(positives.items())}
    return [
        Steadiness(predicate, spread, votes_needed(spread)) for predicate, spread in spreads.items() if spread
    ]


@dataclass(frozen=True)
class Flips:
    """Comparisons of one predicate that were answered in both orders, and those whose answer depends on it.

    A flip counts as a tie.
    """

    predicate: str
    pairs: int
    flipped: int

    @property
    def share(self) -> float:
        return self.flipped / self.pairs


def flips(run: JudgeRun) -> list[Flips]:
    """By predicate that compares, counted by pair and vote."""
    said: dict[tuple[str, int, int | None, int], dict[int, str]] = defaultdict(dict)
    rows = Verdict.objects.filter(
        of_run(run),
        judge=run.judge,
        predicate__in=run.predicates,
        second__isnull=False,
        state=VerdictState.ANSWERED,
    ).values_list("predicate", "output_id", "second_id", "vote", "order", "value")
    for predicate, output, second, vote, order, value in rows:
        said[predicate, output, second, vote][order] = value
    counted: dict[str, list[bool]] = defaultdict(list)
    for (predicate, *_), shown in said.items():
        if len(shown) == 2:
            counted[predicate].append(_MIRRORED.get(shown[1], shown[1]) != shown[2])
    return [Flips(predicate, len(found), sum(found)) for predicate, found in sorted(counted.items())]
