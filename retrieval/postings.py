"""BM25 as a matrix of integers: one column for each term, one row for each statement, read by memory map."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

SCALE = 1_000  # impacts are thousandths, rounded
Integers = NDArray[np.int32]
Term = TypeVar("Term", str, int)


@dataclass(frozen=True)
class Postings(Generic[Term]):
    """For term number t, statements `rows[starts[t]:starts[t + 1]]` with the impacts at the same places."""

    starts: NDArray[np.int64]
    rows: Integers
    impacts: Integers
    find: Callable[[Term], int | None]

    def scores(self, query: Iterable[Term], count: int) -> Integers:
        """The score of each of `count` statements: the impacts of the query's terms. A term asked twice counts once."""
        total = np.zeros(count, np.int32)
        for term in sorted(set(query)):
            at = self.find(term)
            if at is not None:
                start, end = self.starts[at], self.starts[at + 1]
                # A statement occurs once under a term, so no addition is lost.
                total[self.rows[start:end]] += self.impacts[start:end]
        return total


def impacts(
    counts: sparse.csc_matrix, k1: float, b: float, weightless: NDArray[np.bool_] | None = None
) -> Integers:
    """The BM25 impact of every entry of a matrix of frequencies, in its order, times SCALE and rounded.

    `weightless` terms, one flag for each column, do not make a statement longer.
    The inverse document frequency is log(1 + (n - df + .5) / (df + .5)), as in Lucene, and is never negative.
    """
    documents, _ = counts.shape
    frequencies = counts.data.astype(np.float64)
    df = np.diff(counts.indptr)
    lasting = frequencies if weightless is None else np.where(np.repeat(weightless, df), 0, frequencies)
    lengths = np.bincount(counts.indices, weights=lasting, minlength=documents)
    mean = lengths.mean() if lengths.any() else 1.0
    # One logarithm by Python for each frequency: numpy's differs in the last bit between processors.
    idf_of = {n: math.log(1 + (documents - n + 0.5) / (n + 0.5)) for n in np.unique(df).tolist()}
    idf = np.repeat([idf_of[n] for n in df.tolist()], df)
    norm = k1 * (1 - b + b * lengths / mean)
    found = SCALE * idf * frequencies * (k1 + 1) / (frequencies + norm[counts.indices])
    return np.maximum(np.rint(found), 1).astype(np.int32)


class Collector:
    """Statements one after the other, as a matrix of how often each has each term."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._columns, self._data, self._ends = array("i"), array("i"), array("q", [0])

    def add(self, counted: Mapping[str, int] | Counter[str]) -> None:
        """One more statement."""
        numbers = self.numbers
        for term, times in counted.items():
            self._columns.append(numbers.setdefault(term, len(numbers)))
            self._data.append(times)
        self._ends.append(len(self._columns))

    def matrix(self) -> tuple[list[str], sparse.csc_matrix]:
        """(terms in order, frequencies with a row for each statement and a column for each term)."""
        terms = sorted(self.numbers)
        place = np.empty(len(terms), np.int32)
        place[[self.numbers[term] for term in terms]] = np.arange(len(terms), dtype=np.int32)
        columns = place[np.frombuffer(self._columns, np.int32)] if terms else np.zeros(0, np.int32)
        data = np.frombuffer(self._data, np.int32) if terms else np.zeros(0, np.int32)
        shape = (len(self._ends) - 1, len(terms))
        rows = sparse.csr_matrix((data, columns, np.frombuffer(self._ends, np.int64)), shape=shape)
        found = rows.tocsc()
        found.sort_indices()
        return terms, found


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
