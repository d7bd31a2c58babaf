"""Krippendorff's alpha of one group of raters minus that of another on the same items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stats.agreement import krippendorff
from stats.agreement.bundle import FEW_MINORITY, LOW_N, Level
from stats.agreement.sums import MAX_CATEGORIES
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import Function, fisher_interval, leave_one_out, t_quantile, unseen_weight
from stats.tables.ratings import Ratings

METHOD = "difference of alphas, jackknife"


@dataclass(frozen=True)
class AlphaDifference:
    """Both alphas over the `items` that two raters of each group rated, first minus second, and its two-sided p."""

    items: int
    first: Estimate
    second: Estimate
    difference: Estimate
    p: float | None


def alpha_difference(
    ratings: Ratings,
    groups: tuple[Sequence[int], Sequence[int]],
    level: Level,
    *,
    clusters: Ints | None = None,
    confidence: float = 0.95,
) -> AlphaDifference:
    """`groups` are codes of raters and may overlap; `clusters` (n_items,) are consecutive codes of items.

    Both alphas lose the same item (or cluster) at a time, so that what the groups share cancels; the interval is
    Student's t on the difference, and reaches as far as an unseen kind of item could move it where nothing varies.
    """
    members = [np.isin(ratings.rater, group) for group in groups]
    each = [np.bincount(ratings.item[rows], minlength=ratings.n_items) for rows in members]
    kept = (each[0] >= 2) & (each[1] >= 2)
    n = int(kept.sum())
    reason = None
    if not len(ratings.item):
        reason = Reason.NO_ITEMS
    elif min(len(set(group)) for group in groups) < 2:
        reason = Reason.ONE_RATER
    elif not n:
        reason = Reason.NO_PAIRABLE
    elif ratings.q > MAX_CATEGORIES and level != "interval":
        reason = Reason.TOO_MANY_CATEGORIES
    if reason is not None:
        nothing = undefined(METHOD, reason, n=n, level=confidence)
        return AlphaDifference(n, nothing, nothing, nothing, None)
    units = np.arange(n) if clusters is None else np.unique(clusters[kept], return_inverse=True)[1]
    parts = np.hstack([_item_sums(ratings, rows, level)[kept] for rows in members])
    rows = np.zeros((int(units.max()) + 1, parts.shape[1]))
    np.add.at(rows, units, parts)
    width = parts.shape[1] // 2

    def alpha(sums: Floats) -> Floats:
        if level == "interval":
            return krippendorff.interval_alpha(sums)
        return krippendorff.alpha(sums.reshape(-1, ratings.q, ratings.q), level, ratings.points)

    usual = [max(2, round(float(np.median(labels[kept])))) for labels in each]
    possible = _possible(ratings, level, usual)
    plain = Estimate(
        value=0.0,
        method="",
        level=confidence,
        n=n,
        clusters=None if clusters is None else len(rows),
        warnings=_cautions(ratings, members, kept, units, clusters is not None),
    )
    first = _estimate(lambda sums: alpha(sums[:, :width]), rows, possible, plain, f"alpha_{level}, jackknife")
    second = _estimate(
        lambda sums: alpha(sums[:, width:]), rows, possible, plain, f"alpha_{level}, jackknife"
    )
    difference = _estimate(
        lambda sums: alpha(sums[:, :width]) - alpha(sums[:, width:]), rows, possible, plain, METHOD
    )
    return AlphaDifference(n, first[0], second[0], *difference)


def _item_sums(ratings: Ratings, rows: np.ndarray, level: Level) -> Floats:
    """(n_items, d) moments of an interval scale, coincidences of another, from the labels of a mask."""
    item, value, n = ratings.item[rows], ratings.value[rows], ratings.n_items
    if level == "interval":
        return krippendorff.label_moments(item, value, ratings.points, n)
    counts = np.bincount(item * ratings.q + value, minlength=n * ratings.q).reshape(n, ratings.q)
    return krippendorff.coincidences(counts).reshape(n, -1)


def _possible(ratings: Ratings, level: Level, usual: Sequence[int]) -> Floats:
    """Sums of items on which all agree, or one rater of one group differs, for every two categories."""
    if ratings.q > MAX_CATEGORIES:
        return np.empty((0, 8))
    one, other = (np.eye(ratings.q)[part.ravel()] for part in np.indices((ratings.q, ratings.q)))

    def sums(counts: Floats) -> Floats:
        if level == "interval":
            return krippendorff.moments(counts, ratings.points)
        return krippendorff.coincidences(counts).reshape(len(counts), -1)

    agreed, split = ([sums(m * one) for m in usual], [sums((m - 1) * one + other) for m in usual])
    return np.vstack([np.hstack([split[0], agreed[1]]), np.hstack([agreed[0], split[1]])])


def _cautions(
    ratings: Ratings, members: Sequence[np.ndarray], kept: np.ndarray, units: Ints, clustered: bool
) -> tuple[str, ...]:
    found = [Caution.LOW_N] if kept.sum() < LOW_N else []
    if clustered and units.max() + 1 < LOW_N:
        found.append(Caution.FEW_CLUSTERS)
    rows = (members[0] | members[1]) & kept[ratings.item]
    rarer = rows & (ratings.value != np.bincount(ratings.value[rows]).argmax())
    unit_of = np.full(ratings.n_items, -1)
    unit_of[kept] = units
    if len(np.unique(unit_of[ratings.item[rarer]])) < FEW_MINORITY:
        found.append(Caution.FEW_MINORITY)
    return tuple(found)


def _estimate(
    function: Function, rows: Floats, possible: Floats, plain: Estimate, method: str
) -> tuple[Estimate, float | None]:
    """Value, error and interval: Student's t for the difference, on Fisher's z for a single alpha; and the p-value."""
    from scipy.special import stdtr

    total, level = rows.sum(axis=0)[None], plain.level
    value = float(function(total)[0])
    if np.isnan(value):
        return undefined(method, Reason.ONE_CATEGORY, n=plain.n, level=level), None
    found = replace(plain, value=value, method=method)
    error = leave_one_out(function, rows, np.ones(len(rows), dtype=np.int64))
    if error is None:
        return replace(found, reason=Reason.FEW_EVENTS), None
    se, degrees = error
    if se == 0:
        moved = function(total + unseen_weight(len(rows), level) * possible)
        moved = np.append(moved[np.isfinite(moved)], value)
        warnings = (*found.warnings, Caution.NO_SPREAD)
        return replace(found, ci=(float(moved.min()), float(moved.max())), se=0.0, warnings=warnings), None
    if method != METHOD:
        return replace(found, ci=fisher_interval(value, se, degrees, level), se=se), None
    half = t_quantile(level, degrees) * se
    ends = max(-2.0, value - half), min(2.0, value + half)
    return replace(found, ci=ends, se=se), 2 * float(stdtr(degrees, -abs(value) / se))
