"""One finding about an anchor."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Leak(StrEnum):
    """What is given away."""

    CITATION_KEY = "citation_key"
    DOI = "doi"
    ARXIV = "arxiv"
    AUTHOR = "author"
    THEOREM = "theorem"
    TITLE = "source_title"
    OTHER_NAME = "other_name"  # somebody who is not an author of the citation: noted, no leak of this source


@dataclass(frozen=True)
class LeakFlag:
    """One finding: `text[start:end]` of the anchor, why, and whether the program is certain of it."""

    kind: Leak
    start: int
    end: int
    reason: str
    certain: bool = True


class Spans:
    """Spans of a text that can be asked whether one of them contains a position."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []  # the furthest end of the spans up to here
        for start, end in sorted(spans):
            self._starts.append(start)
            self._ends.append(max(end, self._ends[-1] if self._ends else 0))

    def __contains__(self, position: int) -> bool:
        at = bisect_right(self._starts, position)
        return at > 0 and position < self._ends[at - 1]
