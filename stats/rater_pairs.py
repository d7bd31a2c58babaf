"""Agreement of every two raters on the items that both rated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stats import cohen, gwet
from stats.agreement import Request
from stats.agreement_sums import MAX_CATEGORIES
from stats.bootstrap import Floats, Ints
from stats.estimate import Estimate, Reason, undefined
from stats.intervals import proportion, z_value
from stats.ratings import Ratings

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


def pair_table(first: Ints, second: Ints, q: int) -> Ints:
    """(q, q) counts from two code vectors with -1 for missing."""
    both = (first >= 0) & (second >= 0)
    flat = np.bincount(first[both] * q + second[both], minlength=q * q)
    return flat.reshape(q, q).astype(np.int64)


def rater_pairs(ratings: Ratings, request: Request) -> tuple[list[PairAgreement], list[dict[str, object]]]:
    """All pairs with at least MIN_OVERLAP common items, and the pairs dropped for having fewer.

    Pairs without a common item are not listed at all.
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
            table = pair_table(matrix[a], matrix[b], ratings.q)
            kept.append(describe_pair(names, table, ratings.points, request))
        elif overlap[a, b]:
            dropped.append({"raters": list(names), "n_items": int(overlap[a, b])})
    return kept, dropped


def describe_pair(raters: tuple[str, str], table: Ints, points: Floats, request: Request) -> PairAgreement:
    """The table's kappas with analytic intervals, clipped to [-1, 1], and Gwet's AC1."""
    kappas = {"cohen_kappa": _kappa("nominal", table, points, request)}
    ordered: tuple[cohen.Weighting, ...] = ("linear", "quadratic")
    for kind in ordered:
        name = f"weighted_kappa_{kind}"
        if request.allows("ordinal"):
            kappas[name] = _kappa(kind, table, points, request)
        else:
            kappas[name] = undefined(name, Reason.LEVEL, level=request.confidence)
    n = int(table.sum())
    return PairAgreement(
        raters=raters,
        table=table,
        percent=proportion(int(np.trace(table)), n, level=request.confidence),
        kappas=kappas | {"gwet_ac1": _ac1(table, request)},
        kappa_max=cohen.kappa_max(table),
        prevalence_index=cohen.prevalence_index(table),
        bias_index=cohen.bias_index(table),
    )


def _kappa(kind: cohen.Weighting, table: Ints, points: Floats, request: Request) -> Estimate:
    weights = cohen.disagreement(kind, points)
    value, n = float(cohen.kappa(table, weights)), int(table.sum())
    se = cohen.kappa_se(table, weights)
    if math.isnan(value) or se is None:
        return undefined("delta_clipped", Reason.ONE_CATEGORY, n=n, level=request.confidence)
    return _wald(value, se, "delta_clipped", n, request, cohen.cautions(table))


def _ac1(table: Ints, request: Request) -> Estimate:
    identity = np.eye(len(table))
    rows = (identity[:, None, :] + identity[None, :, :]).reshape(-1, len(table))  # what each cell's items got
    times = table.ravel()
    value = float(gwet.gwet(times @ gwet.item_sums(rows, identity), identity))
    se = gwet.ac1_se(rows, times)
    if math.isnan(value):
        return undefined("gwet_2008", Reason.NO_PAIRABLE, n=0, level=request.confidence)
    return _wald(value, se or 0.0, "gwet_2008", int(times.sum()), request, ())


def _wald(
    value: float, se: float, method: str, n: int, request: Request, warnings: tuple[str, ...]
) -> Estimate:
    half = z_value(request.confidence) * se
    ends = (max(-1.0, value - half), min(1.0, value + half))
    return Estimate(
        value=value, ci=ends, level=request.confidence, method=method, se=se, n=n, warnings=warnings
    )
