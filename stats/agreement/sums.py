"""Sufficient sums for every agreement coefficient, one row per pattern of exchangeable units.

All coefficients are functions of sums over items (or clusters of items), so that leaving out one unit is a subtraction.
"""

from dataclasses import dataclass

import numpy as np

from stats.agreement import gwet, krippendorff
from stats.core.bootstrap import Floats, Ints, compress_rows
from stats.tables.ratings import Ratings

MAX_CATEGORIES = 40
MAX_CELLS = 30_000_000


@dataclass(frozen=True)
class AgreementSums:
    """`rows` (K, d) occur `counts` (K,) times; `parts` name groups of columns.

    Parts: `moments`; and, for at most MAX_CATEGORIES categories, `shares` (identity item sums), `linear`,
    `quadratic` (weighted observed agreement), `coincidences`, and for two raters `table`.
    `possible` (J, d) are items of every two categories, seen or not: as many raters as usual, one of them differing
    or none. `minority` counts the units that hold another label than the most frequent one.
    """

    rows: Floats
    counts: Ints
    parts: dict[str, slice]
    possible: Floats
    minority: int

    def total(self) -> Floats:
        """(1, d) sums over all units."""
        return (self.counts @ self.rows)[None, :]

    def part(self, sums: Floats, name: str) -> Floats:
        """Columns of one part; square parts keep their (q, q) shape."""
        columns = sums[:, self.parts[name]]
        if name in ("coincidences", "table"):
            q = round(columns.shape[1] ** 0.5)
            return columns.reshape(-1, q, q)
        return columns


def agreement_sums(ratings: Ratings, clusters: Ints | None) -> AgreementSums:
    """Build the rows; `clusters` (n_items,) are consecutive codes, None when every item stands alone."""
    # What decides an item's row: its moments, its two answers, or its category counts.
    if ratings.q > MAX_CATEGORIES:
        table = krippendorff.label_moments(ratings.item, ratings.value, ratings.points, ratings.n_items)
    elif len(ratings.raters) == 2:
        table = ratings.matrix().T.astype(np.float64) + 1
    else:
        table = ratings.counts().astype(np.float64)
    patterns, counts, codes = compress_rows(table)
    columns = _columns(ratings, patterns)
    rows = np.hstack(list(columns.values()))
    parts, start = {}, 0
    for name, block in columns.items():
        parts[name] = slice(start, start + block.shape[1])
        start += block.shape[1]
    usual = np.bincount(ratings.value, minlength=1).argmax()
    items = ratings.item[ratings.value != usual]
    minority = len(np.unique(items if clusters is None else clusters[items]))
    possible = np.empty((0, 4))
    if ratings.q <= MAX_CATEGORIES:
        first, second = (part.ravel() for part in np.indices((ratings.q, ratings.q)))
        if len(ratings.raters) == 2:
            seen = np.column_stack([first, second]) + 1.0
        else:
            labels = np.bincount(ratings.item)
            each = max(2, round(float(np.median(labels[labels > 0]))) if labels.any() else 2)
            seen = (each - 1) * np.eye(ratings.q)[first] + np.eye(ratings.q)[second]
        possible = np.hstack(list(_columns(ratings, seen.astype(np.float64)).values()))
    if clusters is not None:
        kinds = int(clusters.max(initial=-1)) + 1
        sums = np.empty((kinds, rows.shape[1]))
        for at, column in enumerate(rows.T):
            sums[:, at] = np.bincount(clusters, weights=column[codes], minlength=kinds)
        rows, counts, _ = compress_rows(sums)
    return AgreementSums(rows, counts, parts, possible, minority)


def _columns(ratings: Ratings, patterns: Floats) -> dict[str, Floats]:
    """The columns of each part (K, width), in the order of the row that they make.

    A pattern (see `agreement_sums`) is what decides an item's row: its moments where there are too many categories;
    with two raters their two answers, as codes from 1 with 0 for none; else how many raters chose each category.
    """
    if ratings.q > MAX_CATEGORIES:
        return {"moments": patterns}
    q, points = ratings.q, ratings.points
    answers = patterns.astype(np.int64) - 1 if len(ratings.raters) == 2 else None  # (K, 2), -1 for none
    # (K, q): how many of the raters chose each category
    counts = patterns if answers is None else (answers[:, :, None] == np.arange(q)).sum(axis=1, dtype=float)
    columns = {
        "moments": krippendorff.moments(counts, points),
        "shares": gwet.item_sums(counts, np.eye(q)),
        # only the observed agreement: all other columns are those of `shares`
        "linear": gwet.item_sums(counts, gwet.weights("linear", points))[:, :1],
        "quadratic": gwet.item_sums(counts, gwet.weights("quadratic", points))[:, :1],
        "coincidences": krippendorff.coincidences(counts).reshape(len(patterns), -1),
    }
    if answers is not None:
        # (K, q * q): 1 in the cell of the first rater's category (row) and the second one's, if both answered
        columns["table"] = np.zeros((len(answers), q * q))
        both = np.flatnonzero((answers >= 0).all(axis=1))
        columns["table"][both, answers[both, 0] * q + answers[both, 1]] = 1
    return columns
