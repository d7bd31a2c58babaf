"""Ratings in long form: who put which item into which category."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from stats.core.bootstrap import Floats, Ints


@dataclass(frozen=True)
class Ratings:
    """L ratings of `n_items` items by `len(raters)` raters, at most one per item and rater.

    `item`, `rater`, `value` are (L,) codes; `categories` are the declared categories in order and
    `points` (q,) their positions on the scale (for numeric scales the numbers themselves).
    """

    item: Ints
    rater: Ints
    value: Ints
    n_items: int
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    points: Floats

    def __post_init__(self) -> None:
        if not len(self.item) == len(self.rater) == len(self.value):
            raise ValueError("items, raters and values of ratings must have one length")
        if self.points.shape != (len(self.categories),):
            raise ValueError("every category needs one position on the scale")
        cells = np.sort(self.item * max(1, len(self.raters)) + self.rater)
        if (cells[1:] == cells[:-1]).any():
            raise ValueError("a rater rated an item twice: resolve votes first")

    @property
    def q(self) -> int:
        """Number of declared categories, whether anybody chose them or not."""
        return len(self.categories)

    def counts(self) -> Ints:
        """(n_items, q): how many raters chose each category."""
        flat = np.bincount(self.item * self.q + self.value, minlength=self.n_items * self.q)
        return flat.reshape(self.n_items, self.q).astype(np.int64)

    def matrix(self) -> Ints:
        """(n_raters, n_items) category codes, -1 where a rater did not rate."""
        table = np.full((len(self.raters), self.n_items), -1, dtype=np.int64)
        table[self.rater, self.item] = self.value
        return table

    def matrix_of(self, rater: int, other: int) -> Ints:
        """(2, n_items) the rows of `matrix` of two raters."""
        table = np.full((2, self.n_items), -1, dtype=np.int64)
        for row, code in enumerate((rater, other)):
            own = self.rater == code
            table[row, self.item[own]] = self.value[own]
        return table


def from_matrix(rows: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> Ratings:
    """Ratings from items x raters, None where missing; numeric categories are their own positions.

    Raises ValueError for a value outside the declared categories.
    """
    codes = {category: code for code, category in enumerate(categories)}
    cells = [(i, r, value) for i, row in enumerate(rows) for r, value in enumerate(row) if value is not None]
    strange = sorted({str(value) for _, _, value in cells if value not in codes})
    if strange:
        raise ValueError(f"values outside the declared categories: {', '.join(strange)}")
    table = np.array([(i, r, codes[value]) for i, r, value in cells], dtype=np.int64).reshape(-1, 3)
    width = max((len(row) for row in rows), default=0)
    return Ratings(
        item=table[:, 0],
        rater=table[:, 1],
        value=table[:, 2],
        n_items=len(rows),
        raters=tuple(str(r) for r in range(width)),
        categories=tuple(str(category) for category in categories),
        points=scale_points([str(category) for category in categories]),
    )


def scale_points(categories: Sequence[str]) -> Floats:
    """The numbers that the categories name, or 0, 1, 2, ... when they are words."""
    try:
        points = np.array([float(category) for category in categories])
    except ValueError:
        return np.arange(len(categories), dtype=np.float64)
    return points if np.isfinite(points).all() else np.arange(len(categories), dtype=np.float64)
