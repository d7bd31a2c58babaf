"""Sample sizes and allocations (STATISTICS.md 3 vi)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from stats.analyses.plans import comparison_plan
from stats.planning.sizes import (
    exact_paired_size,
    independent_size,
    mcnemar_power,
    neyman,
    paired_size,
    pilot_correlation,
    proportion_size,
    stratified_se,
    stratified_size,
    wilson_size,
)
from stats.scores.compare import mcnemar
from stats.tables.raw_rows import TableError
from stats.tables.strata import pilot_from_text

SIZES = (45, 300, 1055)
CLEAN, DOUBTFUL = (0.93, 0.02, 0.005), (0.93, 0.05, 0.02)


@pytest.mark.parametrize(
    ("p", "half_width", "plain", "finite", "wilson"),
    [
        (0.5, 0.05, 384.15, 301.60, 381),
        (0.07, 0.02, 625.20, 432.41, 633),
        (0.03, 0.01, 1117.86, 621.81, 1143),
        (0.9, 0.05, 138.29, 125.94, 141),
    ],
)
def test_sizes_for_one_proportion_are_reproduced(p, half_width, plain, finite, wilson):
    assert proportion_size(p, half_width) == pytest.approx(plain, abs=5e-3)
    assert proportion_size(p, half_width, population=1400) == pytest.approx(finite, abs=5e-3)
    assert wilson_size(p, half_width) == wilson


@pytest.mark.parametrize(("guesses", "allocation"), [(CLEAN, [16, 57, 102]), (DOUBTFUL, [9, 51, 115])])
def test_neyman_allocations_are_reproduced(guesses, allocation):
    assert neyman(SIZES, guesses, 175) == allocation


@pytest.mark.parametrize(
    ("guesses", "published", "proportional", "optimal"),
    [(CLEAN, 0.00737, 0.00705, 0.00637), (DOUBTFUL, 0.01410, 0.01163, 0.01130)],
)
def test_the_published_allocation_is_worse_than_the_planned_one(guesses, published, proportional, optimal):
    equal_spread = neyman(SIZES, (0.5, 0.5, 0.5), 175)
    found = [
        stratified_se(SIZES, drawn, guesses)
        for drawn in ((45, 70, 60), equal_spread, neyman(SIZES, guesses, 175))
    ]
    assert found == pytest.approx([published, proportional, optimal], abs=5e-6)


@pytest.mark.parametrize(
    ("guesses", "sizes"), [(CLEAN, (610.0, 251.3, 75.0)), (DOUBTFUL, (996.4, 567.4, 208.4))]
)
def test_totals_for_a_half_width_are_reproduced(guesses, sizes):
    found = [stratified_size(SIZES, guesses, half_width) for half_width in (0.005, 0.01, 0.02)]
    assert found == pytest.approx(sizes, abs=0.05)


def test_sizes_for_two_systems_are_reproduced():
    assert paired_size(0.105, 0.035) == pytest.approx(670.4, abs=0.05)
    assert paired_size(0.0351, 0.035) == pytest.approx(222.5, abs=0.05)
    assert paired_size(0.08, 0.03) == pytest.approx(695.3, abs=0.05)
    assert independent_size(0.07, 0.035) == pytest.approx(636.3, abs=0.05)


@given(st.lists(st.tuples(st.integers(0, 500), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0, 1))
def test_an_allocation_adds_up_and_keeps_its_bounds(strata, share):
    sizes, guesses = zip(*strata, strict=True)
    least = sum(min(5, size) for size in sizes)
    total = least + int(share * (sum(sizes) - least))
    drawn = neyman(sizes, guesses, total)
    assert sum(drawn) == total
    assert all(min(5, size) <= n <= size for size, n in zip(sizes, drawn, strict=True))


@pytest.mark.parametrize("first", range(0, 101, 5))
def test_shares_that_are_typed_in_percent_differ_on_as_many_items_as_they_can(first):
    """Where one system solves all that the other does, and where they share as little as possible."""
    for second in range(0, first, 5):
        p1, p2 = first / 100, second / 100
        for discordance in ((first - second) / 100, min(first + second, 200 - first - second) / 100):
            found = comparison_plan(p1, p2, discordance)
            assert found["paired_exact"] >= 1
            assert found["nested"] <= found["paired"] + 1e-9


def test_one_output_that_is_expected_to_fail_can_be_planned_for():
    assert proportion_size(0, 0.1, population=1) == 0


def test_impossible_plans_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        neyman((10, 10), (0.5, 0.5), 21)
    with pytest.raises(ValueError, match="half-width"):
        proportion_size(0.5, 0)
    with pytest.raises(ValueError, match="discordance"):
        paired_size(0.01, 0.05)


@pytest.mark.parametrize(("discordance", "difference"), [(0.105, 0.035), (0.0351, 0.035)])
def test_the_planned_size_has_the_power_of_the_test_that_is_reported(discordance, difference):
    """By enumeration with `compare.mcnemar` for every number of discordant items and of those for the first."""
    n = exact_paired_size(discordance, difference)
    assert n > paired_size(discordance, difference)
    share = (discordance + difference) / (2 * discordance)
    power = 0.0
    for m in range(1, 120):
        rejected = np.array([mcnemar(x, m - x).exact <= 0.05 for x in range(m + 1)])
        power += binom.pmf(m, n, discordance) * float(binom.pmf(np.arange(m + 1), m, share)[rejected].sum())
    assert power >= 0.8
    assert mcnemar_power(n, discordance, difference) == pytest.approx(power, abs=1e-6)
    assert mcnemar_power(n - 60, discordance, difference) < 0.8
    # The normal formula's size has too little of it.
    assert mcnemar_power(math.ceil(paired_size(discordance, difference)), discordance, difference) < 0.8


@pytest.mark.slow
def test_a_difference_that_no_study_can_find_is_refused_at_once():
    """At the limit an exact size takes a second or two of the processor, beyond it minutes."""
    # (1.959964 sqrt(.9) + .841621 sqrt(.9 - .000004))^2 / .000004 = 1,765,995.6
    with pytest.raises(ValueError, match="needs some 1,765,996 items; at most 1,000,000 are planned"):
        exact_paired_size(0.9, 0.002)
    assert exact_paired_size(0.9, 0.005) == 282_967


def test_clusters_cost_their_design_effect():
    alone = comparison_plan(0.07, 0.035, 0.105)
    # 8 attempts correlated by .1: 1 + 7 x .1 = 1.7.
    clustered = comparison_plan(0.07, 0.035, 0.105, cluster_size=8, correlation=0.1)
    assert alone["items"] == alone["paired_exact"] == clustered["paired_exact"]
    assert clustered["design_effect"] == pytest.approx(1.7)
    assert clustered["items"] == math.ceil(1.7 * alone["items"])
    assert clustered["clusters"] == math.ceil(clustered["items"] / 8)


def test_the_correlation_of_a_pilot_is_that_of_its_analysis_of_variance():
    # Differences (1, 1), (-1, -1), (0, 0): all variance lies between clusters. (1, -1) twice: all of it within.
    assert pilot_correlation([(2, 2, 0), (2, 0, 2), (2, 0, 0)]) == pytest.approx(1)
    assert pilot_correlation([(2, 1, 1), (2, 1, 1)]) == 0
    # (1, 1), (1, 0), (0, 0), (0, 0): between 2 x ((.75 - ...)): MSB = (4 + 1)/2 - 9/8 over 3 = .458333,
    # MSW = (3 - 2.5) / 4 = .125, rho = (.458333 - .125) / (.458333 + .125).
    assert pilot_correlation([(2, 2, 0), (2, 1, 0), (2, 0, 0), (2, 0, 0)]) == pytest.approx(1 / 3 / (7 / 12))
    # Items of a cluster with ten need more of them than the mean of four says: sum m^2 / sum m is 112 / 16.
    uneven = [(10, 4, 0), (2, 0, 1), (2, 1, 0), (2, 0, 0)]
    plan = comparison_plan(0.07, 0.035, 0.105, pilot=uneven)
    assert (plan["cluster_size"], plan["own_cluster_size"]) == (4, 7)
    assert plan["correlation"] > 0
    assert plan["design_effect"] == pytest.approx(1 + 6 * plan["correlation"])
    plan = comparison_plan(0.07, 0.035, 0.105, pilot=[(2, 2, 0), (2, 0, 2), (2, 0, 0)])
    assert plan["design_effect"] == pytest.approx(2)


@pytest.mark.parametrize("pilot", [[(3, 2, 2)], [(0, 0, 0), (1, 0, 0)], [(2, 1, 0)], [(1, 0, 0), (1, 1, 0)]])
def test_a_pilot_that_says_nothing_is_refused(pilot):
    with pytest.raises(ValueError, match="pilot"):
        pilot_correlation(pilot)


def test_a_typed_pilot_is_read_by_line():
    assert pilot_from_text("8, 2, 1\n\n4\t0\t0\n") == [(8, 2, 1), (4, 0, 0)]
    with pytest.raises(TableError, match="line 2"):
        pilot_from_text("8, 2, 1\n4, 3, 2\n")
    with pytest.raises(TableError, match="line 1"):
        pilot_from_text("8; 2; 1")
