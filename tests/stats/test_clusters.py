"""Paper-cluster intervals (STATISTICS.md 1.1, 2A, 3 vii)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.bootstrap import compress_rows, generator, resampled_sums
from stats.core.estimate import Caution, Reason
from stats.core.intervals import wilson
from stats.scores.clusters import (
    Clustering,
    ClusterTotals,
    cluster_bootstrap,
    cluster_totals,
    clustered_se,
    design_effect,
    paired_difference,
    wilson_on_effective_n,
)


def eval_200(successes: int, seed: int = 1) -> ClusterTotals:
    """134 papers with one instance and 33 with two, successes placed at random (2A)."""
    papers = [f"p{i}" for i in range(134)] + [f"p{i}" for i in range(134, 167) for _ in range(2)]
    values = np.zeros(200)
    values[generator(seed).choice(200, size=successes, replace=False)] = 1
    return cluster_totals(values, papers)


# 2A: range of lower and upper ends over 60 random placements, percent.
@pytest.mark.parametrize(
    ("successes", "lower", "upper"),
    [
        (14, (3.43, 3.90), (10.5, 11.2)),
        (7, (0.99, 1.44), (6.0, 6.64)),
        (5, (0.49, 0.52), (4.59, 5.39)),
    ],
)
def test_percentile_ends_lie_where_the_simulated_placements_lie(successes, lower, upper):
    low, high = cluster_bootstrap(eval_200(successes), seed=7).ci
    monte_carlo = 0.2  # 4 x MC-SE of 0.05 percentage points
    assert lower[0] - monte_carlo <= 100 * low <= lower[1] + monte_carlo
    assert upper[0] - monte_carlo <= 100 * high <= upper[1] + monte_carlo


def test_the_bootstrap_is_seeded_and_says_so():
    first, again = (cluster_bootstrap(eval_200(14), seed=3, replicates=500) for _ in range(2))
    assert first == again
    assert (first.seed, first.replicates, first.clusters, first.n, first.k) == (3, 500, 167, 200, 14)


def test_clusters_of_one_item_have_design_effect_one():
    totals = cluster_totals([1, 0, 0, 1, 0] * 10, list(range(50)))
    # All sizes 1: linearised SE^2 = p (1 - p) / (n - 1) = .24 / 49.
    assert clustered_se(totals) == pytest.approx(math.sqrt(0.24 / 49), abs=1e-12)
    assert design_effect(totals) == pytest.approx(1, abs=1e-12)


def test_doubling_every_item_of_a_cluster_doubles_the_design_effect():
    values, names = [1, 0, 0, 1, 0] * 10, list(range(50))
    single = cluster_totals(values, names)
    double = cluster_totals(values * 2, names * 2)
    # The SE stays, the SRS variance falls from .24/49 to .24/99.
    assert design_effect(double) == pytest.approx(99 / 49, abs=1e-12)
    assert clustered_se(double) == pytest.approx(clustered_se(single), abs=1e-12)


def test_wilson_on_the_effective_sample_size_matches_the_worked_example():
    # 3 vii: 14/200 with design effect 1.2 gives [4.02, 11.92] percent.
    n = 200 / 1.2
    low, high = wilson(0.07 * n, n)
    assert (round(100 * low, 2), round(100 * high, 2)) == (4.02, 11.92)


def test_without_clustering_the_headline_is_plain_wilson():
    totals = cluster_totals([1] * 14 + [0] * 186, [""] * 200)
    estimate = wilson_on_effective_n(totals)
    assert estimate.ci == pytest.approx(wilson(14, 200), abs=1e-12)
    assert estimate.clusters == 200


def test_fewer_than_twenty_clusters_are_flagged_and_use_students_t():
    totals = cluster_totals([1, 0] * 10, [i // 2 for i in range(20)])
    estimate = wilson_on_effective_n(totals)
    assert Caution.FEW_CLUSTERS in estimate.warnings
    # t with 9 degrees of freedom is 2.262157; design effect is floored at 1, n = 20.
    assert estimate.ci == pytest.approx(wilson(10, 20, quantile=2.262157163), abs=1e-8)


@pytest.mark.parametrize("successes", [0, 4, 200])
def test_a_bootstrap_with_few_successes_or_failures_is_flagged(successes):
    estimate = cluster_bootstrap(eval_200(successes), seed=1, replicates=200)
    assert Caution.DEGENERATE_BOOTSTRAP in estimate.warnings


def test_a_bootstrap_without_success_is_a_flagged_point_and_the_headline_is_not():
    """Nothing tells whether two outputs of a paper fail together: Wilson's interval of 0 of 167 papers."""
    totals = eval_200(0)
    assert cluster_bootstrap(totals, seed=1, replicates=200).ci == (0, 0)
    # 134 papers with one output and 33 with two weigh as much as 200^2 / (134 + 33 * 4) = 150.38 with as many each
    assert wilson_on_effective_n(totals).ci == pytest.approx(
        (0, 3.841459 / (150.375940 + 3.841459)), abs=1e-6
    )
    earlier = wilson_on_effective_n(totals, way=Clustering.INDEPENDENT)
    assert earlier.ci == pytest.approx((0, 0.018845), abs=1e-6)


@pytest.mark.parametrize("p", [0.8, 0.9, 0.95, 0.98])
@pytest.mark.parametrize(("papers", "each"), [(10, 8), (30, 4), (30, 8), (50, 2)])
def test_outputs_that_succeed_and_fail_together_are_covered_also_where_all_succeed(papers, each, p):
    """The exact coverage where papers succeed as a whole: k of them with the probability of a binomial. An effect of 1
    where all outputs succeed covers .9 with ten papers in 64 % of the cases, and .98 with thirty in 43 %."""
    covered = 0.0
    for k in range(papers + 1):
        totals = ClusterTotals(np.repeat([float(each), 0.0], [k, papers - k]), np.full(papers, each))
        low, high = wilson_on_effective_n(totals).ci
        covered += math.comb(papers, k) * p**k * (1 - p) ** (papers - k) * (low <= p <= high)
    assert covered > 0.92


def test_attempts_at_one_problem_are_worth_one():
    """Five of eight attempts: the interval of a share of 5/8 from one problem, and no more."""
    found = wilson_on_effective_n(cluster_totals([1, 0, 1, 1, 0, 1, 0, 1], ["only"] * 8))
    assert found.ci == pytest.approx(wilson(5 / 8, 1), abs=1e-12)


def test_no_items_give_null_with_a_reason():
    empty = cluster_totals([], [])
    assert wilson_on_effective_n(empty).reason == Reason.NO_ITEMS
    assert cluster_bootstrap(empty, seed=1).reason == Reason.NO_ITEMS
    assert paired_difference([], [], [], seed=1).reason == Reason.NO_ITEMS


def test_a_paired_difference_of_a_system_with_itself_is_exactly_zero():
    values = [1, 0, 1, 1, 0, 0] * 5
    estimate = paired_difference(values, values, list(range(30)), seed=1, replicates=200)
    assert (estimate.value, estimate.ci, estimate.se) == (0, (0, 0), 0)
    assert Caution.DEGENERATE_BOOTSTRAP in estimate.warnings


def test_a_paired_difference_has_the_width_of_its_linearised_error():
    rng = generator(5)
    first, second = rng.integers(2, size=400), rng.integers(2, size=400)
    estimate = paired_difference(first, second, [i // 2 for i in range(400)], seed=1)
    low, high = estimate.ci
    assert estimate.value == pytest.approx((first - second).mean())
    assert (high - low) / (2 * 1.96 * estimate.se) == pytest.approx(1, abs=0.03)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=40))
def test_compressed_rows_are_the_rows(rows):
    patterns, counts, codes = compress_rows(rows)
    assert patterns[codes].tolist() == [list(map(float, row)) for row in rows]
    assert counts.sum() == len(rows)
    assert len({tuple(pattern) for pattern in patterns.tolist()}) == len(patterns)


def test_patterns_and_row_numbers_give_the_same_distribution():
    # 400 distinct rows are drawn by number, 4 distinct ones by pattern; both means and variances are known.
    rng = generator(11)
    distinct = np.arange(400.0)[:, None]
    repeated = np.repeat([[0.0], [1.0], [2.0], [3.0]], 100, axis=0)
    for rows in (distinct, repeated):
        sums = resampled_sums(rows, replicates=4000, rng=rng)[:, 0]
        assert sums.mean() == pytest.approx(rows.sum(), rel=0.005)
        assert sums.std() == pytest.approx(rows.std() * math.sqrt(len(rows)), rel=0.06)


@given(st.permutations(range(12)))
def test_the_order_of_items_and_the_names_of_clusters_do_not_matter(order):
    values, names = np.array([1, 0, 1, 1, 0, 0] * 2), [i // 3 for i in range(12)]
    renamed = [f"paper {names[i]}" for i in order]
    shuffled = wilson_on_effective_n(cluster_totals(values[list(order)], renamed))
    plain = wilson_on_effective_n(cluster_totals(values, names))
    assert shuffled.ci == pytest.approx(plain.ci, abs=1e-12)
