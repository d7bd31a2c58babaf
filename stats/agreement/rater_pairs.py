"""Agreement of every two raters on the items that both rated."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stats.agreement import cohen, gwet
from stats.agreement.bundle import Request
from stats.agreement.sums import MAX_CATEGORIES
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import proportion
from stats.core.jackknife import Function, left_out
from stats.tables.ratings import Ratings

MIN_OVERLAP = 10


@dataclass(frozen=True)
class PairAgreement:
    """Two raters: their (q, q) table (first rater in rows) and what follows from it."""

    raters: tuple[str, str]
    table: Ints
    percent: Estimate
    kappas: dict[str, Estimate]
    kappa_max: float | None
    prevalence_index: float | None
    bias_index: float | None

    @property
    def n_items(self) -> int:
        """Items that both rated."""
        return int(self.table.sum())


@dataclass(frozen=True)
class DroppedPair:
    """Two raters with too few common items."""

    raters: tuple[str, str]
    n_items: int


def pair_table(first: Ints, second: Ints, q: int) -> Ints:
    """(q, q) counts from two code vectors with -1 for missing."""
    both = (first >= 0) & (second >= 0)
    flat = np.bincount(first[both] * q + second[both], minlength=q * q)
    return flat.reshape(q, q).astype(np.int64)


def rater_pairs(
    ratings: Ratings, request: Request, *, clusters: Ints | None = None
) -> tuple[list[PairAgreement], list[DroppedPair]]:
    """All pairs with at least MIN_OVERLAP common items, and the pairs dropped for having fewer.

    Pairs without a common item are not listed at all. `clusters` (n_items,) as for `agreement`.
    """
    if ratings.q > MAX_CATEGORIES:
        return [], []
    matrix = ratings.matrix()
    rated = (matrix >= 0).astype(np.float32)
    overlap = np.rint(rated @ rated.T).astype(np.int64)
    kept, dropped = [], []
    for a, b in combinations(range(len(ratings.raters)), 2):
        names = (ratings.raters[a], ratings.raters[b])
        if overlap[a, b] >= MIN_OVERLAP:
            table, tables = pair_table(matrix[a], matrix[b], ratings.q), None
            if clusters is not None:  # the table of every cluster in which both rated an item
                both = (matrix[a] >= 0) & (matrix[b] >= 0)
                codes = np.unique(clusters[both], return_inverse=True)[1]
                cells = (codes * ratings.q + matrix[a][both]) * ratings.q + matrix[b][both]
                size = ratings.q**2
                counts = np.bincount(cells, minlength=(codes.max(initial=-1) + 1) * size)
                tables = counts.reshape(-1, size).astype(np.float64)
            kept.append(describe_pair(names, table, ratings.points, request, tables))
        elif overlap[a, b]:
            dropped.append(DroppedPair(names, int(overlap[a, b])))
    return kept, dropped


def describe_pair(
    raters: tuple[str, str], table: Ints, points: Floats, request: Request, clusters: Floats | None = None
) -> PairAgreement:
    """The table's kappas and Gwet's AC1, one item left out at a time.

    `clusters` (C, q * q) are the tables of clusters of items that are alike; then one of them is left out at a time.
    Without spread, an interval reaches as far as an unseen kind of item could move the coefficient.
    """
    n, level, cells = int(table.sum()), request.confidence, table.ravel()
    if len(points) == 1:  # either could have given another value, as in `agreement`
        points, cells = np.append(points, points + 1), np.pad(cells, (0, 3))
        clusters = None if clusters is None else np.pad(clusters, ((0, 0), (0, 3)))
    kinds = np.flatnonzero(cells)  # of items, by what both said
    items = np.zeros((len(kinds), len(cells)))
    items[np.arange(len(kinds)), kinds] = 1
    rows, counts = (items, cells[kinds]) if clusters is None else (clusters, None)
    q, identity = len(points), np.eye(len(points))
    sums = gwet.item_sums((identity[:, None, :] + identity[None, :, :]).reshape(-1, q), identity)

    def kappa(kind: cohen.Weighting) -> Function:
        weights = cohen.disagreement(kind, points)
        return lambda tables: cohen.kappa(tables.reshape(-1, q, q), weights)

    functions: dict[str, Function] = {  # of flat tables (R, q * q)
        "cohen_kappa": kappa("nominal"),
        "weighted_kappa_linear": kappa("linear"),
        "weighted_kappa_quadratic": kappa("quadratic"),
        "gwet_ac1": lambda tables: gwet.gwet(tables @ sums, identity),
    }
    kappas = {}
    for name, function in functions.items():
        value = float(function(cells[None].astype(np.float64))[0])
        if name.startswith("weighted") and not request.allows("ordinal"):
            kappas[name] = undefined(name, Reason.LEVEL, level=level)
        elif math.isnan(value):
            kappas[name] = undefined(name, Reason.ONE_CATEGORY, n=n, level=level)
        else:
            warnings = cohen.cautions(table) if "kappa" in name else ()
            plain = Estimate(value=value, level=level, method=name, n=n, warnings=warnings)
            kappas[name] = left_out(plain, function, rows, share=False, counts=counts)
    percent = proportion(int(np.trace(table)), n, level=level)
    if clusters is not None:
        diagonal = identity.ravel()
        percent = left_out(
            percent, lambda tables: tables @ diagonal / tables.sum(axis=1), clusters, share=True
        )
    return PairAgreement(
        raters=raters,
        table=table,
        percent=percent,
        kappas=kappas,
        kappa_max=cohen.kappa_max(table),
        prevalence_index=cohen.prevalence_index(table),
        bias_index=cohen.bias_index(table),
    )
