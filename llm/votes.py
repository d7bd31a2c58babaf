"""Several independent votes of one judge on one question become one value."""

from collections import Counter
from collections.abc import Sequence


def majority(votes: Sequence[str | None], *, tie: str) -> str | None:
    """The value held by more than half of the answered votes, else `tie`, the value declared for that case.

    A vote of None has no answer and is left out of the denominator; without any answer None is returned.
    STATISTICS.md takes the cautious value for `tie`: not equivalent, incorrect, uncertain.
    """
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return None
    leader, most = counts.most_common(1)[0]
    return leader if 2 * most > counts.total() else tie


def is_settled(votes: Sequence[str | None], *, planned: int) -> bool:
    """True when the votes still to come, answered in any way or not at all, cannot change the majority.

    `votes` are those cast so far, `planned` is their final number. Either one value keeps its majority even
    if all others go elsewhere, or none can still gain one. Before any answer nothing is settled, unless all
    votes are in. Raises ValueError when more votes were cast than planned.
    """
    left = planned - len(votes)
    if left < 0:
        raise ValueError(f"{len(votes)} votes were cast, {planned} were planned")
    counts = Counter(vote for vote in votes if vote is not None)
    answered = counts.total()
    most = max(counts.values(), default=0)
    secured = 2 * most > answered + left
    hopeless = answered > 0 and 2 * most + left <= answered
    return left == 0 or secured or hopeless


def fewest_more(votes: Sequence[str | None], *, planned: int) -> int:
    """The fewest further votes after which the majority can be settled; 0 when it is settled now.

    Arguments as of `is_settled`. If all k further votes went to the leader with `most` votes, it would be
    secured when 2 (most + k) > answered + left, where answered + left does not depend on k.
    """
    if is_settled(votes, planned=planned):
        return 0
    counts = Counter(vote for vote in votes if vote is not None)
    left = planned - len(votes)
    most = max(counts.values(), default=0)
    return min(left, max(1, (counts.total() + left) // 2 - most + 1))
