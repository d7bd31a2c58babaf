"""BM25 as a matrix of integers: one column for each term, one row for each statement, read by memory map."""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SCALE = 1_000  # impacts are thousandths, rounded
_BLOCK = 200_000
_AT_ONCE = 16_384  # entries whose floats stay in the processor's cache
Integers = NDArray[np.int32]
Floats = NDArray[np.float64]
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
                np.add.at(total, self.rows[start:end], self.impacts[start:end])
        return total


@dataclass(frozen=True)
class Remaining(Generic[Term]):
    """Postings as they would be had the statements that are `gone` never been counted; these have no meaningful score.

    Every impact depends on how many statements there are, how long they are on average and how many have the term,
    so those of the terms that are asked for are computed again, from how often (`times`, in the order of the
    postings) statements of these `lengths` have them.
    """

    postings: Postings[Term]
    times: NDArray[Any]
    lengths: Integers
    gone: Integers  # numbers of statements, in order
    k1: float
    b: float

    def scores(self, query: Iterable[Term], statements: int) -> Integers:
        """As `Postings.scores`."""
        total = np.zeros(statements, np.int32)
        remaining = statements - len(self.gone)
        length = int(self.lengths.sum(dtype=np.int64)) - int(self.lengths[self.gone].sum(dtype=np.int64))
        # By length: there are fewer lengths than statements.
        norm = _norm(np.arange(self.lengths.max(initial=0) + 1), _mean(length, remaining), self.k1, self.b)
        for term in sorted(set(query)):
            at = self.postings.find(term)
            if at is None:
                continue
            start, end = int(self.postings.starts[at]), int(self.postings.starts[at + 1])
            # How many of those that are gone have the term; both are in order.
            rows = self.postings.rows[start:end]
            places = np.searchsorted(rows, self.gone)
            inside = places < len(rows)
            having = end - start - int((rows[places[inside]] == self.gone[inside]).sum())
            if not having:
                continue
            idf = _idf(remaining, having)
            for first in range(start, end, _AT_ONCE):
                part = slice(first, min(first + _AT_ONCE, end))
                rows = self.postings.rows[part]
                np.add.at(
                    total, rows, _impact(idf, self.times[part], norm.take(self.lengths.take(rows)), self.k1)
                )
        return total


@dataclass(frozen=True)
class Counts:
    """How often statements have terms: for term number t, `times` of `rows`, both from starts[t] to starts[t + 1]."""

    starts: NDArray[np.int64]
    rows: Integers
    times: NDArray[np.int32] | NDArray[np.uint8]
    statements: int


def lengths_of(counts: Counts, weightless: NDArray[np.bool_] | None = None) -> Integers:
    """How many terms each statement has. `weightless` terms, one flag for each, do not make it longer."""
    light = (
        np.zeros(len(counts.rows), bool)
        if weightless is None
        else np.repeat(weightless, np.diff(counts.starts))
    )
    lengths = np.zeros(counts.statements)
    for start in range(0, len(counts.rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        found = np.bincount(
            counts.rows[part], weights=counts.times[part] * ~light[part], minlength=counts.statements
        )
        lengths += found
    return lengths.astype(np.int32)


def impacts(counts: Counts, k1: float, b: float, lengths: Integers | None = None) -> Integers:
    """The BM25 impact of every entry, in its order, times SCALE and rounded; `lengths` of statements, if known.

    The inverse document frequency is log(1 + (n - df + .5) / (df + .5)), as in Lucene, and is never negative.
    """
    n, df = counts.statements, np.diff(counts.starts)
    lengths = lengths_of(counts) if lengths is None else lengths
    norm = _norm(lengths, _mean(int(lengths.sum(dtype=np.int64)), n), k1, b)
    idf_of = {of: _idf(n, of) for of in np.unique(df).tolist()}
    idf = np.array([idf_of[of] for of in df.tolist()])
    found = np.empty(len(counts.rows), np.int32)
    # In blocks, as above: of all entries at once the floats would take ten times the memory of the result.
    first = 0
    while first < len(df):
        last = max(int(np.searchsorted(counts.starts, counts.starts[first] + _BLOCK)), first + 1)
        last = min(last, len(df))
        block = slice(counts.starts[first], counts.starts[last])
        of_entries = np.repeat(idf[first:last], df[first:last])
        found[block] = _impact(of_entries, counts.times[block], norm[counts.rows[block]], k1)
        first = last
    return found


# The same steps on floats for a build and for what remains without some statements: the results are equal bit by bit.
def _mean(total: int, statements: int) -> float:
    return total / statements if total else 1.0


def _norm(lengths: Integers, mean: float, k1: float, b: float) -> Floats:
    return np.asarray(k1 * (1 - b + b * lengths.astype(np.float64) / mean))


def _idf(statements: int, having: int) -> float:
    # One logarithm by Python for each frequency: numpy's differs in the last bit between processors.
    return math.log(1 + (statements - having + 0.5) / (having + 0.5))


def _impact(idf: Floats | float, times: NDArray[Any], norm: Floats, k1: float) -> Integers:
    found = times.astype(np.float64)
    below = norm + found
    found *= SCALE * idf
    found *= k1 + 1
    found /= below
    return np.maximum(np.rint(found, out=found), 1, out=found).astype(np.int32)


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


def best(scores: Integers, k: int, accept: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """The numbers of the k statements of the highest scores above 0, by (score descending, number)."""
    possible = np.flatnonzero(scores > 0 if accept is None else (scores > 0) & accept)
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
