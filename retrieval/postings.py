"""BM25 as a matrix of integers: one column for each term, one row for each statement, read by memory map."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SCALE = 1_000  # impacts are thousandths, rounded
_BLOCK = 200_000
Integers = NDArray[np.int32]
Term = TypeVar("Term", str, int)


@dataclass(frozen=True)
class Postings(Generic[Term]):
    """For term number t, statements `rows[starts[t]:starts[t + 1]]` with the impacts at the same places."""

    starts: NDArray[np.int64]
    rows: Integers
    impacts: Integers
    find: Callable[[Term], int | None]

    def scores(self, query: Iterable[Term], statements: int) -> Integers:
        """The score of each of so many statements: the impacts of the query's terms. A term asked twice counts once."""
        total = np.zeros(statements, np.int32)
        for term in sorted(set(query)):
            at = self.find(term)
            if at is not None:
                start, end = self.starts[at], self.starts[at + 1]
                # A statement occurs once under a term, so no addition is lost.
                total[self.rows[start:end]] += self.impacts[start:end]
        return total


@dataclass(frozen=True)
class Counts:
    """How often statements have terms: for term number t, `times` of `rows`, both from starts[t] to starts[t + 1]."""

    starts: NDArray[np.int64]
    rows: Integers
    times: NDArray[np.int32] | NDArray[np.uint8]
    statements: int


def impacts(counts: Counts, k1: float, b: float, weightless: NDArray[np.bool_] | None = None) -> Integers:
    """The BM25 impact of every entry, in its order, times SCALE and rounded.

    `weightless` terms, one flag for each, do not make a statement longer. The inverse document frequency is
    log(1 + (n - df + .5) / (df + .5)), as in Lucene, and is never negative.
    """
    n, df = counts.statements, np.diff(counts.starts)
    light = np.zeros(len(counts.rows), bool) if weightless is None else np.repeat(weightless, df)
    lengths = np.zeros(n)
    for start in range(0, len(counts.rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        lengths += np.bincount(counts.rows[part], weights=counts.times[part] * ~light[part], minlength=n)
    norm = k1 * (1 - b + b * lengths / (lengths.mean() if lengths.any() else 1.0))
    # One logarithm by Python for each frequency: numpy's differs in the last bit between processors.
    idf_of = {of: math.log(1 + (n - of + 0.5) / (of + 0.5)) for of in np.unique(df).tolist()}
    idf = np.array([idf_of[of] for of in df.tolist()])
    found = np.empty(len(counts.rows), np.int32)
    # In blocks, as above: of all entries at once the floats would take ten times the memory of the result.
    first = 0
    while first < len(df):
        last = max(int(np.searchsorted(counts.starts, counts.starts[first] + _BLOCK)), first + 1)
        last = min(last, len(df))
        block = slice(counts.starts[first], counts.starts[last])
        times = counts.times[block].astype(np.float64)
        impact = (
            SCALE
            * np.repeat(idf[first:last], df[first:last])
            * times
            * (k1 + 1)
            / (times + norm[counts.rows[block]])
        )
        found[block] = np.maximum(np.rint(impact), 1)
        first = last
    return found


class Collector:
    """Statements one after the other, counted by terms."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._columns, self._times, self._ends = array("i"), array("i"), array("q", [0])

    def add(self, counted: Mapping[str, int]) -> None:
        """One more statement."""
        self._columns.extend(map(self._numbers.__getitem__, counted))
        self._times.extend(counted.values())
        self._ends.append(len(self._columns))

    def counts(self) -> tuple[list[str], Counts]:
        """(terms in order, how often each statement has each)."""
        from scipy import sparse  # slow to import, and only a build needs it

        terms = sorted(self._numbers)
        place = np.empty(len(terms), np.int32)
        place[[self._numbers[term] for term in terms]] = np.arange(len(terms), dtype=np.int32)
        shape = (len(self._ends) - 1, len(terms))
        columns = place[np.array(self._columns, np.int32)]
        by_statement = sparse.csr_matrix(
            (np.array(self._times, np.int32), columns, np.array(self._ends)), shape=shape
        )
        by_term = by_statement.tocsc()
        by_term.sort_indices()
        starts, rows = by_term.indptr.astype(np.int64), by_term.indices.astype(np.int32, copy=False)
        return terms, Counts(starts, rows, by_term.data, shape[0])


MOST_STATEMENTS = 1 << 24


def packed(terms: NDArray[np.uint64], rows: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Occurrences of terms below 2^32 in statements, as sorted keys: term, statement, and how often up to 255."""
    keys, times = np.unique(terms << np.uint64(24) | rows.astype(np.uint64), return_counts=True)
    return np.asarray(keys << np.uint64(8) | np.minimum(times, 255).astype(np.uint64))


def unpacked(keys: NDArray[np.uint64], statements: int) -> tuple[NDArray[np.uint32], Counts]:
    """(terms in order, counts) of packed keys, each statement's in one part of them. Sorts the keys in place."""
    keys.sort()
    rows, times = np.empty(len(keys), np.int32), np.empty(len(keys), np.uint8)
    new = np.empty(len(keys), bool)
    # In blocks, because with the keys' copies of all at once the memory would double.
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        rows[start : start + _BLOCK] = part >> np.uint64(8) & np.uint64(MOST_STATEMENTS - 1)
        times[start : start + _BLOCK] = part & np.uint64(255)
        terms = part >> np.uint64(32)
        before = keys[start - 1] >> np.uint64(32) if start else ~terms[0]
        new[start : start + _BLOCK] = np.diff(terms, prepend=before) != 0
    starts = np.flatnonzero(new)
    found = (keys[starts] >> np.uint64(32)).astype(np.uint32)
    return found, Counts(np.append(starts, len(keys)).astype(np.int64), rows, times, statements)


def best(
    scores: Integers, k: int, accept: NDArray[np.bool_] | None = None, least: int = 1
) -> NDArray[np.int64]:
    """The numbers of the k statements of the highest scores of `least` or more, by (score descending, number)."""
    possible = np.flatnonzero(scores >= least if accept is None else (scores >= least) & accept)
    if len(possible) > k:
        of_possible = scores[possible]
        bound = np.partition(of_possible, len(possible) - k)[len(possible) - k]
        above = of_possible > bound
        # All above the bound, and of those at the bound the first by number.
        at_bound = np.flatnonzero(of_possible == bound)[: k - int(above.sum())]
        above[at_bound] = True
        possible = possible[above]
    return possible[np.lexsort((possible, -scores[possible].astype(np.int64)))]


def fused(rankings: Iterable[NDArray[np.int64]], k0: int, k: int) -> list[tuple[int, int]]:
    """Reciprocal rank fusion: the k best (number, score), where a rank r adds 10^9 // (k0 + r), ties by number."""
    total: Counter[int] = Counter()
    for ranking in rankings:
        for rank, number in enumerate(ranking.tolist(), 1):
            total[number] += 10**9 // (k0 + rank)
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))[:k]
