"""The exact distribution behind a corrected score's interval."""

import numpy as np
import pytest

from stats.core.beta_binomial import beta_binomial, central_range, convolve


def test_a_uniform_prior_makes_every_count_equally_likely():
    # With p ~ Beta(1, 1) each of 0..n has probability 1/(n+1) (Bayes 1763).
    assert beta_binomial(9, 1, 1) == pytest.approx(np.full(10, 0.1))


def test_it_agrees_with_scipy():
    from scipy.stats import betabinom

    assert beta_binomial(30, 0.5, 7.5) == pytest.approx(betabinom(30, 0.5, 7.5).pmf(np.arange(31)))


def test_the_sum_of_two_dice_is_the_triangle():
    die = np.r_[0, np.full(6, 1 / 6)]
    assert convolve([die, die])[7] == pytest.approx(6 / 36)


def test_long_and_short_convolutions_agree():
    parts = [beta_binomial(n, 0.5, 3.5) for n in (2_500, 2_600)]
    assert convolve(parts) == pytest.approx(np.convolve(*parts), abs=1e-12)


def test_the_central_range_of_a_uniform_distribution_cuts_the_same_share_on_both_sides():
    assert central_range(np.full(100, 0.01), 0.9) == (4, 94)  # P(X <= 4) = .05, P(X <= 94) = .95


def test_a_census_has_no_spread():
    assert central_range(convolve([]), 0.95) == (0, 0)


@pytest.mark.parametrize("wrong", [(-1, 1, 1), (3, 0, 1), (3, 1, 0)])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match="needs n >= 0"):
        beta_binomial(*wrong)
