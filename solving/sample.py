"""The demo's runs: one that the scripted model has finished, and one that the workers go on with."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from accounts.models import User
from accounts.refusal import Refused
from benchmark.models import Release
from llm.scripted import serving
from solvers.recipe import get_recipe
from solvers.scripted import reply
from solving.models import Attempt, AttemptState, Solver, SolveRun
from solving.runs.actions import Order, System, begin, make_solver, reconcile_solving
from work.endpoints import declared_endpoints
from work.models import RunState
from work.worker import drain

ENDPOINT = "scripted"
FINISHED = ("sample-proof-03", "sample-proof-05")
BEGUN = ("sample-proof-02", "sample-proof-03", "sample-proof-04", "sample-proof-05")
_PRICES = Decimal("3"), Decimal("15")  # made up, so that money has something to show
_ROUNDS = 40  # shifts after which a run that has not ended is an error

Say = Callable[[str], None]


def load_runs(*, say: Say) -> list[SolveRun]:
    """Runs of RMA on the sample's proofs; nothing without the demo's endpoint, or where there are runs already.

    The finished ones (several proposers, and one proof alone) are answered here, by the same rules as the demo's model,
    at that model's address, where nothing listens yet while the demo is prepared.
    """
    endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS).get(ENDPOINT)
    problems = Release.objects.filter(name="sample-proofs").select_related("benchmark").first()
    if endpoint is None or problems is None or SolveRun.objects.filter(release=problems).exists():
        return []
    owner = User.objects.filter(roles__name="owner").order_by("pk").first()
    port = urlsplit(endpoint.base_url).port
    if port is None:
        raise Refused(f"The endpoint {ENDPOINT} has no port on this machine.", code="no_port")
    order = Order(problems, attempt_tokens=200_000, rule="published")
    several = _solver(owner, "sample-rma", "rma", {"rounds": 3, "early_stop": False})
    alone = _solver(owner, "sample-single", "single", {})
    made = []
    with serving(reply, port=port):
        for solver in (several, alone):
            run = begin(actor=owner, solver=solver, order=replace(order, keys=FINISHED))
            for _ in range(_ROUNDS):
                drain()
                reconcile_solving()
                run.refresh_from_db()
                if run.state != RunState.RUNNING:
                    break
            else:
                left = Attempt.objects.filter(run=run).exclude(state=AttemptState.ENDED).count()
                raise Refused(f"{left} attempts of the sample run did not end.", code="not_ended")
            made.append(run)
    slow = _solver(owner, "sample-rma", "rma", {"rounds": 7, "early_stop": False})
    made.append(begin(actor=owner, solver=slow, order=replace(order, keys=BEGUN, attempts=2)))
    say(f"{len(made)} runs of solvers, one of which goes on")
    return made


def _solver(owner: User | None, slug: str, recipe: str, given: Mapping[str, Any]) -> Solver:
    known = set(get_recipe(recipe).settings.model_fields)
    short = {"draft_tokens": 4_000, "review_tokens": 2_000, "module_tokens": 2_000}
    system = System(
        slug=slug,
        recipe=recipe,
        endpoint=ENDPOINT,
        model="scripted",
        settings={**{name: value for name, value in short.items() if name in known}, **given},
        family="scripted",
        prompt_price=_PRICES[0],
        completion_price=_PRICES[1],
    )
    return make_solver(actor=owner, system=system)
