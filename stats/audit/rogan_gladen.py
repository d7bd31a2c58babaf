"""A judge's positive share corrected by sensitivity and specificity from an external calibration set.

Valid only if these were estimated conditionally on the truth and carry over to the target; an audit that
was stratified on the judge's answer distorts them (STATISTICS.md 3 i) unless its outputs are weighted by the design.
"""

import math
from dataclasses import replace

import numpy as np

from stats.core.bootstrap import Floats
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import z_value
from stats.core.jackknife import leave_one_out
from stats.scores.clusters import ClusterTotals, design_effect

METHOD = "rogan_gladen_lang_reiczigel"


def transported_score(judged: ClusterTotals, tables: Floats, *, level: float = 0.95) -> Estimate:
    """The judge's share of yes over `judged` clusters, corrected by how it errs given the truth in an audit.

    `tables` (C, 4) are tp, fp, fn, tn of the audit's clusters (single outputs where nothing is shared), each output
    weighted by the design. Sensitivity and specificity count as measured on as many independent outputs as would have
    their jackknife error; where they show no error, on as many as their clusters.
    """
    if not judged.n:
        return undefined(METHOD, Reason.NO_JUDGE, n=0, level=level)
    measured = []  # sensitivity and specificity, each with its effective number of trials
    for right, wrong in ((0, 2), (3, 1)):
        rows = tables[:, [right, wrong]]
        rows = rows[rows.sum(axis=1) > 0]
        if not len(rows):
            return undefined(METHOD, Reason.ZERO_DENOM, n=judged.n, level=level)
        rate = float(_share(rows.sum(axis=0)[None])[0])
        error = leave_one_out(_share, rows, np.ones(len(rows), dtype=np.int64))
        if error is None or error[0] == 0 or not 0 < rate < 1:
            sizes = rows.sum(axis=1)
            trials = float(sizes.sum() ** 2 / (sizes**2).sum())
        else:
            trials = rate * (1 - rate) / error[0] ** 2
        measured.append((rate, trials))
    (se, diseased), (sp, healthy) = measured
    n = judged.n / design_effect(judged)
    found = rogan_gladen(
        judged.mean * n,
        n,
        true_positives=se * diseased,
        diseased=diseased,
        true_negatives=sp * healthy,
        healthy=healthy,
        level=level,
    )
    return replace(found, n=judged.n, clusters=judged.clusters if judged.clusters < judged.n else None)


def _share(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums.sum(axis=1))


def rogan_gladen(
    positives: float,
    n: float,
    *,
    true_positives: float,
    diseased: float,
    true_negatives: float,
    healthy: float,
    level: float = 0.95,
) -> Estimate:
    """p = (q + Sp - 1) / (Se + Sp - 1) with the interval of Lang and Reiczigel (2014).

    `positives` of `n` by the judge; calibration: `true_positives` of `diseased` truly positive items,
    `true_negatives` of `healthy` truly negative ones. JUDGE_UNINFORMATIVE when Se + Sp <= 1; values
    outside [0, 1] are truncated and flagged.
    """
    pairs = ((positives, n), (true_positives, diseased), (true_negatives, healthy))
    if any(total <= 0 or not 0 <= part <= total * (1 + 1e-12) for part, total in pairs):
        raise ValueError(f"needs counts between 0 and their positive totals, got {pairs}")
    q, se, sp = positives / n, true_positives / diseased, true_negatives / healthy
    if se + sp <= 1:
        return undefined(METHOD, Reason.JUDGE_UNINFORMATIVE, n=round(n), level=level)
    raw = (q + sp - 1) / (se + sp - 1)
    value = min(1.0, max(0.0, raw))
    warnings = [Caution.TRANSPORT_ASSUMPTION, *([Caution.TRUNCATED] if value != raw else [])]
    z = z_value(level)
    ends = _lang_reiczigel(q, se, sp, n, diseased, healthy, z)
    spread = q * (1 - q) / n + raw**2 * se * (1 - se) / diseased + (1 - raw) ** 2 * sp * (1 - sp) / healthy
    return Estimate(
        value=value,
        # Pseudo-observations shift the interval, in small samples past a value at the end of the range.
        ci=None if ends is None else (min(value, ends[0]), max(value, ends[1])),
        level=level,
        method=METHOD,
        se=math.sqrt(spread) / (se + sp - 1),
        n=round(n),
        reason=None if ends else Reason.JUDGE_UNINFORMATIVE,
        warnings=tuple(warnings),
    )


def _lang_reiczigel(
    q: float, se: float, sp: float, n: float, diseased: float, healthy: float, z: float
) -> tuple[float, float] | None:
    """Adds z^2 pseudo-observations to n and two to each calibration group; None when uninformative."""
    n1, m1, h1 = n + z * z, diseased + 2, healthy + 2
    q1 = (n * q + z * z / 2) / n1
    se1, sp1 = (diseased * se + 1) / m1, (healthy * sp + 1) / h1
    youden = se1 + sp1 - 1
    if youden <= 0:
        return None
    p1 = (q1 + sp1 - 1) / youden
    shift = 2 * z * z * (p1 * se1 * (1 - se1) / m1 - (1 - p1) * sp1 * (1 - sp1) / h1)
    spread = q1 * (1 - q1) / n1 + p1**2 * se1 * (1 - se1) / m1 + (1 - p1) ** 2 * sp1 * (1 - sp1) / h1
    half = z * math.sqrt(spread) / youden
    centre = p1 + shift
    return min(1.0, max(0.0, centre - half)), min(1.0, max(0.0, centre + half))
