"""Agreement with the judge when its verdict was in sight and when it was not (STATISTICS.md 3 ix)."""

import numpy as np
import pytest

from stats.core.estimate import Reason
from stats.core.intervals import proportion
from stats.raters.anchoring import anchoring
from stats.scores.compare import unpaired_newcombe


def test_independent_labels_give_the_unpaired_difference():
    # Every rater gives one label, so the design effect is 1: 56 of 70 visible, 48 of 80 hidden, the golden
    # case of Newcombe's unpaired interval in STATISTICS.md 2E.
    agrees = [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32
    found = anchoring(agrees, [1] * 70 + [0] * 80, range(150), range(150))
    assert found.visible.value == 0.8
    assert found.hidden.value == 0.6
    assert found.difference.value == pytest.approx(0.2)
    assert found.difference.ci == pytest.approx((0.0524315, 0.3338727), abs=1e-7)


def test_raters_who_differ_among_themselves_widen_the_difference():
    agrees = np.repeat([1, 1, 0, 1, 0, 0], 20)
    visible = np.repeat([1, 1, 1, 0, 0, 0], 20)
    found = anchoring(agrees, visible, np.repeat(range(6), 20).tolist(), range(120))
    alone = unpaired_newcombe(proportion(40, 60), proportion(20, 60))
    assert found.difference.value == alone.value
    assert found.difference.ci[0] < alone.ci[0]
    assert found.difference.ci[1] > alone.ci[1]
    assert found.visible.clusters == 3


def test_the_difference_between_few_raters_has_student_s_t():
    # Four raters on each side whose shares come from Beta(9.8, 4.2), mean .7, correlation 1/15, 50 labels each.
    # The normal quantile on the same effective numbers covered .89.
    rng, inside = np.random.default_rng(5), 0
    visible, raters = np.repeat([1, 0], 200), np.tile(np.repeat(range(4), 50), 2).tolist()
    for _ in range(300):
        agrees = rng.random(400) < np.repeat(rng.beta(9.8, 4.2, size=8), 50)
        low, high = anchoring(agrees, visible, raters, range(400)).difference.ci
        inside += low <= 0 <= high
    assert inside / 300 >= 0.93


def test_labels_on_one_item_agree_or_disagree_with_its_verdict_together():
    # Twelve raters, six to an item; verdicts are wrong on a fifth of 30 items. Clusters of raters alone covered .83.
    rng, inside = np.random.default_rng(6), 0
    items = np.repeat(range(30), 6)
    for _ in range(300):
        raters = np.concatenate([rng.choice(12, 6, replace=False) for _ in range(30)])
        agrees = (rng.random(180) < 0.95) != (rng.random(30) < 0.2)[items]
        low, high = anchoring(agrees, rng.random(180) < 0.5, raters.tolist(), items.tolist()).hidden.ci
        inside += low <= 0.8 * 0.95 + 0.2 * 0.05 <= high
    assert inside / 300 >= 0.93


def test_without_labels_on_one_side_there_is_no_difference():
    found = anchoring([1, 0], [1, 1], ["a", "b"], [1, 2])
    assert found.visible.value == 0.5
    assert found.hidden.reason is Reason.NO_ITEMS
    assert found.difference.reason is Reason.NO_ITEMS


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        anchoring([1], [1, 0], ["a"], [1])
