"""Graded scores against a yes or no that is taken as the truth: ranking (AUC), Brier score, reliability curve.

Every figure may be weighted by the design of an audit; errors leave out one item, or one cluster, at a time.
"""

from dataclasses import dataclass, replace

import numpy as np

from stats.agreement.two_raters import bounded_mean, share_by_unit
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import jackknife_error, share_left_out, unseen_weight

MOST_BINS = 10


@dataclass(frozen=True)
class Scored:
    """Items (n,): score, whether the truth is yes, weight (1: every item counts alike), consecutive codes of units."""

    score: Floats
    truth: np.ndarray
    weight: Floats
    unit: Ints

    def __post_init__(self) -> None:
        if not len(self.score) == len(self.truth) == len(self.weight) == len(self.unit):
            raise ValueError("scores, truths, weights and units must have one length")
        if (self.weight <= 0).any() or not np.isfinite(self.weight).all():
            raise ValueError("weights must be finite and above zero")


@dataclass(frozen=True)
class Bin:
    """Items with scores from `low` to `high`: how many, their mean score, and the share of them that is true."""

    low: float
    high: float
    n: int
    mean_score: float
    share: Estimate


def auc(items: Scored, *, level: float = 0.95) -> Estimate:
    """The chance that a true item scores above a false one, ties counting half: Mann-Whitney's U over all such pairs.

    The interval is Wilson's on the number of trials that would have the jackknife's error; without any spread (the
    scores separate the truths) it reaches as far as items of a kind that went unseen could move it.
    """
    method, n = "auc, jackknife", len(items.score)
    yes, no = items.truth, ~items.truth
    if not yes.any() or not no.any():
        return undefined(method, Reason.ONE_CATEGORY if n else Reason.NO_ITEMS, n=n, level=level)
    order, units = np.argsort(items.score, kind="stable"), int(items.unit.max()) + 1
    score, truth, unit = items.score[order], items.truth[order], items.unit[order]
    up, down = items.weight[order] * truth, items.weight[order] * ~truth
    below = _below(score, down)  # false weight below each item, ties half
    above = up.sum() - _below(score, up)  # true weight above each item, ties half
    won = up * below + down * above  # the wins in which an item takes part
    of_unit = np.bincount(unit, weights=won, minlength=units)
    inside = np.zeros(units)  # pairs within a unit, which were taken away twice
    by_unit = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit, minlength=units))[:-1])
    for code, rows in enumerate(by_unit):
        if len(rows) > 1:
            inside[code] = up[rows] @ _below(score[rows], down[rows])
    ups, downs = (np.bincount(unit, weights=w, minlength=units) for w in (up, down))
    total = float(up @ below)
    # (1 + units,) weighted wins of true over false items, and weighted pairs: of all, then without each unit
    wins = np.concatenate([[total], total - of_unit + inside])
    pairs = np.concatenate([[up.sum() * down.sum()], (up.sum() - ups) * (down.sum() - downs)])
    value = float(np.clip(wins[0] / pairs[0], 0, 1))
    found = Estimate(value=value, method=method, level=level, n=n)
    # without a unit that has all items of a kind there are no pairs, but for what rounding leaves of their weight
    some = [
        len(np.unique(unit[of_kind])) > 1 or unit[of_kind][0] != np.arange(units)
        for of_kind in (truth, ~truth)
    ]
    left = np.divide(wins[1:], pairs[1:], out=np.zeros(units), where=some[0] & some[1])
    error = jackknife_error(left, np.ones(len(left), dtype=np.int64))
    if error is None:
        return replace(found, reason=Reason.FEW_EVENTS)
    if error[0] > 0 and 0 < value < 1:
        return replace(found, ci=share_left_out(value, error, len(left), level), se=error[0])
    count = min(len(np.unique(items.unit[yes])), len(np.unique(items.unit[no])))
    unseen = unseen_weight(count, level)
    ends = value * count / (count + unseen), (value * count + unseen) / (count + unseen)
    return replace(found, ci=ends, se=error[0], warnings=(Caution.NO_SPREAD,))


def _below(score: Floats, weight: Floats) -> Floats:
    """For each of the sorted scores the weight below it plus half the weight at it."""
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    first, last = np.searchsorted(score, score, side="left"), np.searchsorted(score, score, side="right")
    return np.asarray((sums[first] + sums[last]) / 2)


def brier(items: Scored, *, level: float = 0.95) -> Estimate:
    """The mean squared difference of score and truth (Brier 1950), for scores that are probabilities."""
    method, n = "brier, jackknife", len(items.score)
    if not n:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    if not _are_shares(items.score):
        return undefined(method, Reason.NOT_A_SHARE, n=n, level=level)
    squares = (items.score - items.truth) ** 2
    found = share_by_unit("brier", squares * items.weight, items.weight, items.unit, level)
    return replace(found, k=None, n=n)


def overconfidence(items: Scored, *, level: float = 0.95) -> Estimate:
    """The mean score minus the share that is true, for scores that are probabilities."""
    method, n = "mean score minus share, jackknife", len(items.score)
    if not n:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    if not _are_shares(items.score):
        return undefined(method, Reason.NOT_A_SHARE, n=n, level=level)
    gaps = items.score - items.truth
    found = bounded_mean(method, gaps, items.unit, level, 1.0, weights=items.weight)
    ends = None if found.ci is None else (max(-1.0, found.ci[0]), min(1.0, found.ci[1]))
    return replace(found, method=method, ci=ends)


def _are_shares(score: Floats) -> bool:
    return bool((score >= 0).all() and (score <= 1).all())


def reliability(items: Scored, *, level: float = 0.95) -> list[Bin]:
    """The share of true items by score: one bin for each score where there are few, else MOST_BINS of equal width.

    Bins without an item are left out. Equal widths span 0 to 1 for probabilities, else the scores that occur.
    """
    if not len(items.score):
        return []
    kinds = np.unique(items.score)
    if len(kinds) <= MOST_BINS:
        codes = np.searchsorted(kinds, items.score)
        ends = np.column_stack([kinds, kinds])
    else:
        low, high = (0.0, 1.0) if _are_shares(items.score) else (float(kinds[0]), float(kinds[-1]))
        edges = np.linspace(low, high, MOST_BINS + 1)
        codes = np.clip(np.searchsorted(edges, items.score, side="right") - 1, 0, MOST_BINS - 1)
        ends = np.column_stack([edges[:-1], edges[1:]])
    bins = []
    for code in np.unique(codes):
        rows = codes == code
        truth, weight, count = items.truth[rows], items.weight[rows], int(rows.sum())
        units = np.unique(items.unit[rows], return_inverse=True)[1]
        alike = (weight == weight[0]).all()
        share = share_by_unit("share", truth * weight, weight, units, level)
        share = replace(share, k=int(truth.sum()) if alike else None, n=count)
        mean = float(np.average(items.score[rows], weights=weight))
        bins.append(Bin(float(ends[code, 0]), float(ends[code, 1]), count, mean, share))
    return bins
