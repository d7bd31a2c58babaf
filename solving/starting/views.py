"""The page of a new run: an estimate, the first questions to read, and the beginning."""

from contextlib import suppress
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import require_role
from accounts.models import RoleName
from accounts.site.pages import SignedInRequest, refusals_in
from benchmark.models import Instance
from benchmark.protocols import get_protocol
from solvers.asking import Prices
from solvers.budgets import Budget
from solvers.recipe import get_recipe
from solvers.steps import Given
from solving.models import Solver
from solving.runs.actions import Order, begin, check_protocol, checked_budget, chosen_instances
from solving.runs.queries import first_questions
from solving.runs.stored import settings_of
from solving.starting.estimating import MOST_QUESTIONS, RunEstimate, TooMany, estimate
from solving.starting.forms import RunForm
from work.endpoints import no_endpoint_reason

TYPICAL_OF = 50  # problems, of which the one of middle length stands for all
owner_only = require_role(RoleName.OWNER)


@owner_only
@require_http_methods(["GET", "POST"])
def new_run(request: SignedInRequest) -> HttpResponse:
    """POST with step=estimate, step=questions, or step=begin."""
    form = RunForm(request.POST or None, initial=request.GET.dict())
    context: dict[str, Any] = {"form": form, "no_endpoint": no_endpoint_reason()}
    if form.is_valid():
        step = request.POST.get("step", "estimate")
        solver, order = form.cleaned_data["solver"], form.order()
        with refusals_in(form):
            if step == "begin":
                made = begin(actor=request.user, solver=solver, order=order)
                return redirect("solve-run", made.pk)
            given, attempts = _typical(solver, order)
            context |= _estimated(solver, order, given, attempts, form.cleaned_data["draft"])
            if step == "questions":
                context["questions"] = first_questions(solver, given)
                context["asked_about"] = given.instance
    status = 400 if form.errors else 200
    return render(request, "solving/starting/new.html", context, status=status)


def _typical(solver: Solver, order: Order) -> tuple[Given, int]:
    """The problem of middle length, as an attempt is given it, and the number of attempts. Raises Refused."""
    check_protocol(solver, order)
    chosen = chosen_instances(order)
    solving = get_protocol(order.release.benchmark.protocol).solving
    assert solving is not None  # check_protocol has refused it
    there = {"has_artifact": order.artifact is not None, "has_bank": order.bank is not None}
    rows = Instance.objects.filter(pk__in=[one.pk for one in chosen[:TYPICAL_OF]])
    givens = [
        Given(one.key, 1, order.seed, {**solving.given(one.payload, order.track, order.condition), **there})
        for one in rows
    ]
    givens.sort(key=lambda one: (sum(len(str(text)) for text in one.fields.values()), one.instance))
    return givens[len(givens) // 2], len(chosen) * order.attempts


def _estimated(solver: Solver, order: Order, given: Given, attempts: int, draft: int) -> dict[str, Any]:
    max_tokens, max_cost = checked_budget(solver, order, attempts)
    rule: Any = order.rule
    budget = Budget(order.attempt_tokens, order.attempt_cost, order.attempt_seconds, rule)
    prices = Prices(solver.prompt_price, solver.completion_price)
    found: RunEstimate | None = None
    with suppress(TooMany):
        found = estimate(
            get_recipe(solver.recipe),
            settings_of(solver),
            given,
            budget,
            prices,
            attempts=attempts,
            draft=draft,
            max_tokens=max_tokens,
            max_cost=max_cost,
        )
    return {
        "estimate": found,
        "too_many": MOST_QUESTIONS if found is None else 0,
        "order": order,
        "solver": solver,
    }
