"""Scores of a system of which a class was audited only elsewhere."""

import numpy as np
import pytest

from stats.audit.borrowed import borrowed_score
from stats.audit.corrected import corrected_score
from stats.core.estimate import Caution, Reason
from stats.core.strata import Stratum

SUCCESS = Stratum("a/success", 4, 4, 3)
EMPTY = Stratum("a/ungrounded", 16, 0, 0)


def test_an_unaudited_stratum_takes_the_rate_that_was_found_elsewhere():
    """3 of the 4 successes are confirmed; of 16 others a quarter is right, as 5 of 20 were elsewhere: (3 + 4) / 20."""
    found = borrowed_score([SUCCESS, EMPTY], {"a/ungrounded": (20, 5)})
    assert found.value == pytest.approx(7 / 20)
    assert (found.n, found.population) == (4, 20)
    assert found.warnings == (Caution.TRANSPORT_ASSUMPTION,)
    assert corrected_score([SUCCESS, EMPTY]).reason == Reason.EMPTY_STRATUM


def test_its_interval_is_the_one_that_draws_of_rate_and_outputs_give():
    found = borrowed_score([SUCCESS, EMPTY, Stratum("a/doubtful", 30, 10, 2)], {"a/ungrounded": (20, 5)})
    rng = np.random.default_rng(7)
    drawn = (
        3 + rng.binomial(16, rng.beta(5.5, 15.5, 200_000)) + 2 + rng.binomial(20, rng.beta(2.5, 8.5, 200_000))
    )
    ends = np.percentile(drawn, [2.5, 97.5], method="inverted_cdf") / 50
    assert found.ci == pytest.approx(tuple(ends), abs=1 / 50 + 1e-9)  # one output of Monte-Carlo error


def test_with_one_output_left_out_the_interval_spans_exactly_it():
    """Jeffreys after 1 of 2 elsewhere is 1/2: both ends are possible, 3 or 4 of 5."""
    found = borrowed_score([SUCCESS, Stratum("a/x", 1, 0, 0)], {"a/x": (2, 1)})
    assert found.ci == (3 / 5, 4 / 5)
    assert found.value == 3.5 / 5


def test_what_was_audited_nowhere_cannot_be_borrowed():
    assert borrowed_score([SUCCESS, EMPTY], {}) is None
    assert borrowed_score([SUCCESS, EMPTY], {"a/ungrounded": (0, 0)}) is None


def test_where_nothing_is_missing_nothing_is_borrowed():
    with pytest.raises(ValueError, match="nothing to borrow"):
        borrowed_score([SUCCESS], {})
