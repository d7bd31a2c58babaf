"""Random schedules of a run: workers claim, answer, fail, die and come back late, and no cap is ever exceeded."""

import datetime as dt
import random
from dataclasses import dataclass

from django.db.models import Sum
from django.utils import timezone

from benchmark.models import Release
from solving.models import Attempt, Solver, SolveRun, Step
from solving.runs.actions import Order, begin, reconcile_solving
from solving.runs.kinds import ASKS, question_of
from solving.runs.settlement import settle_asks
from tests.solving.world import World, answer
from work.asking import Answer
from work.claims import claim
from work.kinds import Failure
from work.models import RunState, TaskState

WORLD = World()
NO_TIME = dt.timedelta()


@dataclass(frozen=True)
class Outcome:
    """What a schedule came to: how far spending exceeded a cap at any moment (0 if never), and the run's state."""

    over_attempt: int
    over_run: int
    events: int
    state: str
    ended: int


def schedule(seed: int, release: Release, solver: Solver, rule: str = "hard", moves: int = 60) -> Outcome:
    """One schedule. Caps are drawn too, so that many are tight."""
    rng = random.Random(seed)
    cap = rng.choice([4_000, 8_000, 15_000, 30_000, 100_000])
    whole = rng.choice([cap, 2 * cap, 3 * cap])
    order = Order(release, attempts=2, attempt_tokens=cap, max_tokens=whole, seed=seed, rule=rule)
    run = begin(actor=None, solver=solver, order=order)
    over_attempt = over_run = events = 0
    held: list[tuple[str, Step]] = []
    lost: list[tuple[str, Step]] = []
    stored: list[tuple[str, Answer | Failure]] = []
    for _ in range(moves):
        move = rng.random()
        if move < 0.35:
            owner = rng.choice(["w1", "w2", "w3"])
            held += [(owner, step) for step in claim(ASKS, owner=owner, limit=rng.randint(1, 4))]
        elif move < 0.75 and held:
            owner, step = held.pop(rng.randrange(len(held)))
            result = _result(rng, seed, step)
            settle_asks(results=[result], owner=owner)
            stored.append((owner, result))
        elif move < 0.85 and held:
            # A worker dies or hangs: its leases run out, and it may be heard of later.
            owner = rng.choice(held)[0]
            lost += [(name, step) for name, step in held if name == owner]
            held = [(name, step) for name, step in held if name != owner]
            past = timezone.now() - dt.timedelta(hours=1)
            Step.objects.filter(run=run, lease_owner=owner).update(lease_until=past)
            reconcile_solving()
        elif move < 0.95 and lost:
            owner, step = lost.pop(rng.randrange(len(lost)))
            settle_asks(results=[_result(rng, seed, step)], owner=owner)
        elif stored:
            owner, result = rng.choice(stored)
            settle_asks(results=[result], owner=owner)  # stored once more: nothing new
        Step.objects.filter(run=run, state=TaskState.WAITING).update(available_at=timezone.now())
        events += 1
        run.refresh_from_db()
        reserved = run.steps.aggregate(of=Sum("tokens_reserved"))["of"] or 0
        over_run = max(over_run, run.tokens_spent + reserved - whole)
        most = run.attempts.order_by("-tokens_spent").values_list("tokens_spent", flat=True).first() or 0
        over_attempt = max(over_attempt, most - cap)
        if run.state != RunState.RUNNING:
            break
    ended = Attempt.objects.filter(run=run, state="ended").count()
    SolveRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(state=RunState.PAUSED)
    return Outcome(max(over_attempt, 0), max(over_run, 0), events, run.state, ended)


def _result(rng: random.Random, seed: int, step: Step) -> Answer | Failure:
    """A reply with its use, without any, or a failure that may be billed or not."""
    drawn = rng.random()
    if drawn < 0.15:
        return Failure(step, "no complete reply", False, NO_TIME, request={"model": "m"}, unanswered=1)
    if drawn < 0.25:
        return Failure(step, "status 503", False, NO_TIME, request={"model": "m"}, unanswered=0)
    if drawn < 0.28:
        return Failure(step, "status 400", True, NO_TIME, request={"model": "m"}, unanswered=0)
    question = question_of(step, "0" * 32)
    text = answer(WORLD, seed, {"messages": question.messages}, question.key)
    sent = rng.randint(1, max(1, step.tokens_bound - 600))
    told = rng.random() < 0.85
    return Answer(
        task=step,
        text=text if rng.random() < 0.9 else "I would rather not.",
        finish_reason="stop",
        request={"model": "m", "messages": question.messages},
        reply={},
        latency_seconds=1.0,
        prompt_tokens=sent if told else None,
        completion_tokens=rng.randint(1, 400) if told else None,
        unanswered=0,
    )
