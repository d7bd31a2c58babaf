"""Ways to spend audits, side by side (STATISTICS.md 3 vi, 2B.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.planning.allocations import (
    PlannedStratum,
    allocate,
    allocations,
    assess,
    curve_totals,
    total_for,
    width_curve,
)


def re2math(*guesses):
    """The strata of Re2Math: judged successes, grounded but insufficient, unsupported."""
    success, insufficient, unsupported = guesses
    return [
        PlannedStratum("success", 45, success, judged_success=True),
        PlannedStratum("grounded_insufficient", 300, insufficient),
        PlannedStratum("unsupported", 1055, unsupported),
    ]


CLEAN, DOUBTFUL = re2math(0.93, 0.02, 0.005), re2math(0.93, 0.05, 0.02)


def by_name(strata, total=175, **given_):
    return {found.name: found for found in allocations(strata, total, **given_)}


@pytest.mark.parametrize(
    ("strata", "neyman", "errors"),
    [
        (CLEAN, (16, 57, 102), {"published": 0.00737, "proportional": 0.00705, "neyman": 0.00637}),
        (DOUBTFUL, (9, 51, 115), {"published": 0.01410, "proportional": 0.01163, "neyman": 0.01130}),
    ],
)
def test_the_golden_allocations_and_their_standard_errors(strata, neyman, errors):
    found = by_name(strata)
    assert found["neyman"].sampled == neyman
    assert found["published"].sampled == (45, 70, 60)
    assert {name: found[name].se for name in errors} == pytest.approx(errors, abs=5e-6)


def test_the_published_audit_buys_a_perfect_precision_and_little_about_missed_successes():
    published, neyman = by_name(CLEAN)["published"], by_name(CLEAN)["neyman"]
    assert published.precision_width == 0  # a census of the judged successes
    assert published.missed_width > 1.3 * neyman.missed_width
    assert published.interval.width == pytest.approx(0.040, abs=0.002)  # 3 i, coverage table
    # 2B.3: zero missed successes leave up to 11 of 300 and 49 of 1,055 possible, one-sided 95 %
    assert [stratum.most for stratum in published.zero_errors] == [0, 11, 49]


def test_audits_cost_hours_and_dear_ones_are_drawn_less():
    cheap = PlannedStratum("short", 500, 0.5)
    dear = PlannedStratum("long", 500, 0.5, hours=4)
    found = by_name([cheap, dear], 90)
    assert found["neyman"].sampled == (60, 30)  # in proportion to 1 / sqrt(cost)
    assert found["neyman"].hours == 60 + 4 * 30


def test_equal_parts_take_small_strata_whole_and_share_the_rest():
    assert allocate(CLEAN, 175, "equal") == [45, 65, 65]
    assert allocate(CLEAN, 90, "equal") == [30, 30, 30]


def test_a_custom_allocation_is_assessed_like_the_others():
    found = by_name(CLEAN, custom=(45, 70, 60))["custom"]
    published = by_name(CLEAN)["published"]
    assert (found.se, found.interval, found.total) == (published.se, published.interval, 175)


def test_a_stratum_without_an_audit_promises_nothing():
    found = assess("custom", CLEAN, (45, 70, 0))
    assert (found.se, found.interval, found.missed_width) == (None, None, None)
    assert found.precision_width == 0
    assert found.zero_errors[2].most == 1055


def test_the_published_allocation_is_offered_for_its_own_strata_only():
    other = [PlannedStratum("a", 50, 0.5), PlannedStratum("b", 500, 0.5)]
    assert "published" not in by_name(other, 100)


def test_the_simulated_total_is_larger_than_the_normal_formula_says():
    # 3 vi: 251.3 for a half-width of one point by the formula
    found = total_for(CLEAN, 0.01)
    assert 251.3 < found < 400
    width = allocations(CLEAN, found)[1].interval.width
    assert width == pytest.approx(0.02, abs=0.0015)


def test_a_half_width_that_only_a_census_gives_asks_for_everything_or_nearly():
    assert total_for([PlannedStratum("only", 20, 0.5)], 0.01) == 20
    assert total_for([PlannedStratum("only", 0, 0.5)], 0.01) is None


def test_the_curve_of_widths_falls_with_the_number_of_audits():
    totals = curve_totals(CLEAN, 175)
    assert (totals[0], totals[-1]) == (58, 525)
    for widths in width_curve(CLEAN, totals).values():
        assert widths == sorted(widths, reverse=True)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=5), st.floats(0, 1))
def test_every_rule_spends_exactly_what_there_is(sizes, share):
    strata = [PlannedStratum(str(h), size, 0.3) for h, size in enumerate(sizes)]
    least = sum(min(5, size) for size in sizes)
    total = least + int(share * (sum(sizes) - least))
    for rule in ("proportional", "neyman", "equal"):
        drawn = allocate(strata, total, rule)
        assert sum(drawn) == total
        assert all(min(5, size) <= n <= size for size, n in zip(sizes, drawn, strict=True))


@pytest.mark.parametrize(
    ("terms", "message"),
    [({"size": -1}, "0 or more"), ({"guess": 1.5}, "between 0 and 1"), ({"hours": 0}, "more than 0")],
)
def test_a_stratum_that_cannot_be_is_refused_by_its_name(terms, message):
    with pytest.raises(ValueError, match=f"'odd'.*{message}"):
        PlannedStratum(**({"name": "odd", "size": 5, "guess": 0.5} | terms))


def test_allocations_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        allocate(CLEAN, 1401, "neyman")
    with pytest.raises(ValueError, match="has 45 outputs"):
        assess("custom", CLEAN, (46, 70, 60))
    with pytest.raises(ValueError, match="unknown allocation"):
        allocate(CLEAN, 175, "random")
