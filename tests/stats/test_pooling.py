"""Corrected scores over many small cells (STATISTICS.md 6.1, 6.11; ADR 0024)."""

import numpy as np
import pytest

from bench.coverage.corrected import cell
from bench.coverage.designs import designs
from stats.audit.corrected import corrected_score, rates_differ
from stats.audit.pooling import beta_binomials, pools, unaudited_range
from stats.core.estimate import Caution
from stats.core.strata import Stratum, post_stratified_mean
from tests.growing import takes_less_than

# Re2Math, Tables 11 and 14: outputs (success, grounded but insufficient, unsupported), audited, true, by system.
SIZES = ((6, 44, 150), (4, 20, 176), (14, 34, 152), (5, 53, 142), (2, 32, 166), (7, 41, 152), (7, 76, 117))
AUDITED = ((6, 10, 8), (4, 4, 10), (14, 8, 8), (5, 12, 8), (2, 9, 12), (7, 9, 8), (7, 18, 6))
TRUE = ((4, 0, 0), (4, 0, 0), (13, 0, 0), (5, 0, 0), (2, 0, 0), (7, 0, 0), (7, 0, 0))
BUCKETS = ("success", "grounded", "unsupported")


def re2math():
    return [
        Stratum(f"{system}/{bucket}", *counts, bucket)
        for system, rows in enumerate(zip(SIZES, AUDITED, TRUE, strict=True))
        for bucket, *counts in zip(BUCKETS, *rows, strict=True)
    ]


def test_the_interval_of_re2maths_audit_in_21_cells_contains_its_value():
    estimate = corrected_score(re2math())
    assert estimate.value == pytest.approx(0.03)  # 42 of 1,400
    pooled = corrected_score(
        [Stratum("success", 45, 45, 42), Stratum("grounded", 300, 70, 0), Stratum("unsupported", 1055, 60, 0)]
    )
    low, high = estimate.ci
    assert low <= estimate.value <= high
    assert high - low <= 1.5 * (pooled.ci[1] - pooled.ci[0])
    assert (estimate.method, estimate.warnings) == ("bb_pooled", (Caution.BORROWED, Caution.NO_SPREAD))


def test_cells_with_one_group_of_one_are_the_jeffreys_interval():
    alone = [Stratum("a/yes", 300, 50, 40, "yes"), Stratum("a/no", 700, 50, 5, "no")]
    without = [Stratum("a/yes", 300, 50, 40), Stratum("a/no", 700, 50, 5)]
    assert corrected_score(alone) == corrected_score(without)


SMALL = [
    design for design in designs(systems=(4, 7)) if "x 5," in design.name and "Neyman" not in design.name
]


@pytest.mark.parametrize("design", SMALL, ids=lambda design: design.name)
def test_the_combined_score_covers_and_its_value_is_inside(design):
    # 600 draws: three binomial errors below .95 are .923; docs/coverage.md says where it covers more than .99.
    found = cell(design, 600)
    assert found.coverage >= 0.923
    assert found.inside == 1


def test_a_group_weighs_its_cells_by_what_is_unaudited_in_them():
    # 10 and 30 unaudited of cells with 5 audits each: p = (10 x .2 + 30 x .6) / 40 = .5 and
    # m = 1 / (.25^2 / 5 + .75^2 / 5) = 8.
    (pool,) = pools([15, 35], [5, 5], ["g", "g"])
    assert pool.rates(np.array([[0.2, 0.6]]))[0] == pytest.approx(0.5)
    assert (pool.units, pool.effective) == (40, pytest.approx(8))


def test_a_large_cell_stands_alone():
    assert [len(pool.cells) for pool in pools([900, 900, 20, 20], [100, 120, 5, 5], ["g"] * 4)] == [1, 1, 2]


def test_different_rates_within_a_bucket_are_found_and_equal_ones_are_not():
    differ = [Stratum("a/x", 100, 20, 1, "x"), Stratum("b/x", 100, 20, 15, "x")]
    alike = [Stratum("a/x", 100, 20, 7, "x"), Stratum("b/x", 100, 20, 9, "x")]
    assert Caution.RATES_DIFFER in corrected_score(differ).warnings
    assert Caution.RATES_DIFFER not in corrected_score(alike).warnings


def test_the_test_of_equal_rates_keeps_its_level():
    rng, rejected = np.random.default_rng(4), 0
    for _ in range(300):
        strata = [Stratum(str(i), 50, 8, int(rng.binomial(8, 0.2)), "g") for i in range(7)]
        rejected += rates_differ(strata, draws=199)
    assert rejected / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_one_unaudited_unit_leaves_a_width():
    low, high = corrected_score([Stratum("a", 50, 49, 49)]).ci
    assert low < 1
    assert high == 1


@pytest.mark.parametrize("size", [10**9, 10**7])
def test_a_stratum_of_any_size_is_answered_at_once_as_its_limit(size):
    from scipy.special import betaincinv

    strata = [Stratum("a", size, 50, 10), Stratum("b", size, 50, 10)]
    estimate = corrected_score(strata)
    assert takes_less_than(2, lambda: corrected_score(strata))
    assert estimate.ci[0] < 0.2 < estimate.ci[1]
    # One stratum is the Jeffreys interval of 10 of 50, up to a point of the lattice.
    (low, high) = corrected_score([Stratum("a", size, 50, 10)]).ci
    assert (low, high) == pytest.approx(
        (betaincinv(10.5, 40.5, 0.025), betaincinv(10.5, 40.5, 0.975)), abs=2e-4
    )


def test_a_thinned_population_agrees_with_the_exact_one():
    shares = np.array([[0.02, 0.9]])
    exact = pools([4_000, 3_000], [50, 60], ["", ""])
    large = pools([40_000, 30_000], [50, 60], ["", ""])
    ends = [
        np.array(unaudited_range(some, shares, 0.95)).ravel() / sum(p.units for p in some)
        for some in (exact, large)
    ]
    assert ends[1] == pytest.approx(ends[0], abs=0.002)


def test_rows_of_beta_binomials_agree_with_scipy():
    from scipy.stats import betabinom

    found = beta_binomials(np.array([0.5, 3.2]), np.array([7.5, 1.1]), 30)
    for row, (a, b) in zip(found, ((0.5, 7.5), (3.2, 1.1)), strict=True):
        assert row == pytest.approx(betabinom(30, a, b).pmf(np.arange(31)))


def test_the_value_is_never_outside_its_interval():
    rng = np.random.default_rng(1)
    for _ in range(300):
        strata = []
        for at in range(rng.integers(1, 12)):
            size = int(rng.integers(1, 60))
            sampled = int(rng.integers(1, size + 1))
            strata.append(
                Stratum(str(at), size, sampled, int(rng.integers(0, sampled + 1)), str(rng.integers(3)))
            )
        low, high = corrected_score(strata).ci
        assert low <= post_stratified_mean(strata) <= high
        assert low < high or all(stratum.is_census for stratum in strata)
