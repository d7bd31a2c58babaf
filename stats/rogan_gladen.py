"""A judge's positive share corrected by sensitivity and specificity from an external calibration set.

Valid only if these were estimated conditionally on the truth and carry over to the target; an audit that
was stratified on the judge's answer distorts them (STATISTICS.md 3 i).
"""

from __future__ import annotations

import math

from stats.estimate import Caution, Estimate, Reason
from stats.intervals import z_value


def rogan_gladen(
    positives: int,
    n: int,
    *,
    true_positives: int,
    diseased: int,
    true_negatives: int,
    healthy: int,
    level: float = 0.95,
) -> Estimate:
    """p = (q + Sp - 1) / (Se + Sp - 1) with the interval of Lang and Reiczigel (2014).

    `positives` of `n` by the judge; calibration: `true_positives` of `diseased` truly positive items,
    `true_negatives` of `healthy` truly negative ones. JUDGE_UNINFORMATIVE when Se + Sp <= 1; values
    outside [0, 1] are truncated and flagged.
    """
    _check(positives, n, true_positives, diseased, true_negatives, healthy)
    method = "rogan_gladen_lang_reiczigel"
    q, se, sp = positives / n, true_positives / diseased, true_negatives / healthy
    if se + sp <= 1:
        return Estimate(value=None, method=method, level=level, n=n, reason=Reason.JUDGE_UNINFORMATIVE)
    raw = (q + sp - 1) / (se + sp - 1)
    value = min(1.0, max(0.0, raw))
    warnings = [Caution.TRANSPORT_ASSUMPTION, *([Caution.TRUNCATED] if value != raw else [])]
    z = z_value(level)
    ends = _lang_reiczigel(q, se, sp, n, diseased, healthy, z)
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=method,
        se=_delta_se(q, se, sp, raw, n, diseased, healthy),
        n=n,
        reason=None if ends else Reason.JUDGE_UNINFORMATIVE,
        warnings=tuple(warnings),
    )


def _check(positives: int, n: int, tp: int, diseased: int, tn: int, healthy: int) -> None:
    pairs = ((positives, n), (tp, diseased), (tn, healthy))
    if any(total <= 0 or not 0 <= part <= total for part, total in pairs):
        raise ValueError(f"needs counts between 0 and their positive totals, got {pairs}")


def _delta_se(q: float, se: float, sp: float, p: float, n: int, diseased: int, healthy: int) -> float:
    spread = q * (1 - q) / n + p**2 * se * (1 - se) / diseased + (1 - p) ** 2 * sp * (1 - sp) / healthy
    return math.sqrt(spread) / (se + sp - 1)


def _lang_reiczigel(
    q: float, se: float, sp: float, n: int, diseased: int, healthy: int, z: float
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
