"""From votes to one verdict per output and predicate. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

TIE_VALUE = "uncertain"  # declared rule: a tie is no clear yes, and counts negative where "yes" is the success


@dataclass(frozen=True)
class Ballot:
    """One stored vote: `state` is answered, abstain, unavailable or unparsed; `value` only if answered."""

    value: str
    state: str


@dataclass(frozen=True)
class Tally:
    """What the votes add up to. `unparsed` and `unavailable` count votes that could not be used."""

    value: str
    state: str
    votes: int
    unparsed: int
    unavailable: int


def tally(ballots: Iterable[Ballot]) -> Tally:
    """Majority of the answered votes; TIE_VALUE on a tie.

    Without an answered vote the state is abstain if any vote abstained, else unavailable: votes that failed
    or could not be parsed are never turned into a value.
    """
    all_ballots = list(ballots)
    states = Counter(ballot.state for ballot in all_ballots)
    answered = Counter(ballot.value for ballot in all_ballots if ballot.state == "answered")
    value, state = "", "unavailable"
    if answered:
        value, state = _majority(answered), "answered"
    elif states["abstain"]:
        state = "abstain"
    return Tally(value, state, len(all_ballots), states["unparsed"], states["unavailable"])


def _majority(counts: Counter[str]) -> str:
    (first, most), *rest = counts.most_common(2)
    return TIE_VALUE if rest and rest[0][1] == most else first
