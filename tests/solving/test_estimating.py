"""What an attempt may take is computed from its recipe, before it is begun."""

import json
from decimal import Decimal
from typing import Any

import pytest

from solvers.asking import Prices
from solvers.budgets import Budget
from solvers.estimating import Estimate, estimate
from solvers.recipe import RECIPES, get_recipe, recipe_names
from solvers.steps import Given

PLAIN = {"analysis": "off", "literature": False, "knowledge": False, "tool_steps": 0, "repairs": 0}


def of(
    name: str, settings: dict[str, Any] | None = None, budget: Budget | None = None, **more: Any
) -> Estimate:
    recipe = get_recipe(name)
    example = json.loads((RECIPES / name / "example.json").read_text("utf-8"))
    given = Given("problem", 1, 1, example["given"])
    return estimate(recipe, recipe.read_settings(settings or {}), given, budget or Budget(), **more)


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_has_an_estimate_and_its_figures_are_in_order(name: str) -> None:
    found = of(name)
    assert 1 <= found.low.questions <= found.likely.questions <= found.cap.questions
    assert 0 < found.low.tokens <= found.likely.tokens < found.cap.tokens
    assert found.within == found.likely
    assert found.misfits == ()


@pytest.mark.parametrize(("rounds", "proposers", "verifiers"), [(5, 3, 3), (1, 3, 3), (2, 2, 1), (3, 1, 0)])
def test_rma_asks_a_draft_and_then_proposals_and_reviews_in_each_round(
    rounds: int, proposers: int, verifiers: int
) -> None:
    """1 + Kv + (N - 1)(Kp + Kv) questions; at the soonest, one draft that all verifiers find sound."""
    shape = {"rounds": rounds, "proposers": proposers, "verifiers": verifiers}
    found = of("rma", {**PLAIN, **shape})
    assert found.likely.questions == 1 + verifiers + (rounds - 1) * (proposers + verifiers)
    assert found.likely.rounds == rounds
    if verifiers:
        assert found.low.questions == 1 + verifiers


def test_a_single_question_is_its_prompt_and_its_longest_reply() -> None:
    """32,000 tokens is what the recipe allows a proof; by default a quarter of it is likely."""
    found = of("lemmas_prover", prices=Prices(Decimal(2), Decimal(10)))
    assert (found.cap.questions, found.cap.received) == (1, 32_000)
    assert found.likely.received == 8_000
    assert found.cap.sent > 3 * found.likely.sent  # bytes, of which four make a token
    assert found.likely.cost == (2 * found.likely.sent + 10 * found.likely.received) / Decimal(1_000_000)


def test_it_says_what_does_not_fit_and_what_would() -> None:
    budget = Budget(tokens=200_000, rule="published")
    found = of("rma", {**PLAIN, "early_stop": False}, budget)
    assert found.within.because == "tokens"
    assert found.within.rounds < found.likely.rounds == 5
    first, last = found.misfits
    assert f"ends in round {found.within.rounds} of 5" in first
    assert "200,000 tokens" in first
    longest = int(last.split("at most ")[1].split(" ")[0].replace(",", ""))
    fitting = of("rma", {**PLAIN, "early_stop": False}, budget, share=longest / 16_000)
    assert fitting.fits
    assert not of("rma", {**PLAIN, "early_stop": False}, budget, share=1.05 * longest / 16_000).fits


def test_a_hard_cap_below_the_longest_first_reply_lets_nothing_begin() -> None:
    found = of("single", {"tool_steps": 0}, Budget(tokens=10_000))
    assert (found.within.questions, found.within.outcome) == (0, "failed")
    assert "would end without an answer" in found.misfits[1]
    assert "Even the shortest replies do not fit" in found.misfits[2]


def test_an_estimate_is_no_part_of_what_a_solver_is_made_of() -> None:
    """Otherwise a better estimate would pause attempts that are running."""
    path = RECIPES.parent / "estimating.py"
    before = get_recipe("rma").sha256
    text = path.read_text("utf-8")
    get_recipe.cache_clear()
    try:
        path.write_text(text + "\n# another line\n", "utf-8")
        assert get_recipe("rma").sha256 == before
    finally:
        path.write_text(text, "utf-8")
        get_recipe.cache_clear()
