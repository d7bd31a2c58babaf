"""Crossed clusters and resampling within strata (STATISTICS.md 3 vii)."""

import math

import numpy as np
import pytest

from stats.cluster_designs import stratified_cluster_bootstrap, two_way_mean
from stats.clusters import ClusterTotals, cluster_bootstrap, cluster_totals, wilson_on_effective_n
from stats.estimate import Caution, Reason


def crossed(seed, papers=40, raters=30):
    """One label per paper and rater; papers and raters both shift it."""
    rng = np.random.default_rng(seed)
    lead = rng.normal(size=papers)[:, None] + rng.normal(size=raters)[None, :]
    values = (rng.random((papers, raters)) < 1 / (1 + np.exp(-lead))).astype(float)
    paper, rater = np.indices(values.shape)
    return values.ravel(), paper.ravel().tolist(), rater.ravel().tolist()


def test_the_variance_is_that_of_papers_plus_raters_minus_cells():
    values, paper, rater = crossed(1)
    n, mean = len(values), values.mean()

    def variance(sums, size):
        residual = np.asarray(sums) - mean * size
        return len(residual) / (len(residual) - 1) * (residual @ residual) / n**2

    table = values.reshape(40, 30)
    by_hand = variance(table.sum(axis=1), 30) + variance(table.sum(axis=0), 40) - variance(values, 1)
    assert two_way_mean(values, paper, rater).se == pytest.approx(math.sqrt(by_hand), abs=1e-12)


def test_it_agrees_with_statsmodels_two_way_covariance():
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    values, paper, rater = crossed(2)
    fitted = sm.OLS(values, np.ones_like(values)).fit()
    # With their factor (C / (C - 1)) (n - 1) / (n - k), k = 1 parameter, both corrections are the same.
    covariance = cov_cluster_2groups(fitted, np.array(paper), np.array(rater))[0]
    assert two_way_mean(values, paper, rater).se == pytest.approx(float(np.sqrt(covariance[0, 0])), rel=1e-9)


def test_one_way_clusters_that_are_nested_leave_the_coarser_ones():
    values, paper, _ = crossed(3)
    alone = list(range(len(values)))
    found = two_way_mean(values, paper, alone)
    coarse = wilson_on_effective_n(cluster_totals(values, paper))
    assert found.se == pytest.approx(coarse.se, abs=1e-12)


def test_the_interval_covers_where_one_way_clustering_does_not():
    # Superpopulation mean of the crossed logit model is 1/2 by symmetry; 400 studies, fixed seeds.
    two_way = one_way = 0
    for seed in range(400):
        values, paper, rater = crossed(seed, papers=30, raters=25)
        low, high = two_way_mean(values, paper, rater).ci
        two_way += low <= 0.5 <= high
        low, high = wilson_on_effective_n(cluster_totals(values, paper)).ci
        one_way += low <= 0.5 <= high
    assert 0.93 <= two_way / 400 <= 0.97
    assert one_way / 400 < 0.88


def test_few_raters_are_flagged_and_use_students_t():
    values, paper, rater = crossed(4, raters=3)
    found = two_way_mean(values, paper, rater)
    assert found.clusters == 3
    assert found.warnings == (Caution.FEW_CLUSTERS,)
    assert two_way_mean([], [], []).reason is Reason.NO_ITEMS
    assert two_way_mean([1, 0], ["a", "b"], ["r", "r"]).ci is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        two_way_mean([1, 2], ["a", "b"], ["r", "s"])


def test_resampling_within_domains_leaves_out_their_differences():
    # Domain A always succeeds, domain B never: nothing varies within, so the balanced design has no error.
    totals = ClusterTotals(np.repeat([1.0, 0.0], 50), np.ones(100, dtype=np.int64))
    domains = ["A"] * 50 + ["B"] * 50
    found = stratified_cluster_bootstrap(totals, domains, seed=1)
    assert found.ci == (0.5, 0.5)
    free = cluster_bootstrap(totals, seed=1).ci
    assert free[1] - free[0] > 0.15
    one = stratified_cluster_bootstrap(totals, ["all"] * 100, seed=1)
    assert one.ci == free
    with pytest.raises(ValueError, match="100 clusters but 1 strata"):
        stratified_cluster_bootstrap(totals, ["A"], seed=1)
