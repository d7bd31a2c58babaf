"""Means on a bounded scale: what they say of themselves."""

import numpy as np
import pytest

from stats.core.estimate import Caution, Reason
from stats.core.intervals import clopper_pearson, t_value, wilson
from stats.scores.clusters import Clustering, cluster_totals
from stats.scores.means import clustered_mean, clustered_share, mean_estimate


def test_a_mean_has_wilsons_interval_on_as_many_trials_as_have_its_error():
    """2, 2.5 and 3 of 5: a share of 1/2 with the error .5 / sqrt(3) / 5 = .0577, as of 75 trials; t of 2 degrees."""
    found = mean_estimate([2.0, 2.5, 3.0], "mean", (0.0, 5.0))
    ends = wilson(37.5, 75, quantile=t_value(0.95, 2))
    assert found.ci == pytest.approx([5 * end for end in ends])
    assert (found.method, found.warnings) == ("mean, wilson", ())


def test_the_interval_of_a_mean_of_zeros_and_ones_is_wilsons_of_the_share():
    """But for the quantile, and n - 1 instead of n in the error."""
    found = mean_estimate([1.0] * 3 + [0.0] * 7, "mean", (0.0, 1.0))
    assert found.ci == pytest.approx(wilson(0.3 * 9, 9, quantile=t_value(0.95, 9)))


def test_means_of_points_for_proofs_that_mostly_fail_have_intervals_that_hold():
    """0 for nine of ten proofs, 3 to 7 for the others: the mean is .5. Student's t holds it in .91 of the cases."""
    rng, held, held_by_t = np.random.default_rng(3), 0, 0
    for _ in range(1000):
        points = np.where(rng.random(40) < 0.9, 0.0, rng.integers(3, 8, 40)).tolist()
        low, high = mean_estimate(points, "mean", (0.0, 7.0)).ci
        held += low <= 0.5 <= high
        low, high = mean_estimate(points, "mean", (0.0, 7.0), way=Clustering.UNEVEN).ci
        held_by_t += low <= 0.5 <= high
    assert held / 1000 >= 0.94
    assert held_by_t / 1000 <= 0.93


@pytest.mark.parametrize(
    ("values", "warnings"),
    [
        ([2.0, 2.5, 3.0], ()),  # 2.5 +- 4.303 * 0.2887 = 1.26 to 3.74, within 0 to 5
        ([4.0, 5.0], (Caution.TRUNCATED,)),  # 4.5 +- 12.7 * 0.5 leaves the scale
    ],
)
def test_an_interval_of_an_older_artifact_says_when_it_was_cut(values, warnings):
    found = mean_estimate(values, "mean", (0.0, 5.0), way=Clustering.UNEVEN)
    assert found.warnings == warnings
    assert found.ci[0] < found.value < found.ci[1]


@pytest.mark.parametrize("value", [1.0, 2.0, 0.1 + 0.2, 4.7, 5.0])
@pytest.mark.parametrize("n", [2, 3, 7, 30, 200])
def test_equal_values_leave_room_for_others_that_went_unseen(value, n):
    """(1 - p)^n = .025: a share p of ones or fives among the outputs is missed by n of them as often as that."""
    p = 1 - 0.025 ** (1 / n)
    expected = pytest.approx((value - p * (value - 1), value + p * (5 - value)), abs=1e-12)
    found = mean_estimate([value] * n, "mean", (1.0, 5.0))
    assert found.ci == expected
    assert (found.se, found.warnings) == (0, (Caution.NO_SPREAD,))


@pytest.mark.parametrize("value", [0.0, 1 / 3, 1.0])
@pytest.mark.parametrize("twins", [1, 3])
def test_equal_values_by_paper_count_papers(value, twins):
    """Nine papers: as far as nine outputs would reach. Of nine failures that is the exact interval of 0 of 9."""
    found = clustered_mean(cluster_totals([value] * 9 * twins, list(range(9)) * twins), "mean")
    assert found.ci == mean_estimate([found.value] * 9, "mean", (0.0, 1.0)).ci
    if not value:
        assert found.ci == pytest.approx(clopper_pearson(0, 9), abs=1e-12)


def test_a_mean_that_equal_values_hide_is_within_the_interval():
    """Outputs deserve a 1 once in ten times, or else a 5: of 2,000 studies of 12 outputs a quarter meet fives alone."""
    drawn = np.random.default_rng(20261127).choice([5.0, 1.0], p=[0.9, 0.1], size=(2000, 12))
    alike = [values for values in drawn if np.ptp(values) == 0]
    assert len(alike) > 400
    ends = [mean_estimate(values.tolist(), "mean", (1.0, 5.0)).ci for values in alike]
    assert all(low <= 4.6 <= high for low, high in ends)


def test_the_share_of_independent_outputs_is_a_wilson_interval():
    """8 of 10 outputs of ten papers: Wilson [49.0, 94.3] (STATISTICS.md 2A); t would reach beyond 1."""
    found = clustered_share(cluster_totals([1.0] * 8 + [0.0] * 2, range(10)))
    assert (found.method, found.k, found.n, found.clusters) == ("wilson", 8, 10, 10)
    assert found.ci == pytest.approx((0.490, 0.943), abs=5e-4)
    assert wilson(8, 10) == found.ci


def test_outputs_of_one_paper_are_not_taken_for_independent():
    """Twenty papers of two outputs, both right or both wrong: forty outputs are worth twenty.

    Residuals per paper are 2 (1 - p) or -2 p, so the variance of the mean is C/(C-1) * 4 C p (1-p) / (2C)^2
    = p (1-p) / (C-1); against p (1-p) / (n-1) that is (n-1) / (C-1) = 39/19, and n_eff = 40 * 19 / 39.
    """
    values = [1.0] * 30 + [0.0] * 10
    found = clustered_share(cluster_totals(values, [at // 2 for at in range(40)]))
    effective = 40 * 19 / 39
    assert (found.method, found.value, found.clusters) == ("wilson_n_eff", 0.75, 20)
    assert found.ci == pytest.approx(wilson(0.75 * effective, effective), abs=1e-12)


def test_experts_who_disagree_about_an_output_leave_a_share_and_no_trial():
    """Halves are not successes of a binomial: the effective number is used, and never above that of the outputs."""
    found = clustered_share(cluster_totals([0.5] * 30 + [1.0] * 10, range(40)))
    assert found.method == "wilson_n_eff"
    assert found.value == 0.625
    assert found.ci == pytest.approx(wilson(25, 40), abs=1e-12)


def test_one_paper_says_nothing_about_others():
    found = clustered_share(cluster_totals([1.0, 0.0, 1.0], ["p", "p", "p"]))
    assert (found.value, found.ci) == (2 / 3, None)
    assert clustered_mean(cluster_totals([0.5, 0.25], ["p", "p"]), "mean").ci is None


def test_without_outputs_there_is_no_share_and_no_mean():
    nothing = cluster_totals([], [])
    assert clustered_share(nothing).reason == clustered_mean(nothing, "mean").reason == Reason.NO_ITEMS


def test_a_mean_over_papers_of_one_output_each_is_the_plain_one_and_twins_add_nothing():
    """Every value twice within its paper: the same mean, standard error and degrees of freedom."""
    values = [0.2, 0.5, 0.6, 0.9]
    plain = mean_estimate(values, "mean", (0.0, 1.0))
    once = clustered_mean(cluster_totals(values, range(4)), "mean")
    twice = clustered_mean(cluster_totals(values * 2, [0, 1, 2, 3] * 2), "mean")
    for found in (once, twice):
        assert (found.value, found.se) == pytest.approx((plain.value, plain.se), abs=1e-12)
        assert found.ci == pytest.approx(plain.ci, abs=1e-12)
