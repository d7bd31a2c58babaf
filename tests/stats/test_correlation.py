"""Correlations (STATISTICS.md 2A table M; shared/data/README.md)."""

from collections import defaultdict

import pytest

from stats.core.estimate import Reason
from stats.scores.correlation import kendall_tau_b, pearson, spearman
from tests.stats.real_data import deepseek_proofs

SEVEN = [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("other", "rho", "ends"),
    [
        # Sums of squared rank differences 12, 6 and 8: rho = 1 - 6 x sum / 336.
        ([2, 1, 4, 3, 6, 5, 7], 0.8929, (0.27, 0.99)),
        ([3, 2, 1, 4, 5, 6, 7], 0.8571, (0.14, 0.99)),
        ([3, 2, 1, 5, 4, 7, 6], 0.7857, (-0.06, 0.98)),
    ],
)
def test_spearman_has_the_interval_of_bonett_and_wright(other, rho, ends):
    found = spearman(SEVEN, other)
    assert found.value == pytest.approx(rho, abs=5e-5)
    # The table's upper ends .98 and .99 are .9748 and .9846.
    assert found.ci == pytest.approx(ends, abs=6e-3)


def test_the_deepseek_scores_correlate_with_human_points_as_published():
    proofs = deepseek_proofs()
    share = [proof["points"] / proof["maximum"] for proof in proofs]
    score = [proof["verifier"] for proof in proofs]
    assert pearson(score, share).value == pytest.approx(0.70334, abs=5e-6)
    assert spearman(score, share).value == pytest.approx(0.77831, abs=5e-6)
    assert kendall_tau_b(score, share).value == pytest.approx(0.74068, abs=5e-6)


def test_the_deepseek_points_add_up_as_published():
    totals = defaultdict(lambda: [0, 0])
    for proof in deepseek_proofs():
        totals[proof["set"]][0] += proof["points"]
        totals[proof["set"]][1] += proof["maximum"]
    assert totals["Putnam2024"] == [118, 120]
    assert totals["IMO-ProofBench-Basic"] == [208, 210]
    assert totals["IMO-ProofBench-Advanced"] == [130, 210]
    assert totals["IMO2025"] == [35, 42]
    assert totals["CMO2024"] == [93, 126]


def test_a_score_that_never_varies_has_no_correlation():
    for correlate in (pearson, spearman, kendall_tau_b):
        assert correlate([1, 1, 1], [1, 2, 3]).reason == Reason.ZERO_DENOM
        assert correlate([], []).reason == Reason.NO_ITEMS


def test_the_interval_of_kendall_s_tau_is_that_of_fisher_s_z_with_variance_0_437_over_n_less_4():
    """Two of 21 pairs turned: tau = 17/21; tanh(atanh(17/21) -+ 1.96 sqrt(0.437 / 3))."""
    found = kendall_tau_b([1, 2, 3, 4, 5, 6, 7], [2, 1, 3, 4, 5, 7, 6])
    assert found.value == pytest.approx(17 / 21)
    assert found.ci == pytest.approx((0.3606, 0.9539), abs=1e-4)
    assert kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]).ci is None
