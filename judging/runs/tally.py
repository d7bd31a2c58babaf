"""From votes to one verdict per output and predicate. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from llm.votes import majority

TIE_VALUE = (
    "uncertain"  # declared rule: a tie is not a clear yes, and counts as negative where "yes" is the success
)


@dataclass(frozen=True)
class Ballot:
    """One stored vote: `state` is answered, abstain, unavailable or unparsed; `value` only if answered."""

    value: str
    state: str


@dataclass(frozen=True)
class Tally:
    """What the votes add up to. `unusable` counts votes that failed or could not be parsed."""

    value: str
    state: str
    votes: int
    unusable: int


def tally(ballots: Iterable[Ballot]) -> Tally:
    """Majority of the answered votes; TIE_VALUE without one.

    Where nothing was answered the state is abstain if any vote abstained, else unavailable: votes that failed
    or could not be parsed are never turned into a value.
    """
    cast = list(ballots)
    states = Counter(ballot.state for ballot in cast)
    unusable = states["unparsed"] + states["unavailable"]
    found = majority([ballot.value or None for ballot in cast], tie=TIE_VALUE)
    if found is not None:
        return Tally(found, "answered", len(cast), unusable)
    return Tally("", "abstain" if states["abstain"] else "unavailable", len(cast), unusable)
