"""Two systems on items that share clusters: the sign-flip test, the interval, and Q by permutation."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from reports.core.cells import signed_points
from stats.core.bootstrap import generator
from stats.core.estimate import Caution
from stats.scores.clusters import cluster_totals
from stats.scores.compare import mcnemar, paired_newcombe
from stats.scores.paired import omnibus, paired_interval, sign_flip


def test_with_one_item_to_a_cluster_the_sign_flip_test_is_mcnemars_exact_test():
    for b, c in ((8, 1), (7, 0), (14, 7), (100, 70), (3, 3)):
        found, exact = sign_flip([1] * b + [-1] * c + [0] * 40, seed=1), mcnemar(b, c)
        assert found.exact == pytest.approx(exact.exact, abs=1e-12)
        if b != c:  # both are conventions where nothing is less extreme
            assert found.mid_p == pytest.approx(exact.mid_p, abs=1e-12)


def test_whole_differences_are_counted_exactly():
    # Signs of 3, 1, 1: sums 5 3 3 1 and their negatives. Observed 3 - 1 + 1 = 3: |sum| >= 3 for 6 of 8, = 3 for 4 of 8.
    found = sign_flip([3, -1, 1, 0], seed=1)
    assert (found.exact, found.mid_p) == (pytest.approx(6 / 8), pytest.approx(6 / 8 - 2 / 8))
    assert (found.method, found.clusters, found.informative) == ("sign_flip_exact", 4, 3)


def test_few_fractions_are_enumerated_and_many_are_drawn_from_the_seed():
    # Of the signs of .5, .25, .125 only all plus and all minus reach .875: 2 of 8.
    assert sign_flip([0.5, 0.25, 0.125], seed=1).exact == pytest.approx(2 / 8)
    many = [x / 7 for x in range(-12, 20)]
    assert sign_flip(many, seed=4) == sign_flip(many, seed=4)
    drawn, counted = sign_flip(many, seed=4), sign_flip(range(-12, 20), seed=4)
    assert (drawn.method, drawn.replicates, counted.method) == ("sign_flip_draws", 20_000, "sign_flip_exact")
    assert drawn.p == pytest.approx(counted.p, abs=0.015)


def test_without_any_difference_there_is_nothing_to_test():
    assert sign_flip([0, 0, 0], seed=1).p == 1


@pytest.mark.slow
def test_a_true_null_of_thirty_problems_with_eight_attempts_is_rejected_as_often_as_promised():
    """McNemar's test of the same data rejects a quarter of them (STATISTICS.md 6.6: 23.9 %)."""
    rng, flipped, independent = generator(5), [], []
    for _ in range(1_000):
        shared = rng.beta(0.7, 1.3, 30)
        ease = rng.beta(4 * shared + 1e-6, 4 * (1 - shared) + 1e-6, (2, 30))
        marks = rng.random((2, 8, 30)) < ease[:, None, :]
        differences = marks[0].sum(axis=0) - marks[1].sum(axis=0)
        flipped.append(sign_flip(differences, seed=1).p)
        only = int((marks[0] & ~marks[1]).sum()), int((~marks[0] & marks[1]).sum())
        independent.append(binomtest(only[0], sum(only), 0.5).pvalue)
    # Monte Carlo error of .04 with 1,000 draws: .006.
    assert 0.035 <= np.mean(np.array(flipped) <= 0.05) <= 0.065
    assert np.mean(np.array(independent) <= 0.05) > 0.12


def test_with_one_item_to_a_cluster_the_interval_is_newcombes():
    one, two = [1] * 8 + [0] * 192, [0] * 5 + [1] * 3 + [0] * 192
    found = paired_interval(one, two, np.arange(200))
    assert found.ci == paired_newcombe(3, 5, 0, 192).ci


def test_copies_of_items_in_a_cluster_say_nothing_new():
    """Four equal attempts at each of 30 problems: design effect n_c (m - 1/n ...) near 4, so as wide as 30 items."""
    rng = generator(3)
    one, two = rng.random(30) < 0.6, rng.random(30) < 0.4
    alone = paired_interval(one, two, np.arange(30))
    copied = paired_interval(np.repeat(one, 4), np.repeat(two, 4), np.repeat(np.arange(30), 4))
    assert copied.value == pytest.approx(alone.value)
    width, width_alone = (found.ci[1] - found.ci[0] for found in (copied, alone))
    # Student's t with 29 degrees is 4.4 % wider than the normal quantile.
    assert width == pytest.approx(width_alone, rel=0.06)


def test_no_difference_at_all_still_has_a_width_that_the_clusters_bound():
    same = np.tile([1.0, 0.0], 40)
    found = paired_interval(same, same, np.repeat(np.arange(10), 8))
    assert found.value == 0
    assert found.ci[0] < -0.1
    assert found.ci[1] > 0.1
    assert Caution.NO_SPREAD in found.warnings
    assert Caution.FEW_CLUSTERS in found.warnings
    graded = paired_interval(same / 2, same / 2, np.repeat(np.arange(40), 2))
    # One-sided 97.5 % bound of what 40 clusters without an event allow: 1 - .025 ** (1 / 40) = .0881
    assert graded.ci == pytest.approx((-0.0881, 0.0881), abs=5e-5)
    assert Caution.NO_SPREAD in graded.warnings


def test_values_between_0_and_1_have_a_t_interval_over_their_clusters():
    one = np.array([0.5, 0.25, 1.0, 0.0, 0.5, 0.75])
    two = np.array([0.25, 0.25, 0.5, 0.5, 0.5, 0.25])
    found = paired_interval(one, two, np.arange(6))
    d = one - two
    half = 2.5705818 * d.std(ddof=1) / math.sqrt(6)  # t with 5 degrees
    assert found.ci == pytest.approx((d.mean() - half, d.mean() + half), abs=1e-6)


def test_cochrans_q_is_permuted_within_clusters_that_hold_several_items():
    rng = generator(7)
    alone = omnibus(rng.random((40, 3)) < 0.5, np.arange(40), seed=1)
    assert alone is not None
    assert alone.method == "chi_squared"
    # Each problem's eight attempts are copies: chi-squared takes the same Q eight times over.
    table = np.repeat(rng.random((12, 3)) < 0.5, 8, axis=0)
    copied = omnibus(table, np.repeat(np.arange(12), 8), seed=1)
    once = omnibus(table[::8], np.arange(12), seed=1)
    assert copied.q == pytest.approx(8 * once.q)
    assert copied.method == "permutation_by_cluster"
    assert copied.p == pytest.approx(once.p, abs=0.12)
    assert copied == omnibus(table, np.repeat(np.arange(12), 8), seed=1)


def test_the_totals_of_clusters_are_what_the_test_flips():
    assert cluster_totals([1, -1, 1, 1], ["a", "a", "b", "b"]).sums.tolist() == [0, 2]


def test_a_difference_is_one_ratio_and_rounds_as_such():
    """23 and 20 of 80: the shares' difference is 0.03749999999999998, which would be shown as 3.7 points."""
    first, second = np.arange(80) < 23, np.arange(80) < 20
    found = paired_interval(first, second, np.arange(80))
    assert found.value == 3 / 80
    assert signed_points(found.value) == "+3.8"
    assert found.ci[0] <= found.value <= found.ci[1]
