"""What a release has more than once: versions of one paper, and one passage under two names (docs/adr/0050)."""

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from benchmark.citations.identifiers import arxiv_id
from benchmark.importing.keyindex import KeyIndex
from canonical import sha256_of

MOST_NAMED = 1000  # papers or instances; further ones are only counted
_MIRROR = re.compile(r"^(?:https?://)?(?:www\.|export\.)(?=arxiv\.org/)", re.IGNORECASE)
_CATEGORY = re.compile(r"\s*\[[A-Za-z.-]{1,20}\]$")  # "arXiv:2301.00001v1 [math.AG]"


@lru_cache(maxsize=20_000)
def cluster_of(paper: str) -> str:
    """The cluster of a paper by its key: the arXiv number without version, if the key is one; else the key."""
    return arxiv_id(_CATEGORY.sub("", _MIRROR.sub("", paper.strip()))) or paper


@dataclass(frozen=True)
class Overlaps:
    """What a release has more than once.

    `papers` counts papers by their keys, `clusters` versions of one paper as one. `merged` are the clusters with
    several keys, each with those keys; `duplicates` the instances whose passage another one has too, under the first
    of them by key.

    Both name at most MOST_NAMED; `merged_count` and `duplicate_count` count all of them.
    """

    papers: int
    clusters: int
    merged: Mapping[str, list[str]]
    duplicates: Mapping[str, list[str]]
    merged_count: int
    duplicate_count: int


NO_OVERLAPS = Overlaps(0, 0, {}, {}, 0, 0)


class OverlapIndex:
    """Finds overlaps in records of any order and number, in constant memory. A context manager."""

    def __init__(self, passage_of: Callable[[Mapping[str, Any]], Any] | None) -> None:
        """`passage_of` gives what two instances of one passage have in common, as JSON; None says nothing."""
        self._passage_of = passage_of
        self._stack = ExitStack()
        self._papers, self._clusters, self._passages = (
            self._stack.enter_context(KeyIndex()) for _ in range(3)
        )
        self._merged: dict[str, set[str]] = {}
        self._alike: dict[str, set[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def add(self, instance: str, paper: str | None, payload: Mapping[str, Any]) -> None:
        """Take note of an instance with the key of its paper."""
        if paper:
            self._papers.add(paper, "")
            _note(self._clusters, self._merged, cluster_of(paper), paper)
        passage = self._passage_of(payload) if self._passage_of else None
        if passage is not None:
            _note(self._passages, self._alike, sha256_of(passage), instance)

    def found(self) -> Overlaps:
        """What was found so far."""
        alike = sorted(sorted(keys) for keys in self._alike.values())
        return Overlaps(
            papers=len(self._papers),
            clusters=len(self._clusters),
            merged={name: sorted(keys) for name, keys in sorted(self._merged.items())[:MOST_NAMED]},
            duplicates={first: others for first, *others in alike[:MOST_NAMED]},
            merged_count=len(self._merged),
            duplicate_count=sum(len(keys) - 1 for keys in alike),
        )


def _note(index: KeyIndex, repeated: dict[str, set[str]], name: str, member: str) -> None:
    first = index.find(name)
    if first is None:
        index.add(name, member)
    elif first[0] != member:
        repeated.setdefault(name, {first[0]}).add(member)
