"""Means on a bounded scale: what they say of themselves."""

import pytest

from stats.estimate import Caution
from stats.means import mean_estimate


@pytest.mark.parametrize(
    ("values", "warnings"),
    [
        ([2.0, 2.5, 3.0], ()),  # 2.5 +- 4.303 * 0.2887 = 1.26 to 3.74, within 0 to 5
        ([4.0, 5.0], (Caution.TRUNCATED,)),  # 4.5 +- 12.7 * 0.5 leaves the scale
        ([5.0, 5.0, 5.0], (Caution.NO_SPREAD,)),
    ],
)
def test_an_interval_says_when_it_was_cut_and_when_it_has_no_width(values, warnings):
    found = mean_estimate(values, "mean", (0.0, 5.0))
    assert found.warnings == warnings
    assert found.ci[0] <= found.value <= found.ci[1]
