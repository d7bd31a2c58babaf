"""What an order would take, computed on a problem of the usual length."""

from typing import Any

from benchmark.models import Instance
from benchmark.protocols import get_protocol
from benchmark.releases.years import Years
from solvers.budgets import Budget
from solvers.recipe import get_recipe
from solvers.steps import Given
from solving.models import Solver, SolveRun
from solving.runs.actions import Order, check_protocol, checked_budget, chosen_instances
from solving.runs.queries import years_bounded
from solving.runs.roles import model_of
from solving.runs.stored import settings_of
from solving.starting.estimating import RunEstimate, estimate

TYPICAL_OF = 50  # problems, of which the one of middle length stands for all


def typical(solver: Solver, order: Order) -> tuple[Given, int]:
    """The problem of median length, as an attempt is given it, and the number of attempts. Raises Refused."""
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


def years_ahead(order: Order) -> Years | None:
    """The upper years of the problems in the artifact that may be searched. Raises Refused."""
    chosen = Instance.objects.filter(pk__in=[one.pk for one in chosen_instances(order)])
    return years_bounded(SolveRun(artifact=order.artifact), chosen)


def estimated(solver: Solver, order: Order, given: Given, attempts: int, *, draft: int) -> RunEstimate:
    """What so many attempts would take with drafts of so many tokens. Raises TooMany, and Refused for its budget."""
    max_tokens, max_cost = checked_budget(solver, order, attempts)
    rule: Any = order.rule
    return estimate(
        get_recipe(solver.recipe),
        settings_of(solver),
        given,
        Budget(order.attempt_tokens, order.attempt_cost, order.attempt_seconds, rule),
        lambda prompt: model_of(solver, prompt).prices,
        attempts=attempts,
        draft=draft,
        max_tokens=max_tokens,
        max_cost=max_cost,
    )
