"""Measures and scores whose values are all equal: the interval reaches as far as values that went unseen."""

import pytest

from benchmark.protocols import get_protocol
from reports.core.measurements import Asked, Measured
from reports.scores.measured_scores import measured_scores
from reports.scores.shape import METHODS

MEASURE = "theorem_mrr_at_20"  # one over the rank: no share of anything
KNOWN = [Asked(f"query{number}", f"paper{number}", "algebra") for number in range(20)]


def scored(value: float, *, methods: int = METHODS):
    protocol = get_protocol("theorem_search")
    rows = [Measured("aurora", asked.instance, 1, "answered", MEASURE, value) for asked in KNOWN]
    found = measured_scores(protocol, KNOWN, rows, {"aurora": len(rows)}, seed=1, methods=methods)
    return found.systems["aurora"][MEASURE]


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 1.0])
def test_twenty_queries_of_one_reciprocal_rank_leave_room_for_other_ranks(value):
    """(1 - p)^20 = .025 gives p = .168; ranks of that share of all queries could be 1, or be none."""
    unseen = 1 - 0.025 ** (1 / 20)
    expected = pytest.approx((value * (1 - unseen), value + unseen * (1 - value)), abs=1e-9)
    found = scored(value)
    assert found.estimate.value == pytest.approx(value)
    assert found.estimate.ci == expected
    assert found.domains["algebra"].ci == expected
    assert "NO_SPREAD" in found.estimate.warnings


def test_the_interval_of_the_papers_and_of_earlier_artifacts_stays_what_it_was():
    for found in (scored(1.0).paper_bootstrap, scored(1.0, methods=5).estimate):
        assert found.ci == (1.0, 1.0)
