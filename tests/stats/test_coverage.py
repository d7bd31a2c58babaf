"""Intervals contain the truth as often as they claim (STATISTICS.md 3), by simulation with a fixed seed.

Elsewhere: exact coverage of Wilson in test_intervals.py, the audit intervals in test_corrected.py and
test_audit.py, self-preference in
test_judge_matrix.py. `python -m bench.coverage` draws longer.
"""

import numpy as np
import pytest
from scipy.stats import binom

from tests.stats.coverage_scenarios import (
    CONSERVATIVE,
    FAILING,
    NOMINAL,
    coverage,
    davidson_jackknife,
)

DRAWS = 1_500  # Monte Carlo error of a coverage of .95: .0056


@pytest.mark.slow
@pytest.mark.parametrize("scenario", NOMINAL, ids=lambda scenario: scenario.__name__)
def test_a_nominal_interval_covers_between_93_and_97_percent(scenario):
    assert 0.93 <= coverage(scenario, DRAWS, seed=3) <= 0.97


@pytest.mark.slow
def test_the_jackknife_of_ten_problems_covers_between_93_and_98_percent():
    # 250 draws: Monte Carlo error .014.
    assert 0.93 <= coverage(davidson_jackknife, 250, seed=3) <= 0.98


@pytest.mark.parametrize("scenario", CONSERVATIVE, ids=lambda scenario: scenario.__name__)
def test_an_exact_interval_covers_at_least_as_often_as_it_says(scenario):
    assert coverage(scenario, DRAWS, seed=3) >= 0.95


@pytest.mark.parametrize("scenario", FAILING, ids=lambda scenario: scenario.__name__)
def test_a_known_failure_is_one(scenario):
    # 3 (vii): percentile bootstrap of 200 items at 1 % covers .865, which is why it is flagged.
    assert coverage(scenario, DRAWS, seed=3) == pytest.approx(0.865, abs=0.03)


@pytest.mark.parametrize(
    ("p", "expected"), [(0.005, 0.633), (0.01, 0.865), (0.02, 0.908), (0.035, 0.967), (0.07, 0.959)]
)
def test_the_percentile_bootstrap_covers_exactly_as_section_3_vii_says(p, expected):
    # Without clusters a resample of k successes among 200 is binomial, so the ends are its quantiles.
    k = np.arange(201)
    low, high = binom.ppf(0.025, 200, k / 200) / 200, binom.ppf(0.975, 200, k / 200) / 200
    covered = (low <= p + 1e-12) & (p - 1e-12 <= high)
    assert float(binom.pmf(k, 200, p)[covered].sum()) == pytest.approx(expected, abs=6e-4)
