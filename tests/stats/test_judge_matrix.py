"""Generators against judges (STATISTICS.md 2A LemmaBench, 3 iii)."""

import numpy as np
import pytest

from stats.core.estimate import Caution, Reason
from stats.scores.correlation import spearman
from stats.scores.judge_matrix import interaction_residuals, self_preference

# 2A, L Table 4 on n = 358: rows GPT-5, Gemini 3, Opus as generators, columns the same as judges.
TABLE_4 = np.array([[55, 67, 125], [12, 57, 104], [6, 50, 60]])


def verdicts(seed, *, preference=0.0, items=400):
    """Three generators and judges on common items; an item's difficulty is shared by its nine verdicts."""
    rng = np.random.default_rng(seed)
    item, generator, judge = (part.ravel() for part in np.indices((items, 3, 3)))
    own = (generator == judge).astype(int)
    lead = np.array([0.5, 0.0, -0.5])[generator] + np.array([-1.0, 0.0, 1.0])[judge] + preference * own
    lead = lead + rng.normal(scale=1.0, size=items)[item]
    return generator, judge, item, (rng.random(len(item)) < 1 / (1 + np.exp(-lead))).astype(int), own


def test_lemmabench_table_4_totals_and_residuals_are_reproduced():
    assert TABLE_4.sum(axis=1).tolist() == [247, 173, 116]
    assert TABLE_4.sum(axis=0).tolist() == [73, 174, 289]
    residuals = interaction_residuals(TABLE_4, 358)
    assert np.diag(residuals) == pytest.approx([0.672, 0.048, 0.011], abs=5e-4)
    assert residuals.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)
    assert [spearman(TABLE_4[:, 0], TABLE_4[:, other]).value for other in (1, 2)] == [1, 1]


@pytest.mark.slow
def test_the_fit_and_its_clustered_errors_agree_with_statsmodels():
    import statsmodels.api as sm

    generator, judge, item, accepted, own = verdicts(1, preference=0.7)
    dummies = [np.ones(len(item)), generator == 1, generator == 2, judge == 1, judge == 2, own]
    fitted = sm.GLM(accepted, np.column_stack(dummies).astype(float), family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    )
    found = self_preference(generator, judge, item, accepted, own)
    assert found.value == pytest.approx(fitted.params[-1], abs=1e-6)
    assert found.se == pytest.approx(fitted.bse[-1] * np.sqrt(400 / 399), abs=1e-6)


def test_the_interval_of_self_preference_covers_no_preference():
    # 300 studies without preference; shared difficulty makes verdicts of an item alike, and the clustered
    # error knows. Monte Carlo error of the coverage: 1.3 points.
    covered = 0
    for seed in range(300):
        low, high = self_preference(*verdicts(seed, items=120)).ci
        covered += low <= 0 <= high
    assert 0.93 <= covered / 300 <= 0.98


def test_a_judge_that_accepts_only_itself_has_no_finite_preference():
    generator, judge, item = (part.ravel() for part in np.indices((2, 2, 5)))
    own = (generator == judge).astype(int)
    assert self_preference(generator, judge, item, own, own) is Reason.SEPARATION
    # Every judge rejects all answers of one generator that are its own: its log odds run away, no parameter alone does.
    generator, judge, item = (part.ravel() for part in np.indices((2, 2, 3)))
    accepted = [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0]
    assert self_preference(generator, judge, item, accepted, generator == judge) is Reason.SEPARATION
    assert self_preference([], [], [], [], []) is Reason.NO_ITEMS


def test_a_single_judge_cannot_be_told_to_prefer_itself():
    # One judge: own is the same as being its generator.
    assert (
        self_preference([0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0])
        is Reason.NOT_CONNECTED
    )


def test_few_items_are_flagged_and_wrong_tables_refused():
    found = self_preference(*verdicts(5, items=12))
    assert found.warnings == (Caution.FEW_CLUSTERS,)
    with pytest.raises(ValueError, match="between 0 and 5"):
        interaction_residuals([[6]], 5)
    with pytest.raises(ValueError, match="one length"):
        self_preference([0], [0, 1], [0], [1], [1])
    with pytest.raises(ValueError, match="0 or 1"):
        self_preference([0], [0], [0], [2], [1])
