"""Votes become one verdict by majority; what failed is never turned into a value."""

import pytest

from judging.runs.tally import Ballot, Tally, tally

YES, NO, UNSURE = (Ballot(value, "answered") for value in ("yes", "no", "uncertain"))
ABSTAIN, GARBLED, DOWN = Ballot("", "abstain"), Ballot("", "unparsed"), Ballot("", "unavailable")


@pytest.mark.parametrize(
    ("ballots", "expected"),
    [
        ([YES], Tally("yes", "answered", 1, 0)),
        ([YES, YES, NO], Tally("yes", "answered", 3, 0)),
        ([YES, NO], Tally("uncertain", "answered", 2, 0)),
        ([YES, NO, UNSURE], Tally("uncertain", "answered", 3, 0)),
        ([YES, GARBLED, DOWN], Tally("yes", "answered", 3, 2)),
        ([ABSTAIN, GARBLED], Tally("", "abstain", 2, 1)),
        ([GARBLED, DOWN], Tally("", "unavailable", 2, 2)),
        ([], Tally("", "unavailable", 0, 0)),
    ],
)
def test_a_majority_of_answered_votes_decides(ballots, expected):
    assert tally(ballots) == expected
