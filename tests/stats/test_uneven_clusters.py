"""Papers with very different numbers of outputs: errors and intervals of shares, means and differences (ADR 0067)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.coverage.uneven import of_design
from stats.audit.superpopulation import superpopulation_score
from stats.core.bootstrap import generator
from stats.core.estimate import Caution
from stats.core.strata import Stratum
from stats.pairs import davidson
from stats.pairs.pairwise import Comparisons
from stats.pairs.strength_bootstrap import clustered_parameter
from stats.scores.clusters import (
    Clustering,
    ClusterTotals,
    cluster_bootstrap,
    cluster_totals,
    clustered_se,
    design_effect,
)
from stats.scores.means import clustered_mean, share_of
from stats.scores.paired import paired_interval

DRAWS = 500  # Monte Carlo error of a coverage of .95: .010


def totals(sums: list[float], sizes: list[int]) -> ClusterTotals:
    return ClusterTotals(np.array(sums, dtype=float), np.array(sizes))


@given(st.integers(1, 5), st.lists(st.integers(0, 4), min_size=2, max_size=12))
def test_clusters_of_one_size_have_the_linearised_error(size, successes):
    alike = totals([min(one, size) for one in successes], [size] * len(successes))
    linearised = clustered_se(alike, Clustering.EVEN)
    assert clustered_se(alike) == pytest.approx(linearised, rel=1e-9, abs=1e-12)
    assert alike.effective_clusters == pytest.approx(len(successes))


def test_the_error_is_the_jackknifes_where_clusters_have_nothing_in_common():
    # Means without a cluster: 1/2, 3/7, 4/7; the mean is 1/2.
    assert clustered_se(totals([3, 1, 0], [6, 1, 1])) == pytest.approx(math.sqrt(2 / 3 * 2 / 14**2))


def test_the_error_is_that_of_variance_components_where_items_of_a_cluster_are_alike():
    # Between clusters 5/12, within 0, (6 - 18/6) / 2 = 3/2 items a cluster: variance 5/18 times 18/36 of the mean.
    # The jackknife's would be .0933, the linearised one .0486.
    assert clustered_se(totals([4, 0, 1], [4, 1, 1])) == pytest.approx(math.sqrt(5 / 36))


def test_the_error_of_values_between_0_and_1_needs_their_squares():
    # Each value is .5: within clusters nothing differs. As counts of 0 and 1 the same sums would.
    values, papers = [0.5] * 6 + [1, 1], [1, 1, 1, 1, 2, 2, 3, 3]
    given_values = cluster_totals(values, papers)
    as_counts = ClusterTotals(given_values.sums, given_values.sizes)
    assert given_values.squares == pytest.approx([1, 0.5, 2])
    assert clustered_se(given_values) > clustered_se(as_counts)


def test_where_all_succeed_a_large_paper_counts_for_one():
    # 40 of 60 outputs are from one paper: 60^2 / (40^2 + 20) = 2.22 papers with as many outputs each.
    assert design_effect(totals([40, *[1] * 20], [40, *[1] * 20])) == pytest.approx((40**2 + 20) / 60)


def test_few_clusters_are_those_that_weigh_like_few():
    one_large = totals([20, *[1, 0] * 20], [40, *[1] * 40])
    assert Caution.FEW_CLUSTERS in share_of(one_large).warnings
    assert Caution.FEW_CLUSTERS in cluster_bootstrap(one_large, seed=1, replicates=200).warnings
    assert Caution.FEW_CLUSTERS not in share_of(totals([1, 0] * 20, [2] * 40)).warnings


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_where_one_paper_has_most_outputs_the_intervals_cover_the_truth(share):
    measured = {
        cell.design.rpartition(" ")[2]: cell
        for cell in of_design(papers=20, pattern="one large", share=share, correlation=0.4, draws=DRAWS)
    }
    assert all(cell.inside == 1 for cell in measured.values())
    assert min(measured["share"].coverage, measured["difference"].coverage) >= 0.93
    assert measured["mean"].coverage >= 0.92


def test_errors_as_of_clusters_of_one_size_missed_the_truth_in_a_third_of_the_cases_or_more():
    """What older artifacts hold."""
    rng, covered = generator(2), 0
    for _ in range(DRAWS):
        codes = np.repeat(np.arange(20), [60, *[2] * 19])
        values = rng.random(len(codes)) < rng.beta(0.45, 1.05, 20)[codes]
        low, high = share_of(cluster_totals(values, codes), Clustering.EVEN).ci
        covered += low <= 0.3 <= high
    assert covered / DRAWS < 0.67


def test_a_score_for_new_items_covers_the_truth_where_one_paper_has_most_outputs():
    rng, sizes, covered = generator(4), np.array([180, *[2] * 59]), 0
    for _ in range(DRAWS):
        found = rng.binomial(sizes, rng.beta(0.3, 0.7, 60))
        stratum = [Stratum("all", int(sizes.sum()), int(sizes.sum()), int(found.sum()))]
        low, high = superpopulation_score(stratum, sizes[:, None], sizes[:, None], found[:, None]).ci
        covered += low <= 0.3 <= high
    assert covered / DRAWS >= 0.93


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=25,
    )
)
def test_every_interval_is_on_its_scale_and_has_its_value_inside(rows):
    codes, first, second = (np.array(column) for column in zip(*rows, strict=True))
    codes = np.unique(codes, return_inverse=True)[1]
    binary = (np.floor(first), np.floor(second))
    for estimate, low, high in (
        (share_of(cluster_totals(binary[0], codes)), 0, 1),
        (clustered_mean(cluster_totals(first, codes), "mean"), 0, 1),
        (paired_interval(*binary, codes), -1, 1),
        (paired_interval(first, second, codes), -1, 1),
    ):
        if estimate.ci is not None:
            assert low - 1e-9 <= estimate.ci[0] <= estimate.value + 1e-9
            assert estimate.value - 1e-9 <= estimate.ci[1] <= high + 1e-9


def test_the_error_of_a_strength_is_no_less_than_that_of_fits_without_each_problem():
    rng, pairs = generator(6), np.array([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
    problems = np.repeat(np.arange(80), [480, *[6] * 79])
    first, second = np.tile(pairs, (159, 1)).T
    suits = np.array([0.5, 0.0, -0.5]) + 0.6 * rng.normal(size=(80, 3))
    ahead = 1 / (1 + np.exp(suits[problems, second] - suits[problems, first]))
    result = np.where(rng.random(954) < 0.2, 2, rng.random(954) > ahead)
    games = Comparisons(first, second, result, ("A", "B", "C"))
    fitted = davidson.fit(games.table())
    left = np.array(
        [davidson.fit(games.take(np.flatnonzero(problems != at)).table()).strengths[0] for at in range(80)]
    )
    fitted_again = math.sqrt(79 / 80 * ((left - left.mean()) ** 2).sum())
    in_one_step = clustered_parameter(games, problems, fitted, 0).se
    assert fitted_again < in_one_step < 1.3 * fitted_again
    as_if_even = clustered_parameter(games, problems, fitted, 0, way=Clustering.EVEN).se
    assert as_if_even < 0.7 * fitted_again
