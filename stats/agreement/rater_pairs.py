"""Agreement of every two raters on the items that both rated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from stats.agreement import cohen, gwet
from stats.agreement.bundle import Request
from stats.agreement.sums import MAX_CATEGORIES
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion, z_value
from stats.core.jackknife import Function, by_cluster, widened
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
    """The table's kappas with analytic intervals, clipped to [-1, 1], and Gwet's AC1.

    `clusters` (C, q * q) are the tables of clusters of items that are alike; then one at a time is left out. Without
    spread, an interval reaches as far as an unseen kind of item could move the coefficient.
    """
    kappas = {"cohen_kappa": _kappa("nominal", table, points, request)}
    ordered: tuple[cohen.Weighting, ...] = ("linear", "quadratic")
    for kind in ordered:
        name = f"weighted_kappa_{kind}"
        if request.allows("ordinal"):
            kappas[name] = _kappa(kind, table, points, request)
        else:
            kappas[name] = undefined(name, Reason.LEVEL, level=request.confidence)
    n = int(table.sum())
    percent = proportion(int(np.trace(table)), n, level=request.confidence)
    identity, times = np.eye(len(table)), table.ravel()
    answers = (identity[:, None, :] + identity[None, :, :]).reshape(-1, len(table))  # of each cell's items
    ac1 = float(gwet.gwet(times @ gwet.item_sums(answers, identity), identity))
    kappas["gwet_ac1"] = _wald(ac1, gwet.ac1_se(answers, times) or 0.0, "gwet_2008", n, request, ())
    functions = _table_functions(points)
    if clusters is not None:
        percent = by_cluster(percent, functions["percent"], clusters, share=True)
    for name, found in kappas.items():
        if clusters is not None:
            kappas[name] = by_cluster(found, functions[name], clusters, share=False)
        elif found.ci is not None and found.ci[0] >= found.ci[1]:
            flat = table.ravel().astype(np.float64)
            ends = widened(functions[name], flat[None], np.eye(flat.size), n, request.confidence)
            kappas[name] = replace(found, ci=ends, warnings=(*found.warnings, Caution.NO_SPREAD))
    return PairAgreement(
        raters=raters,
        table=table,
        percent=percent,
        kappas=kappas,
        kappa_max=cohen.kappa_max(table),
        prevalence_index=cohen.prevalence_index(table),
        bias_index=cohen.bias_index(table),
    )


def _table_functions(points: Floats) -> dict[str, Function]:
    """Coefficient -> function of flat tables (R, q * q)."""
    q, identity = len(points), np.eye(len(points))
    sums = gwet.item_sums((identity[:, None, :] + identity[None, :, :]).reshape(-1, q), identity)

    def kappa(kind: cohen.Weighting) -> Function:
        weights = cohen.disagreement(kind, points)
        return lambda tables: cohen.kappa(tables.reshape(-1, q, q), weights)

    return {
        "cohen_kappa": kappa("nominal"),
        "weighted_kappa_linear": kappa("linear"),
        "weighted_kappa_quadratic": kappa("quadratic"),
        "percent": lambda tables: (tables @ identity.ravel()) / tables.sum(axis=1),
        "gwet_ac1": lambda tables: gwet.gwet(tables @ sums, identity),
    }


def _kappa(kind: cohen.Weighting, table: Ints, points: Floats, request: Request) -> Estimate:
    weights = cohen.disagreement(kind, points)
    value, n = float(cohen.kappa(table, weights)), int(table.sum())
    se = cohen.kappa_se(table, weights)
    if math.isnan(value) or se is None:
        return undefined("delta_clipped", Reason.ONE_CATEGORY, n=n, level=request.confidence)
    return _wald(value, se, "delta_clipped", n, request, cohen.cautions(table))


def _wald(
    value: float, se: float, method: str, n: int, request: Request, warnings: tuple[str, ...]
) -> Estimate:
    half = z_value(request.confidence) * se
    ends = (max(-1.0, value - half), min(1.0, value + half))
    return Estimate(
        value=value, ci=ends, level=request.confidence, method=method, se=se, n=n, warnings=warnings
    )
