"""What pages of solving compute without rows: differences, reasons, bars, pairs, curves and estimates."""

import json
from decimal import Decimal
from typing import Any

import pytest

from solvers.asking import Prices
from solvers.budgets import Budget
from solvers.recipe import get_recipe, recipe_names
from solvers.steps import Given
from solving.attempts.bars import bars_of
from solving.attempts.diffing import Change, changes
from solving.attempts.ranking import read_ranking, reason_for
from solving.comparing.curves import Curve, Point, chart_of
from solving.comparing.outcomes import ProblemRow, Result, is_accepted, paired
from solving.models import SolveRun
from solving.starting.estimating import TooMany, course, estimate, longest_that_fits


def free(prompt: str) -> Prices:
    return Prices()


def test_a_block_that_was_replaced_is_removed_and_added() -> None:
    assert changes(["a", "b  c", "d"], ["a", "b c", "e", "f"]) == [
        Change("same", (0, 1)),  # spacing does not count
        Change("removed", (2,)),
        Change("added", (2, 3)),
    ]
    assert changes([], ["a"]) == [Change("added", (0,))]


def line(candidate: str, **more: Any) -> dict[str, Any]:
    return {"candidate": candidate, "round": 1, "agent": "p1", "verdicts": [], **more}


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"sound": 2}, {"sound": 1}, "sound to all verifiers"),
        ({"sound": 1}, {"sound": 0}, "more verifiers call it sound (1 to 0)"),
        ({"commandments_failed": 1}, {"commandments_failed": 2}, "fewer commandments are violated (1 to 2)"),
        ({"severe": 0}, {"severe": 3}, "fewer severe issues (0 to 3)"),
        ({"faults": 0}, {"faults": 1}, "no fault in its LaTeX"),
        ({"round": 3}, {"round": 2}, "it is later (round 3 to 2)"),
        ({}, {}, "its agent comes first"),
    ],
)
def test_a_choice_is_explained_by_the_first_criterion_that_differs(
    first: dict[str, Any], second: dict[str, Any], words: str
) -> None:
    order = read_ranking([line("r1.p1", **first), line("r1.p2", **second)])
    assert words in reason_for(order, 2)


def test_a_ranking_that_is_none_is_empty() -> None:
    assert read_ranking([{"x": 1}]) == []
    assert reason_for([], 3) == "There was no candidate."


def test_the_bar_is_as_long_as_the_cap_or_what_was_used() -> None:
    bars = bars_of([(1, 250), (2, 250)], 1_000)
    assert [(one.x, one.width) for one in bars.pieces] == [("0.0", "250.0"), ("250.0", "250.0")]
    over = bars_of([(1, 1_000), (2, 1_000)], 1_000)
    assert (over.pieces[1].x, over.pieces[1].width, over.cap_at) == ("500.0", "500.0", "500.0")
    assert bars_of([], None).pieces == ()


def result(number: int, *, accepted: bool, outcome: str = "answered") -> Result:
    return Result(number, number, outcome, accepted, 10)


def test_pairs_are_counted_and_tested_as_mcnemar_does() -> None:
    rows = [
        ProblemRow(n, f"p{n}", ((result(1, accepted=True),), (result(1, accepted=False),))) for n in range(5)
    ]
    rows.append(ProblemRow(9, "p9", ((result(1, accepted=True),), (result(1, accepted=True),))))
    rows.append(ProblemRow(10, "q", ((result(1, accepted=True),), (result(1, accepted=False, outcome=""),))))
    found = paired(rows, 0, 1, "accepted")
    assert (found.both, found.first, found.second, found.neither) == (1, 5, 0, 0)  # q has not ended in both
    assert found.p == pytest.approx(2 / 2**5)  # five signs that are all alike, on both sides
    assert paired(rows, 0, 1, "answered").p == 1.0


def test_an_answer_is_accepted_only_by_all_of_its_verifiers() -> None:
    best = line("r1.p1", sound=3)
    assert is_accepted(3, [best], "answered")
    assert not is_accepted(4, [best], "answered")
    assert not is_accepted(3, [best], "failed")
    assert not is_accepted(3, [{**best, "commandments_failed": 1}], "answered")
    assert not is_accepted(0, [line("r1.draft")], "answered")  # nobody reviewed it


def test_a_curve_rises_where_an_attempt_had_its_answer() -> None:
    courses = (
        (Point(100, 1.0, True, False), Point(300, 3.0, True, True)),
        (Point(200, 2.0, True, True), Point(400, 4.0, True, False)),  # a later choice may lose it
    )
    curve = Curve(SolveRun(), courses, 0)
    assert [curve.accepted_by(x) for x in (99, 200, 300, 400)] == [0, 1, 2, 1]
    assert [curve.answered_by(x) for x in (99, 100, 200)] == [0, 1, 2]
    chart = chart_of([curve], ["one"], by_cost=False)
    assert chart is not None
    assert chart.lines[0].points.endswith("690.0,123.0")
    assert chart_of([Curve(SolveRun(), (), 0)], ["none"], by_cost=True) is None


GIVEN = Given("p", 1, 1, {"statement": "Show it.", "has_artifact": False, "has_bank": False})


def settings(**given: Any) -> Any:
    return get_recipe("rma").read_settings({"early_stop": False, **given})


def test_the_default_asks_28_questions_and_one_of_analysis() -> None:
    # 1 draft and 3 reviews; then 4 rounds of 3 proposals and 3 reviews; the analysis before.
    found = course(get_recipe("rma"), settings(), GIVEN, Budget(), free, draft=100)
    assert (found.questions, found.rounds, found.capped) == (29, 5, False)


def test_verifiers_that_agree_end_a_run_that_stops_early() -> None:
    found = course(
        get_recipe("rma"), settings(early_stop=True), GIVEN, Budget(), free, draft=100, verdict="sound"
    )
    assert (found.questions, found.rounds) == (5, 1)


def test_the_longest_draft_that_fits_is_the_last_one_that_does() -> None:
    recipe, budget = get_recipe("rma"), Budget(tokens=200_000, rule="published")
    fits = longest_that_fits(recipe, settings(), GIVEN, budget, free, longest=16_000)
    assert 0 < fits < 16_000
    assert not course(recipe, settings(), GIVEN, budget, free, draft=fits).capped
    assert course(recipe, settings(), GIVEN, budget, free, draft=fits + 1).capped
    # With 4,350 tokens a draft the specification's sum passes 200,000 in round 3.
    assert course(recipe, settings(), GIVEN, budget, free, draft=4_350).rounds == 3


def test_a_cap_that_holds_no_longest_reply_fits_nothing() -> None:
    # Under the hard rule the first draft alone may use 16,000 tokens.
    budget = Budget(tokens=15_000)
    assert longest_that_fits(get_recipe("rma"), settings(), GIVEN, budget, free, longest=16_000) == 0


def test_an_estimate_counts_all_attempts_and_their_price() -> None:
    prices = Prices(Decimal(3), Decimal(15))
    more: dict[str, Any] = {"max_tokens": None, "max_cost": None, "draft": 1_000}
    one = estimate(get_recipe("rma"), settings(), GIVEN, Budget(), lambda prompt: prices, attempts=1, **more)
    ten = estimate(get_recipe("rma"), settings(), GIVEN, Budget(), lambda prompt: prices, attempts=10, **more)
    assert (ten.tokens_likely, ten.cost_likely) == (10 * one.tokens_likely, 10 * one.cost_likely)
    assert one.tokens_low < one.tokens_likely
    assert one.fits is None
    assert not one.above_cap
    # Every token costs at least that of a million sent, and at most that of a million received.
    assert Decimal(3) < one.cost_likely * 1_000_000 / one.tokens_likely < Decimal(15)


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_can_be_estimated(name: str) -> None:
    recipe = get_recipe(name)
    example = json.loads((recipe.folder / "example.json").read_text("utf-8"))
    given = Given("p", 1, 1, example["given"])
    for chosen in ({}, *recipe.named_settings.values()):
        found = course(recipe, recipe.read_settings(chosen), given, Budget(), free, draft=500)
        assert found.questions >= 1
        assert found.tokens > 0


@pytest.mark.slow
def test_a_recipe_that_asks_without_end_is_not_followed() -> None:
    with pytest.raises(TooMany):
        course(
            get_recipe("rma"), settings(rounds=50, proposers=20, verifiers=20), GIVEN, Budget(), free, draft=1
        )
