"""Judge-assisted estimates (STATISTICS.md 2E, 3 i)."""

import numpy as np
import pytest

from stats.estimate import Caution, Reason
from stats.ppi import difference_estimate, ppi_mean
from stats.rogan_gladen import rogan_gladen

# 2E: labelled 40x(1,1) 10x(0,1) 5x(1,0) 45x(0,0) as (y, f); 300 ones among 1,000 unlabelled.
LABELS = [1] * 40 + [0] * 10 + [1] * 5 + [0] * 45
SCORES = [1] * 50 + [0] * 50
OTHERS = [1] * 300 + [0] * 700


def test_ppi_is_reproduced():
    found = ppi_mean(LABELS, SCORES, OTHERS)
    assert found.value == pytest.approx(0.25, abs=1e-12)
    assert found.ci == pytest.approx((0.1695459, 0.3304541), abs=5e-8)


def test_tuned_ppi_is_reproduced():
    found = ppi_mean(LABELS, SCORES, OTHERS, power=None)
    assert found.method == "ppi++, lambda 0.7326667"
    assert found.value == pytest.approx(0.3034667, abs=5e-8)
    assert found.ci == pytest.approx((0.2310435, 0.3758898), abs=5e-8)


def test_without_the_judge_ppi_is_the_classical_mean():
    found = ppi_mean(LABELS, SCORES, OTHERS, power=0.0)
    assert (found.value, found.se) == pytest.approx((0.45, 0.04975), abs=5e-6)


def test_the_difference_estimator_respects_the_stratified_design():
    # The same counts drawn as 50 of 300 and 50 of 700: .31, where PPI as an SRS says .25 to .30.
    audited = list(range(50)) + list(range(300, 350))
    inclusion = [50 / 300] * 50 + [50 / 700] * 50
    assert difference_estimate(OTHERS, audited, LABELS, inclusion) == pytest.approx(0.31, abs=1e-12)


def test_ppi_covers_the_truth_when_the_labelled_items_are_a_random_sample():
    rng, inside, studies = np.random.default_rng(1), 0, 300
    for _ in range(studies):
        truth = rng.random(600) < 0.3
        judge = np.where(rng.random(600) < 0.9, truth, ~truth)
        low, high = ppi_mean(truth[:100], judge[:100], judge[100:], power=None).ci
        inside += low <= 0.3 <= high
    # Nominal 95 % within three binomial standard errors of 300 studies (.038).
    assert inside / studies == pytest.approx(0.95, abs=0.038)


def test_ppi_without_labels_is_undefined():
    assert ppi_mean([], [], OTHERS).reason == Reason.NO_ITEMS


@pytest.mark.parametrize("inclusion", [0.0, 1.5])
def test_an_impossible_inclusion_probability_is_refused(inclusion):
    with pytest.raises(ValueError, match="inclusion"):
        difference_estimate([1, 0], [0], [1], [inclusion])


def test_rogan_gladen_is_reproduced():
    found = rogan_gladen(300, 1000, true_positives=40, diseased=45, true_negatives=45, healthy=55)
    assert found.value == pytest.approx(0.1671429, abs=5e-8)
    assert found.se == pytest.approx(0.0655389, abs=5e-8)
    assert found.ci == pytest.approx((0.0084620, 0.2792995), abs=5e-7)
    assert Caution.TRANSPORT_ASSUMPTION in found.warnings


# 2A, table L: judge's share, PPV and the human share imply Se and Sp; going back must give the human share.
@pytest.mark.parametrize(
    ("judged", "ppv", "human"),
    [(0.674, 0.965, 0.857), (0.785, 0.90, 0.825), (0.476, 0.781, 0.64), (0.369, 0.884, 0.449)],
)
def test_going_back_from_sensitivity_and_specificity_is_an_identity(judged, ppv, human):
    size = 10_000_000
    found = rogan_gladen(
        round(size * judged),
        size,
        true_positives=round(size * judged * ppv / human),
        diseased=size,
        true_negatives=round(size * (1 - judged * (1 - ppv) / (1 - human))),
        healthy=size,
    )
    assert found.value == pytest.approx(human, abs=1e-5)


def test_a_judge_no_better_than_chance_corrects_nothing():
    found = rogan_gladen(30, 100, true_positives=5, diseased=10, true_negatives=5, healthy=10)
    assert (found.value, found.reason) == (None, Reason.JUDGE_UNINFORMATIVE)


def test_a_value_outside_zero_and_one_is_truncated_and_flagged():
    found = rogan_gladen(1, 100, true_positives=9, diseased=10, true_negatives=8, healthy=10)
    assert found.value == 0
    assert Caution.TRUNCATED in found.warnings
