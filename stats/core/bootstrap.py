"""Bootstrap of sums over exchangeable rows, by pattern compression.

Rows with identical entries are exchangeable, so instead of drawing C row numbers a replicate draws how
often each distinct row (pattern) occurs: one multinomial. This is exact, and cheap when the patterns are
few. With many patterns, counting drawn row numbers is cheaper than a wide multinomial.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEFAULT_REPLICATES = 10_000
_CELLS_PER_CHUNK = 4_000_000
_FEW_PATTERNS = 64


def generator(seed: int) -> np.random.Generator:
    """The generator behind every seeded number of the platform: PCG64."""
    return np.random.Generator(np.random.PCG64(seed))


def compress_rows(rows: ArrayLike) -> tuple[Floats, Ints, Ints]:
    """Distinct rows of a (C, d) table.

    Returns patterns (K, d), how often each occurs (K,), and the pattern of every row (C,).
    """
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"rows must be a two-dimensional table, got {table.ndim} dimension(s)")
    codes = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        # Split each group of rows by the values of one more column; codes stay below a few times the number of rows.
        # Whole numbers in a small range serve as they are, without sorting.
        small = bool(column.size) and column.min() >= 0 and column.max() <= column.size
        values = column.astype(np.int64) if small else codes
        if not small or not np.array_equal(values, column):
            values = np.unique(column, return_inverse=True)[1].astype(np.int64)
        joint = codes * (int(values.max(initial=0)) + 1) + values
        codes = joint
        if int(joint.max(initial=0)) > 4 * len(joint):
            codes = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    _, first, codes, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    return table[first], counts.astype(np.int64), codes


def resampled_sums(rows: ArrayLike, *, replicates: int, rng: np.random.Generator) -> Floats:
    """Column sums of `replicates` resamples of the C rows with replacement: a (replicates, d) table.

    Raises ValueError when there is no row to draw from.
    """
    patterns, counts, _ = compress_rows(rows)
    return resampled_pattern_sums(patterns, counts, replicates=replicates, rng=rng)


def resampled_pattern_sums(
    patterns: Floats, counts: Ints, *, replicates: int, rng: np.random.Generator
) -> Floats:
    """The same for rows given as patterns (K, d) with their frequencies (K,)."""
    total = int(counts.sum())
    if total == 0:
        raise ValueError("cannot resample an empty table")
    kinds = len(patterns)
    many = kinds > max(_FEW_PATTERNS, total // 4)
    chunk = max(1, _CELLS_PER_CHUNK // (total if many else kinds))
    sums = np.empty((replicates, patterns.shape[1]))
    for start in range(0, replicates, chunk):
        size = min(chunk, replicates - start)
        if many:
            rows = rng.integers(total, size=(size, total))
            if kinds < total:
                rows = np.repeat(np.arange(kinds), counts)[rows]
            rows += kinds * np.arange(size)[:, None]
            times = np.bincount(rows.ravel(), minlength=size * kinds).reshape(size, kinds)
        else:
            times = rng.multinomial(total, counts / total, size=size)
        sums[start : start + size] = times.astype(np.float64) @ patterns
    return sums


def percentile_interval(replicates: Floats, level: float) -> tuple[float, float] | None:
    """The central `level` share of the finite replicates; None when fewer than two are finite."""
    finite = replicates[np.isfinite(replicates)]
    if finite.size < 2:
        return None
    tail = 50 * (1 - level)
    low, high = np.percentile(finite, [tail, 100 - tail], method="linear")
    return float(low), float(high)
