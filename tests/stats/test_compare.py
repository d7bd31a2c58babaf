"""Two or more systems on the same items (STATISTICS.md 2E)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.estimate import Reason
from stats.core.intervals import proportion
from stats.scores.compare import (
    benjamini_hochberg,
    cochran_q,
    holm,
    mcnemar,
    paired_newcombe,
    unpaired_newcombe,
)

P_VALUES = (0.00781, 0.00195, 0.00391, 0.00049, 0.01562, 0.01562)


def test_mcnemar_is_reproduced():
    found = mcnemar(8, 1)
    assert found.exact == pytest.approx(0.0390625, abs=1e-12)
    assert found.mid_p == pytest.approx(0.0214844, abs=5e-8)
    assert (found.chi2, found.chi2_p) == pytest.approx((5.4444, 0.0196306), abs=5e-5)


def test_mcnemar_agrees_with_statsmodels():
    from statsmodels.stats.contingency_tables import mcnemar as oracle

    for b, c in ((8, 1), (3, 3), (0, 5), (12, 30)):
        assert mcnemar(b, c).exact == pytest.approx(oracle([[0, b], [c, 0]], exact=True).pvalue, abs=1e-12)


def test_systems_that_never_differ_have_p_one():
    assert mcnemar(0, 0).exact == 1


def test_published_margins_only_bound_the_test():
    # 3 viii: Claude 14 against Grok 7: between .0156 (nested) and .189 (disjoint).
    assert mcnemar(7, 0).exact == pytest.approx(0.0156, abs=5e-5)
    assert mcnemar(14, 7).exact == pytest.approx(0.189, abs=5e-4)


@pytest.mark.parametrize(
    ("cells", "value", "ends"),
    [
        ((5, 8, 1, 186), 0.035, (0.0037634, 0.0728442)),
        ((14, 5, 0, 22), 0.1219512, (0.0114832, 0.2264927)),
    ],
)
def test_paired_newcombe_intervals_are_reproduced(cells, value, ends):
    found = paired_newcombe(*cells)
    assert found.value == pytest.approx(value, abs=5e-8)
    assert found.ci == pytest.approx(ends, abs=5e-8)


def test_the_unpaired_newcombe_interval_is_reproduced():
    found = unpaired_newcombe(proportion(56, 70), proportion(48, 80))
    assert found.ci == pytest.approx((0.0524315, 0.3338727), abs=5e-8)


def test_nothing_compared_is_undefined():
    assert paired_newcombe(0, 0, 0, 0).reason == Reason.NO_ITEMS
    assert unpaired_newcombe(proportion(0, 0), proportion(1, 2)).reason == Reason.NO_ITEMS


def test_adjusted_p_values_are_reproduced():
    assert holm(P_VALUES) == pytest.approx([0.02343, 0.00975, 0.01564, 0.00294, 0.03124, 0.03124], abs=1e-9)
    # The table rounds .011715 and .00585 to five places.
    expected = [0.011715, 0.00585, 0.00782, 0.00294, 0.01562, 0.01562]
    assert benjamini_hochberg(P_VALUES) == pytest.approx(expected, abs=1e-9)
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_adjustments_never_lower_a_p_value_and_keep_the_order(p_values):
    for adjust in (holm, benjamini_hochberg):
        adjusted = np.array(adjust(p_values))
        assert (adjusted >= np.array(p_values) - 1e-12).all()
        assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= -1e-12).all()


def test_cochrans_q_is_reproduced():
    rows = [[int(x) for x in row] for row in ["110", "100", "111", "000", "110", "101", "110", "010"]]
    q, degrees, p = cochran_q(rows)
    assert (q, degrees, p) == pytest.approx((4.33333, 2, 0.1145588), abs=5e-6)


def test_cochrans_q_of_identical_systems_is_undefined():
    assert cochran_q([[1, 1], [0, 0]]) is None
