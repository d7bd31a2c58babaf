"""Vectors of small integers: products are exact, so a ranking is the same on every machine.

A coordinate of a vector of length 1 is rounded to int8. Products are sums of integers below 2^24 and are computed in
float32, which is exact for them in whatever order a processor adds. Signs alone, a bit each, find candidates fast.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCALE_AT_384 = 508  # of 384 coordinates of length 1, one in a million is beyond 127 / 508
_BLOCK = 8_192

Ints8 = NDArray[np.int8]


def quantised(vectors: NDArray[Any], dimensions: int) -> Ints8:
    """Rows of floats, scaled to length 1, as int8. Raises ValueError for a wrong shape or a number that is none.

    A row of zeros stays one. The scale grows with the square root of the dimensions, as coordinates shrink, so that a
    product is at most scale^2 (Cauchy-Schwarz), which is below 2^24 up to 24,000 dimensions.
    """
    rows = np.atleast_2d(np.asarray(vectors, np.float64))
    if rows.shape[1] != dimensions:
        raise ValueError(f"a vector has {rows.shape[1]} dimensions, the model {dimensions}")
    if not np.isfinite(rows).all():
        raise ValueError("a vector has a coordinate that is not a number")
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    scale = _SCALE_AT_384 * math.sqrt(dimensions / 384)
    scaled = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0) * scale
    return np.clip(np.rint(scaled), -127, 127).astype(np.int8)


def dimensions_of(vector: bytes, dimensions: int) -> Ints8:
    """The vector in these bytes. Raises ValueError for a wrong length."""
    if len(vector) != dimensions:
        raise ValueError(f"a vector has {len(vector)} bytes, the index {dimensions} dimensions")
    return np.frombuffer(vector, np.int8)


def signs(table: Ints8) -> NDArray[np.uint64]:
    """The signs of rows of int8, a bit each: 64 coordinates of all rows after another, so that a scan reads forward."""
    packed = np.packbits(table > 0, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(packed.view("<u8").T)


@dataclass(frozen=True)
class Vectors:
    """The vectors of all statements: rows of int8, and their `signs`."""

    table: Ints8
    bits: NDArray[np.uint64]

    def nearest(
        self, vector: bytes, k: int, accept: NDArray[np.bool_] | None, *, bits_pool: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(the k nearest of the accepted statements in order, products by number of all that were compared).

        Every accepted statement is compared, or with `bits_pool` that many whose signs agree most, with all ties.
        """
        query = dimensions_of(vector, self.table.shape[1])
        numbers = None if accept is None else np.flatnonzero(accept)
        if bits_pool is not None and bits_pool < (len(self.table) if numbers is None else len(numbers)):
            numbers = self._signs_agree(query, numbers, bits_pool)
        asked = query.astype(np.float32)
        products = np.empty(len(self.table) if numbers is None else len(numbers), np.int32)
        for start in range(0, len(products), _BLOCK):
            block = slice(start, start + _BLOCK)
            # A slice of the table is read where it is; rows by number are copied first.
            part = self.table[block if numbers is None else numbers[block]]
            products[block] = part.astype(np.float32) @ asked
        if numbers is None:
            numbers = np.arange(len(self.table))
        # The places of the k greatest, by (product descending, place).
        places = np.arange(len(products))
        if len(products) > k:
            bound = np.partition(products, len(products) - k)[len(products) - k]
            above, ties = np.flatnonzero(products > bound), np.flatnonzero(products == bound)
            places = np.concatenate([above, ties[: k - len(above)]])
        order = places[np.lexsort((places, -products[places].astype(np.int64)))]
        scores = np.zeros(len(self.table), np.int32)
        scores[numbers] = products
        return numbers[order], scores

    def _signs_agree(self, query: Ints8, numbers: NDArray[np.int64] | None, pool: int) -> NDArray[np.int64]:
        """The numbers of the statements with the fewest signs that differ from the query's: `pool`, and all ties."""
        asked = signs(query.reshape(1, -1))[:, 0]
        count = self.bits.shape[1] if numbers is None else len(numbers)
        different = np.zeros(count, np.uint16)
        for start in range(0, count, _BLOCK):
            block = slice(start, start + _BLOCK)
            chosen = block if numbers is None else numbers[block]
            for row, word in zip(self.bits, asked, strict=True):
                different[block] += np.bitwise_count(row[chosen] ^ word)
        # Few values are possible, so they are counted instead of sorted.
        bound = int(np.searchsorted(np.cumsum(np.bincount(different)), pool))
        near = np.flatnonzero(different <= bound)
        return near if numbers is None else numbers[near]
