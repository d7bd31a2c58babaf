"""What an audit leaves open besides sampling error: experts who split evenly, and drawn units without a label.

One rule for the corrected score and for the judge's coefficients: an adjudicator's decision is the label; a split
that nobody settled counts negative in the value, and interval and bounds reach to what it would be if all such
splits were positive. Units that were drawn and not labelled, and those that no draw could take, are left out as if at
random, which is an assumption: they are counted, warned of and bounded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stats.audit.confusion import Confusion, coefficient
from stats.audit.weighted import AuditStratum
from stats.core.estimate import Caution, Estimate
from stats.core.strata import Stratum, unaudited_bounds

_EXACT = (Caution.CENSUS, Caution.NO_SPREAD)


def between(negative: Estimate, positive: Estimate) -> Estimate:
    """The estimate with all splits negative, its interval and bounds reaching to that with all splits positive."""
    cautions = (*(c for c in negative.warnings if c not in _EXACT), Caution.SPLIT)
    if negative.value is None or positive.value is None:
        return replace(negative, bounds=_around(negative, positive.bounds or ()), warnings=cautions)
    ends = [ci for ci in (negative.ci, positive.ci) if ci is not None]
    return replace(
        negative,
        ci=(min(low for low, _ in ends), max(high for _, high in ends)) if ends else None,
        bounds=_around(negative, [negative.value, positive.value]),
        warnings=cautions,
    )


def over_splits(scenarios: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """The coefficients with all splits negative; where there are splits, reaching to those with all positive."""
    negative, *positive = scenarios
    return {
        metric: between(estimate, positive[0][metric]) if positive else estimate
        for metric, estimate in negative.items()
    }


def with_missing_labels(
    estimate: Estimate,
    negative: Sequence[Stratum],
    positive: Sequence[Stratum],
    missing: Sequence[int],
    undrawable: Sequence[int] = (),
) -> Estimate:
    """The corrected score with its bounds if the `missing` drawn units of each stratum, and its `undrawable` ones, were
    all negative or positive.

    `negative` and `positive` are the strata with all splits decided so; they are the same without splits.
    """
    if not any(missing) and not any(undrawable):
        return estimate
    apart = tuple(undrawable) or (0,) * len(missing)
    worst, best = [], []
    for low, high, without, unread in zip(negative, positive, missing, apart, strict=True):
        drawn, size = low.sampled + without, low.size - unread
        worst += [replace(low, size=size, sampled=drawn), Stratum("", unread, unread, 0)]
        best += [
            replace(high, size=size, sampled=drawn, successes=high.successes + without),
            Stratum("", unread, unread, unread),
        ]
    ends = [share for bounds in (unaudited_bounds(worst), unaudited_bounds(best)) for share in bounds or ()]
    cautions = [Caution.NONRESPONSE] * any(missing) + [Caution.UNDRAWABLE] * any(undrawable)
    return _warned(estimate, ends, *cautions)


def coefficients_with_missing_labels(
    estimates: Mapping[str, Estimate], strata: Sequence[AuditStratum], missing: Sequence[int]
) -> dict[str, Estimate]:
    """The judge's coefficients with their bounds if all missing labels contradicted or confirmed the judge.

    The judge's answers about them are taken to be as frequent as among the labelled units of the stratum.
    """
    if not any(missing):
        return dict(estimates)
    tables = []
    for right in (False, True):
        cells = np.zeros(4)
        for stratum, without in zip(strata, missing, strict=True):
            counts = np.array(stratum.counts[:4], dtype=float)
            yes = counts[:2].sum() / counts.sum() if counts.any() else 0.5
            added = (yes, 0, 0, 1 - yes) if right else (0, yes, 1 - yes, 0)
            drawn = stratum.sampled + without
            cells += (counts + without * np.array(added)) * (stratum.size / drawn if drawn else 0)
        tables.append(Confusion(*cells.tolist()))
    return {
        metric: _warned(
            estimate,
            [v for table in tables if (v := coefficient(metric, table)) is not None],
            Caution.NONRESPONSE,
        )
        for metric, estimate in estimates.items()
    }


def _warned(estimate: Estimate, ends: Sequence[float], *added: Caution) -> Estimate:
    cautions = (*(c for c in estimate.warnings if c != Caution.CENSUS), *added)
    return replace(estimate, bounds=_around(estimate, ends), warnings=cautions)


def _around(estimate: Estimate, ends: Sequence[float]) -> tuple[float, float] | None:
    known = [*ends, *(estimate.bounds or ()), *([] if estimate.value is None else [estimate.value])]
    return (min(known), max(known)) if known else None
