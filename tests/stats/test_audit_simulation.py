"""The interval that an audit is likely to end with (STATISTICS.md 3 i and 3 vi)."""

import numpy as np
import pytest

from stats.audit.corrected import corrected_score
from stats.core.bootstrap import generator
from stats.core.strata import Stratum
from stats.planning.audit_simulation import simulated_interval
from stats.planning.sizes import stratified_se

SIZES = (45, 300, 1055)
CLEAN = (0.93, 0.02, 0.005)
PUBLISHED = (45, 70, 60)


def test_the_expected_width_of_the_published_audit_is_that_of_its_simulations():
    # 3 i, coverage table: width .040 for these strata and audits.
    assert simulated_interval(SIZES, PUBLISHED, CLEAN, seed=1).width == pytest.approx(0.040, abs=0.002)


def test_the_expected_width_is_the_mean_of_the_intervals_that_scores_get():
    """The same audits, each with the interval of `corrected_score`."""
    rng, widths = generator(5), []
    true = rng.binomial(SIZES, CLEAN, size=(200, 3))
    found = rng.hypergeometric(true, np.array(SIZES) - true, np.broadcast_to(PUBLISHED, true.shape))
    for row in found.tolist():
        strata = [
            Stratum(str(h), *counts) for h, counts in enumerate(zip(SIZES, PUBLISHED, row, strict=True))
        ]
        low, high = corrected_score(strata).ci
        widths.append(high - low)
    assert simulated_interval(SIZES, PUBLISHED, CLEAN, seed=5).width == pytest.approx(
        np.mean(widths), abs=1e-9
    )


def test_a_normal_formula_is_too_hopeful_for_rare_successes():
    found = simulated_interval(SIZES, PUBLISHED, CLEAN, seed=1)
    normal = 2 * 1.96 * stratified_se(SIZES, PUBLISHED, CLEAN)  # 2.9 points
    assert found.width > 1.3 * normal


def test_large_populations_are_drawn_and_agree_with_the_exact_distribution():
    # 8,000 unaudited units are exact and 8,200 drawn: 200 more units in 8,000 change nothing to speak of.
    exact = simulated_interval((2000, 6300), (100, 200), (0.9, 0.02), seed=3, audits=400).width
    drawn = simulated_interval((2000, 6500), (100, 200), (0.9, 0.02), seed=3, audits=400).width
    assert drawn == pytest.approx(exact, rel=0.05)


def test_a_census_leaves_no_width_and_an_empty_population_none_either():
    assert simulated_interval((10, 20), (10, 20), (0.5, 0.1), seed=1).width == 0
    assert simulated_interval((0,), (0,), (0.5,), seed=1).width == 0


def test_the_same_seed_gives_the_same_interval():
    first, second = (simulated_interval(SIZES, PUBLISHED, CLEAN, seed=9) for _ in range(2))
    assert first == second
    assert first.low <= sum(n * p for n, p in zip(SIZES, CLEAN, strict=True)) / 1400 <= first.high


@pytest.mark.parametrize(
    ("sampled", "guesses", "message"),
    [
        ((0, 70, 60), CLEAN, "needs an audit"),
        ((46, 70, 60), CLEAN, "more audits than units"),
        (PUBLISHED, (1.2, 0, 0), "between 0 and 1"),
        (PUBLISHED, (0.5, 0.5), "a size, a number"),
    ],
)
def test_impossible_audits_are_refused(sampled, guesses, message):
    with pytest.raises(ValueError, match=message):
        simulated_interval(SIZES, sampled, guesses, seed=1)


def test_many_large_strata_take_fewer_audits_not_more_numbers(monkeypatch):
    """Two hundred strata of ten million: 200 audits of each took some four seconds, and a page needs thirty of them."""
    drawn = []
    monkeypatch.setattr(
        np, "quantile", lambda totals, *a, **k: drawn.append(totals.size) or totals.mean(axis=1)
    )
    for strata in (2, 200):
        sizes = [10**7] * strata
        simulated_interval(
            sizes, [100] * strata, [0.1] * strata, seed=1, groups=[str(n) for n in range(strata)]
        )
    assert drawn[0] > 40_000
    assert drawn[2] == 5_000
