"""Majority and early stop."""

from itertools import product

import pytest

from llm import is_settled, majority

VALUES = ("yes", "no", "uncertain", None)


@pytest.mark.parametrize(
    ("votes", "value"),
    [
        (["yes"], "yes"),
        (["yes", "yes", "no"], "yes"),
        (["no", "no", "yes"], "no"),
        (["yes", "no"], "uncertain"),
        (["yes", "no", "uncertain"], "uncertain"),
        (["yes", "yes", "no", "uncertain"], "uncertain"),  # two of four are not more than half
        (["yes", None, None], "yes"),
        (["yes", "no", None], "uncertain"),
        ([None, None], None),
        ([], None),
    ],
)
def test_a_majority_is_more_than_half_of_the_answered_votes(
    votes: list[str | None], value: str | None
) -> None:
    assert majority(votes, tie="uncertain") == value


def test_the_tie_takes_the_declared_value() -> None:
    assert majority(["yes", "no"], tie="no") == "no"


def test_no_vote_at_all_is_no_value_whatever_the_tie_rule() -> None:
    assert majority([None], tie="no") is None


@pytest.mark.parametrize("planned", [1, 2, 3, 4, 5])
def test_a_vote_is_settled_exactly_when_nothing_to_come_can_change_it(planned: int) -> None:
    for cast in range(planned + 1):
        for votes in product(VALUES, repeat=cast):
            endings = product(VALUES, repeat=planned - cast)
            outcomes = {majority([*votes, *ending], tie="a tie") for ending in endings}
            assert is_settled(votes, planned=planned) == (len(outcomes) == 1), votes


def test_more_votes_than_planned_are_refused() -> None:
    with pytest.raises(ValueError, match="2 votes were cast, 1 were planned"):
        is_settled(["yes", "no"], planned=1)
