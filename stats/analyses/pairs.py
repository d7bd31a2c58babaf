"""`analyse pairs`: win, loss, tie; strengths and ranks; position bias."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from stats import cohen, davidson
from stats.analyses.options import Options, chosen
from stats.analyses.pair_strengths import METHOD, Standing, standings
from stats.davidson import DavidsonFit
from stats.estimate import Estimate, Reason, undefined
from stats.intervals import z_value
from stats.label_pairs import Settled, presentations, settle
from stats.pairwise import Comparisons, Record, Result, records, wins_and_ties
from stats.position_bias import binomial_p, first_slot_share, swap_consistency, swap_test
from stats.tables import Table
from stats.transitivity import circular_triads, goodness_of_fit, majority_cycles, tournament

Document = dict[str, object]


def pairs_document(table: Table, *, options: Options, systems: Sequence[str] = ()) -> Document:
    """Comparisons of systems as shown (`left|right`); strengths are logarithms that sum to zero.

    A comparison that one rater saw in both orders counts once: decisive if both presentations name the
    same system, else a tie (`order_flips`). Position bias and order effect use every presentation.
    `systems` restricts all of it to comparisons among these. TableError for a name that does not occur.
    """
    shown = presentations(chosen(table, options), among=systems)
    settled = settle(shown)
    comparisons = settled.comparisons
    counts = comparisons.table()
    fitted = davidson.fit(counts) if comparisons.k else Reason.NO_ITEMS
    rows = records(counts, level=options.confidence)
    places = standings(comparisons, settled.clusters, options)
    return {
        "comparisons": len(comparisons.result),
        "presentations": len(shown.comparisons.result),
        "order_flips": settled.order_flips,
        **{f"n_{name}": count for name, count in shown.left_out.items()},
        "both_bad": shown.both_bad,
        "systems": [_system(name, rows[at], places[at]) for at, name in enumerate(comparisons.systems)],
        "pairs": list(_met(comparisons)),
        "tie_parameter": _tie_parameter(fitted, comparisons, options).as_json(),
        "equal_strengths": _equal_strengths(fitted, counts),
        "transitivity": _transitivity(fitted, settled, options),
        "order_effect": _order_effect(shown.comparisons, options),
        "position_bias": _position_bias(shown.comparisons, settled, options),
    }


def _system(name: str, record: Record, standing: Standing) -> Document:
    return {
        "system": name,
        "component": standing.component,
        "wins": record.wins,
        "losses": record.losses,
        "ties": record.ties,
        "comparisons": record.comparisons,
        "opponents": record.opponents,
        "win_rate": record.win_rate.as_json(),
        "half_tie_rate": record.half_tie_rate.as_json(),
        "half_tie_rate_macro": record.half_tie_rate_macro,
        "strength": standing.strength.as_json(),
        "jackknife": None if standing.jackknife is None else standing.jackknife.as_json(),
        "regularised_strength": standing.regularised,
        "rank": None if standing.rank is None else list(standing.rank),
    }


def _met(comparisons: Comparisons) -> Iterator[Document]:
    """Wins, losses and ties of the first against the second, for every two systems that were compared."""
    wins, ties = wins_and_ties(comparisons.table())
    for i, j in zip(*np.nonzero(np.triu(wins + wins.T + ties)), strict=True):
        counts = {"wins": round(wins[i, j]), "losses": round(wins[j, i]), "ties": round(ties[i, j])}
        yield {"first": comparisons.systems[i], "second": comparisons.systems[j], **counts}


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


def _transitivity(fitted: DavidsonFit | Reason, settled: Settled, options: Options) -> Document:
    """Does one scale fit? Cycles of the majority, circular triads of each rater, and the deviance."""
    comparisons, names = settled.comparisons, settled.comparisons.systems
    cycles = majority_cycles(comparisons.table()) if comparisons.k else []
    document: Document = {
        "cycles": [[names[system] for system in cycle] for cycle in cycles],
        "raters": list(_triads(settled)),
        "fit": None,
    }
    if isinstance(fitted, DavidsonFit):
        found = goodness_of_fit(comparisons.table(), fitted, seed=options.seed)
        document["fit"] = {
            "deviance": found.deviance,
            "df": found.df,
            "p": found.p,
            "method": found.method,
        }
    return document


def _triads(settled: Settled) -> Iterator[Document]:
    """Circular triads of the raters whose comparisons name a winner of every pair."""
    for code, rater in enumerate(settled.raters):
        beats = tournament(settled.comparisons.take(np.flatnonzero(settled.rater == code)).table())
        if beats is not None:
            triads, consistence = circular_triads(beats)
            yield {"rater": rater, "circular_triads": triads, "consistence": consistence}


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


def _position_bias(shown: Comparisons, settled: Settled, options: Options) -> Document:
    swaps = settled.swaps
    first = int((shown.result == Result.FIRST).sum())
    decisive = first + int((shown.result == Result.SECOND).sum())
    return {
        "first_slot_share": first_slot_share(first, decisive, level=options.confidence).as_json(),
        "p": binomial_p(first, decisive),
        "swapped_pairs": swaps.n,
        "swap_consistency": swap_consistency(swaps, level=options.confidence).as_json(),
        "swap_kappa": _plain(cohen.kappa(settled.swap_table)),
        "first_first": swaps.first_first,
        "second_second": swaps.second_second,
        "swap_p": swap_test(swaps),
    }


def _plain(number: np.ndarray) -> float | None:
    return None if np.isnan(number) else float(number)
