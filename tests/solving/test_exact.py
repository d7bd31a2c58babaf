"""The scripted world's exact law, against figures computed independently (1809/5000 and the others are of its
specification), and the recipe against the reference, without queue or database."""

from fractions import Fraction
from typing import Any

import pytest

from llm.structured import StructuredPrompt
from solvers.budgets import Budget
from solvers.keys import idempotency_key
from solvers.planning import plan
from solvers.recipe import get_recipe
from solvers.steps import Ask, End, Given, Reply, Step, Use
from tests.solving.world import Shape, World, answer, exact, exact_best_of, is_right, reference

WORLD = World()
NONCE = "0" * 32
FREE, UNBOUNDED = Use(), Budget()


@pytest.mark.parametrize(
    ("shape", "figure"),
    [
        (Shape(), "0.905868"),
        *[(Shape(rounds=n), of) for n, of in ((1, ".1000"), (4, ".8409"), (5, ".9059"), (7, ".9605"))],
        *[(Shape(verifiers=n), of) for n, of in ((0, ".5306"), (1, ".8078"), (3, ".9059"), (4, ".9198"))],
        *[(Shape(proposers=n), of) for n, of in ((1, ".5306"), (2, ".8037"), (3, ".9059"), (4, ".9504"))],
        (Shape(stateless=True), ".4480"),
        (Shape(early_stop=True), "0.887860"),
    ],
    ids=str,
)
def test_the_law_gives_the_figures_of_the_specification(shape: Shape, figure: str) -> None:
    places = len(figure.partition(".")[2])
    assert round(float(exact(WORLD, shape)[0]), places) == float(figure)


def test_two_rounds_of_two_proposers_and_one_verifier_are_right_in_1809_of_5000() -> None:
    """By hand: a proposal is sound-voted with .8 or .2. From a wrong base (.9), of two proposals each right with .2,
    the chosen one is right with .296; from a right base (.1), each right with .9, with .954:
    .9 * .296 + .1 * .954 = .3618 = 1809/5000."""
    assert exact(WORLD, Shape(rounds=2, proposers=2, verifiers=1))[0] == Fraction(1809, 5000)


def test_with_early_stop_fewer_rounds_and_calls_are_expected() -> None:
    _, rounds, calls = exact(WORLD, Shape(early_stop=True))
    assert (round(float(rounds), 4), round(float(calls), 4)) == (3.1428, 16.8568)
    assert exact(WORLD, Shape())[2] == 28


@pytest.mark.parametrize(("n", "figure"), [(1, 0.1), (4, 0.3033), (7, 0.4351), (13, 0.5962), (28, 0.7702)])
def test_the_best_of_n_has_the_figures_of_the_specification(n: int, figure: float) -> None:
    assert round(float(exact_best_of(WORLD, n)), 4) == figure


def settings_of(shape: Shape, **more: Any) -> dict[str, Any]:
    """RMA's settings for the world: no modules, no checks by program, the last base as the result."""
    return {
        "rounds": shape.rounds, "proposers": shape.proposers, "verifiers": shape.verifiers,
        "early_stop": shape.early_stop, "memory": "stateless" if shape.stateless else "full",
        "analysis": "off", "literature": False, "knowledge": False, "repairs": 0, "select": "last", **more,
    }  # fmt: skip


def solved(
    shape: Shape, seed: int, attempt: int, use: Use = FREE, budget: Budget = UNBOUNDED
) -> tuple[End, int]:
    """An attempt of RMA in memory, answered by the scripted model, with the number of questions."""
    recipe = get_recipe("rma")
    settings = recipe.read_settings(settings_of(shape))
    given = Given("problem", attempt, seed, {"statement": "Show that it holds."})
    record: dict[str, Reply] = {}
    while True:
        planned = plan(recipe, given, settings, budget, record, lambda step: Use())
        if isinstance(planned, End):
            return planned, len(record)
        for step in planned.steps:
            record[step.key] = Reply("parsed", said(recipe.prompts, step, seed, attempt), use)


def said(prompts: Any, step: Step, seed: int, attempt: int) -> Any:
    """The model's reply, sent and read as it would be over the wire."""
    assert isinstance(step, Ask)
    prompt: StructuredPrompt[Any] = prompts[step.prompt]
    messages = prompt.render(step.fields, NONCE).messages
    text = answer(WORLD, seed, {"messages": messages}, key_of(seed, attempt)(step.key))
    return prompt.reply.model_validate_json(text).model_dump()


def key_of(seed: int, attempt: int) -> Any:
    return lambda step: idempotency_key("solver", seed, "problem", attempt, step)


@pytest.mark.parametrize(
    "shape",
    [
        Shape(), Shape(early_stop=True), Shape(rounds=2, proposers=2, verifiers=1), Shape(verifiers=0),
        Shape(stateless=True), Shape(rounds=1), Shape(proposers=1),
    ],
    ids=str,
)  # fmt: skip
def test_the_recipe_comes_to_what_the_reference_comes_to(shape: Shape) -> None:
    for attempt in range(1, 21):
        token, truth, steps = reference(WORLD, shape, 7, key_of(7, attempt))
        end, asked = solved(shape, 7, attempt)
        proof = end.ended.result["proof_latex"]
        assert (token in proof, is_right(7, proof), asked) == (True, truth, steps)


@pytest.mark.slow
def test_the_reference_is_right_as_often_as_the_law_says() -> None:
    """4,000 attempts of the default: the standard error is sqrt(.906 * .094 / 4000) = .0046."""
    law = float(exact(WORLD, Shape())[0])
    right = sum(reference(WORLD, Shape(), 11, key_of(11, attempt))[1] for attempt in range(4_000))
    assert abs(right / 4_000 - law) < 4 * 0.0046


def test_fewer_rounds_and_a_smaller_budget_are_read_off_a_longer_run() -> None:
    """One run of seven rounds has those of one, four and five in it, and the result at every smaller budget."""
    recipe = get_recipe("rma")
    given = Given("problem", 3, 5, {"statement": "Show that it holds."})
    record: dict[str, Reply] = {}
    long = recipe.read_settings(settings_of(Shape(rounds=7)))
    used = Use(tokens=100)
    while True:
        planned = plan(recipe, given, long, Budget(), record, lambda step: Use())
        if isinstance(planned, End):
            break
        for step in planned.steps:
            record[step.key] = Reply("parsed", said(recipe.prompts, step, 5, 3), used)
    for rounds in (1, 4, 5):
        alone, _ = solved(Shape(rounds=rounds), 5, 3, used)
        settings = recipe.read_settings(settings_of(Shape(rounds=rounds)))
        assert plan(recipe, given, settings, Budget(), record, lambda step: Use()) == alone
    for tokens in (100, 400, 1_000, 1_600, 2_200):
        budget = Budget(tokens=tokens, rule="published")
        alone, _ = solved(Shape(rounds=7), 5, 3, used, budget)
        assert plan(recipe, given, long, budget, record, lambda step: Use()) == alone
        assert alone.ended.because == "tokens"
