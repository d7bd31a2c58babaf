"""`analyse pairs`: win, loss, tie; strengths and ranks; position bias."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from stats import davidson
from stats.analyses.options import Options, chosen_question
from stats.davidson import DavidsonFit
from stats.estimate import Caution, Estimate, Reason, undefined
from stats.intervals import z_value
from stats.label_pairs import presentations, settle
from stats.pairwise import Comparisons, Record, Result, records
from stats.position_bias import SwapCounts, binomial_p, first_slot_share, swap_consistency, swap_test
from stats.strength_bootstrap import clustered_strengths
from stats.tables import Table

Document = dict[str, object]
METHOD = "davidson_newton"
PRIOR_SD = 2.0


def pairs_document(table: Table, *, options: Options) -> Document:
    """Comparisons of systems as shown (`left|right`); strengths are logarithms that sum to zero.

    A comparison that one rater saw in both orders counts once: decisive if both presentations name the
    same system, else a tie (`order_flips`). Position bias and order effect use every presentation.
    """
    shown = presentations(chosen_question(table, options.question))
    settled = settle(shown)
    comparisons = settled.comparisons
    counts = comparisons.table()
    fitted = davidson.fit(counts) if comparisons.k else Reason.NO_ITEMS
    strengths = _strengths(fitted, comparisons, settled.clusters, options)
    ranks = davidson.rank_sets(fitted, level=options.confidence) if isinstance(fitted, DavidsonFit) else None
    rows = records(counts, level=options.confidence)
    regularised = _regularised(fitted, counts)
    systems = [
        _system(name, rows[i], strengths[i], ranks[i] if ranks else None, regularised[i])
        for i, name in enumerate(comparisons.systems)
    ]
    return {
        "comparisons": len(comparisons.result),
        "presentations": len(shown.comparisons.result),
        "order_flips": settled.order_flips,
        **{f"n_{name}": count for name, count in shown.left_out.items()},
        "both_bad": shown.both_bad,
        "systems": systems,
        "tie_parameter": _tie_parameter(fitted, comparisons, options).as_json(),
        "equal_strengths": _equal_strengths(fitted, counts),
        "order_effect": _order_effect(shown.comparisons, options),
        "position_bias": _position_bias(shown.comparisons, settled.swaps, options),
    }


def _system(
    name: str, record: Record, strength: Estimate, rank: tuple[int, int] | None, regularised: float | None
) -> Document:
    return {
        "system": name,
        "wins": record.wins,
        "losses": record.losses,
        "ties": record.ties,
        "comparisons": record.comparisons,
        "opponents": record.opponents,
        "win_rate": record.win_rate.as_json(),
        "half_tie_rate": record.half_tie_rate.as_json(),
        "half_tie_rate_macro": record.half_tie_rate_macro,
        "strength": strength.as_json(),
        "regularised_strength": regularised,
        "rank": None if rank is None else list(rank),
    }


def _strengths(
    fitted: DavidsonFit | Reason, comparisons: Comparisons, clusters: np.ndarray | None, options: Options
) -> list[Estimate]:
    n, level = len(comparisons.result), options.confidence
    if isinstance(fitted, Reason):
        return [undefined(METHOD, fitted, n=n, level=level) for _ in comparisons.systems]
    half = z_value(level) * fitted.se
    plain = [
        Estimate(
            value=float(b), ci=(float(b - h), float(b + h)), level=level, method=METHOD, se=float(se), n=n
        )
        for b, se, h in zip(fitted.strengths, fitted.se, half, strict=True)
    ]
    if clusters is None:
        return plain
    ends, lost = clustered_strengths(comparisons, clusters, fitted, seed=options.seed, level=level)
    warnings = (Caution.DEGENERATE_BOOTSTRAP,) if lost else ()
    return [
        replace(
            estimate,
            ci=interval,
            method=f"{METHOD}, cluster bootstrap",
            clusters=len(np.unique(clusters)),
            reason=None if interval else Reason.DEGENERATE_BOOTSTRAP,
            warnings=warnings,
        )
        for estimate, interval in zip(plain, ends, strict=True)
    ]


def _regularised(fitted: DavidsonFit | Reason, counts: np.ndarray) -> list[float | None]:
    """Strengths with a normal prior of standard deviation 2, only where the plain ones do not exist."""
    if fitted is not Reason.SEPARATION:
        return [None] * counts.shape[1]
    penalised = davidson.fit(counts, prior_sd=PRIOR_SD)
    if isinstance(penalised, Reason):
        return [None] * counts.shape[1]
    return [float(b) for b in penalised.strengths]


def _tie_parameter(fitted: DavidsonFit | Reason, comparisons: Comparisons, options: Options) -> Estimate:
    """nu, with an interval from log nu; 0 without any tie."""
    n, level = len(comparisons.result), options.confidence
    if isinstance(fitted, Reason):
        return undefined(METHOD, fitted, n=n, level=level)
    if fitted.log_nu is None or fitted.log_nu_se is None:
        return Estimate(value=0.0, method="no ties", level=level, n=n, reason=Reason.FEW_EVENTS)
    half, nu = z_value(level) * fitted.log_nu_se, math.exp(fitted.log_nu)
    ends = (nu * math.exp(-half), nu * math.exp(half))
    return Estimate(value=nu, ci=ends, level=level, method=METHOD, se=nu * fitted.log_nu_se, n=n)


def _equal_strengths(fitted: DavidsonFit | Reason, counts: np.ndarray) -> Document | None:
    if isinstance(fitted, Reason):
        return None
    statistic = 2 * (fitted.log_likelihood - davidson.equal_strengths_log_likelihood(counts))
    degrees = len(fitted.strengths) - 1
    p = davidson.likelihood_ratio_p(statistic, degrees) if degrees else None
    return {"lr": max(0.0, statistic), "df": degrees, "p": p}


def _order_effect(shown: Comparisons, options: Options) -> Document:
    """gamma of the first shown, tested by likelihood ratio against the model without it."""
    n, level = len(shown.result), options.confidence
    without = davidson.fit(shown.table()) if shown.k else Reason.NO_ITEMS
    fitted = davidson.fit(shown.table(), order_effect=True) if shown.k else Reason.NO_ITEMS
    if isinstance(fitted, Reason) or isinstance(without, Reason):
        reason = fitted if isinstance(fitted, Reason) else without
        assert isinstance(reason, Reason)
        return undefined(METHOD, reason, n=n, level=level).as_json() | {"lr_p": None}
    gamma, se = fitted.gamma or 0.0, fitted.gamma_se or 0.0
    half = z_value(level) * se
    estimate = Estimate(value=gamma, ci=(gamma - half, gamma + half), level=level, method=METHOD, se=se, n=n)
    statistic = 2 * (fitted.log_likelihood - without.log_likelihood)
    return estimate.as_json() | {"lr_p": davidson.likelihood_ratio_p(statistic, 1)}


def _position_bias(shown: Comparisons, swaps: SwapCounts, options: Options) -> Document:
    first = int((shown.result == Result.FIRST).sum())
    decisive = first + int((shown.result == Result.SECOND).sum())
    return {
        "first_slot_share": first_slot_share(first, decisive, level=options.confidence).as_json(),
        "p": binomial_p(first, decisive),
        "swapped_pairs": swaps.n,
        "swap_consistency": swap_consistency(swaps, level=options.confidence).as_json(),
        "first_first": swaps.first_first,
        "second_second": swaps.second_second,
        "swap_p": swap_test(swaps),
    }
