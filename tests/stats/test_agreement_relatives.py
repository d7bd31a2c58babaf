"""Relatives of the coefficients (STATISTICS.md 2A, 2C), from the same sums that the platform's own come from.

Brennan-Prediger, Conger, Scott and pooled Fleiss are not offered; that the sums give them to the last published
digit checks observed agreement, margins and weights one by one.
"""

import numpy as np
import pytest

from stats.agreement import cohen, gwet
from stats.agreement import krippendorff as kripp
from stats.agreement.icc import mean_squares
from stats.agreement.rater_pairs import pair_table
from tests.stats.test_agreement import (
    FLEISS,
    SHROUT_FLEISS,
    THREE,
    bundle,
    canonical,
    first_proof,
    two_raters,
)


def brennan_prediger(counts):
    q = counts.shape[1]
    return (float(gwet.percent(gwet.item_sums(counts, np.eye(q)).sum(axis=0))) - 1 / q) / (1 - 1 / q)


def conger(ratings):
    """Chance is sum_k (mean share)^2 minus the variance of raters' shares over their number (Conger 1980)."""
    matrix, q = ratings.matrix(), ratings.q
    shares = np.array([[(row == k).sum() / (row >= 0).sum() for k in range(q)] for row in matrix])
    chance = (shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / len(matrix)).sum()
    observed = float(gwet.percent(gwet.item_sums(ratings.counts(), np.eye(q)).sum(axis=0)))
    return (observed - chance) / (1 - chance)


def weighted_alpha(counts, weights):
    """Alpha with agreement weights, the form of irrCAC: units with two ratings, small-sample term 1 / n."""
    kept = counts[counts.sum(axis=1) >= 2].astype(float)
    m = kept.sum(axis=1)
    n = m.sum()
    pairs = (kept * (kept @ weights - 1)).sum(axis=1) / (m - 1)
    observed = (1 - 1 / n) * pairs.sum() / n + 1 / n
    shares = kept.sum(axis=0) / n
    chance = float(shares @ weights @ shares)
    return (observed - chance) / (1 - chance)


def test_the_canonical_data_have_the_published_relatives():
    ratings = canonical()
    counts, points = ratings.counts(), np.arange(5.0)
    assert conger(ratings) == pytest.approx(0.76282, abs=5e-6)
    assert brennan_prediger(counts) == pytest.approx(0.77273, abs=5e-6)
    # Trap 1 of 2C: "ordinal" weights give .83364, Krippendorff's ordinal metric .81539.
    for kind, value in (("linear", 0.80038), ("quadratic", 0.84911), ("ordinal", 0.83364)):
        assert weighted_alpha(counts, gwet.weights(kind, points)) == pytest.approx(value, abs=5e-6), kind


def test_trap_2_a_unit_with_one_rating_counts_for_gwet_and_not_for_alpha():
    ratings = canonical()
    counts = ratings.counts()
    alone = counts.sum(axis=1) == 1
    assert alone.sum() == 1
    alpha = kripp.alpha(kripp.coincidences(counts).sum(axis=0), "nominal", np.arange(5.0))
    without = kripp.alpha(kripp.coincidences(counts[~alone]).sum(axis=0), "nominal", np.arange(5.0))
    assert float(alpha) == float(without)
    identity = np.eye(5)
    sums = gwet.item_sums(counts, identity)
    assert float(gwet.gwet(sums.sum(axis=0), identity)) == pytest.approx(0.7754441, abs=5e-8)
    assert float(gwet.gwet(sums[~alone].sum(axis=0), identity)) != pytest.approx(0.7754441, abs=1e-4)


def test_the_fleiss_example_has_the_published_chance():
    counts = np.array([[int(n) for n in row.split(",")] for row in FLEISS.split(";")])
    shares = counts.sum(axis=0) / counts.sum()
    assert float((shares**2).sum()) == pytest.approx(0.2127551, abs=5e-8)


def test_the_three_by_three_table_has_the_published_relatives():
    counts = two_raters(THREE).counts()
    scott = gwet.fleiss(gwet.item_sums(counts, np.eye(3)).sum(axis=0))
    assert float(scott) == pytest.approx(0.7962397, abs=5e-8)
    assert brennan_prediger(counts) == pytest.approx(0.835, abs=5e-10)
    assert conger(two_raters(THREE)) == pytest.approx(float(cohen.kappa(THREE)), abs=1e-12)


def test_pabak_is_brennan_prediger_of_the_paradoxical_table():
    assert brennan_prediger(two_raters(np.array([[80, 10], [5, 5]])).counts()) == pytest.approx(0.70)


def test_the_almost_empty_paradox_table_is_reproduced():
    # (118, 5, 2, 0): kappa below 0 at .94 agreement.
    found = bundle(two_raters(np.array([[118, 5], [2, 0]])), level="nominal")
    assert found["percent"].value == pytest.approx(0.944)
    assert found["cohen_kappa"].value == pytest.approx(-0.0234, abs=5e-5)
    assert found["gwet_ac1"].value == pytest.approx(0.9408, abs=5e-5)


def test_pooled_margins_give_the_other_fleiss_of_first_proof():
    counts = first_proof().counts()
    observed = float(gwet.percent(gwet.item_sums(counts, np.eye(3)).sum(axis=0)))
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    assert (observed - chance) / (1 - chance) == pytest.approx(0.848864, abs=5e-7)


def test_a_first_proof_system_with_one_dissent_shows_the_paradox():
    found = bundle(first_proof("Aletheia"))
    assert found["percent"].value == pytest.approx(0.90, abs=5e-4)
    assert found["gwet_ac1"].value == pytest.approx(0.893, abs=5e-4)


def test_interval_alpha_of_shrout_and_fleiss_is_reproduced():
    scores = np.array(SHROUT_FLEISS, dtype=float)
    points = np.unique(scores)
    counts = np.array([[(row == point).sum() for point in points] for row in scores])
    assert float(kripp.interval_alpha(kripp.moments(counts, points).sum(axis=0))) == pytest.approx(
        0.1473079, abs=5e-8
    )
    # The same from the analysis of variance: alpha is ICC(1,1) with total variance over n k - 1.
    assert mean_squares(scores).rows == pytest.approx(11.241667, abs=5e-7)


def test_continuous_scores_need_no_table_of_values():
    # 2,000 units with thousands of distinct values: moments against the coincidence matrix on a rounded copy.
    rng = np.random.default_rng(1)
    truth = rng.normal(size=300)[:, None]
    scores = np.round(truth + rng.normal(scale=0.5, size=(300, 4)), 1)
    points, codes = np.unique(scores, return_inverse=True)
    counts = np.array([np.bincount(row, minlength=len(points)) for row in codes.reshape(scores.shape)])
    by_moments = kripp.interval_alpha(kripp.moments(counts, points).sum(axis=0))
    by_table = kripp.alpha(kripp.coincidences(counts).sum(axis=0), "interval", points)
    assert float(by_moments) == pytest.approx(float(by_table), abs=1e-12)


def test_two_code_vectors_give_the_table_they_came_from():
    ratings = two_raters(THREE)
    assert pair_table(*ratings.matrix(), 3).tolist() == np.array(THREE).tolist()
