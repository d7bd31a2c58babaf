"""`analyse pairs`: win, loss, tie; strengths and ranks; position bias."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stats.agreement import cohen
from stats.analyses.options import Options, chosen
from stats.analyses.pair_strengths import METHOD, Standing, standings
from stats.core.bootstrap import Ints
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import z_value
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit, hotelling_p
from stats.pairs.pairwise import Comparisons, Record, Result, clustered_rates, records, wins_and_ties
from stats.pairs.position_bias import (
    binomial_p,
    clustered_first_slot,
    first_slot_share,
    swap_consistency,
    swap_test,
)
from stats.pairs.strength_bootstrap import UNMOVED, clustered_parameter
from stats.pairs.transitivity import (
    circular_triads,
    clustered_fit,
    goodness_of_fit,
    majority_cycles,
    tournament,
)
from stats.tables.columns import Table
from stats.tables.groups import refuse_many
from stats.tables.label_pairs import OrderRule, Presentations, Settled, presentations, settle

Document = dict[str, object]
SINGULAR = 1e10  # a covariance with a greater condition number is singular but for rounding


def pairs_document(
    table: Table, *, options: Options, systems: Sequence[str] = (), orders: OrderRule = "agree"
) -> Document:
    """Comparisons of systems as shown (`left|right`); strengths are logarithms that sum to zero.

    A comparison that one rater saw in both orders counts once, by the rule `orders` (label_pairs.settle);
    `order_flips` counts those whose orders said different things. Position bias and order effect use every
    presentation. `systems` restricts all of it to comparisons among these. TableError for a name that does not occur.
    """
    shown = presentations(chosen(table, options), among=systems)
    settled = settle(shown, orders)
    comparisons = settled.comparisons
    refuse_many(comparisons.k, "system")
    counts = comparisons.table()
    fitted = davidson.fit(counts) if comparisons.k else Reason.NO_ITEMS
    rows = records(counts, level=options.confidence)
    places = standings(comparisons, settled.clusters, options)
    wins, ties = wins_and_ties(counts)
    names = comparisons.systems
    return {
        "comparisons": len(comparisons.result),
        "presentations": len(shown.comparisons.result),
        "order_flips": settled.order_flips,
        "orders": orders,
        "primary": "strength",
        "unit": "comparison" if settled.clusters is None else "cluster",
        **{f"n_{name}": count for name, count in shown.left_out.items()},
        "both_bad": shown.both_bad,
        "systems": [
            _system(name, at, rows[at], settled, places[at], options) for at, name in enumerate(names)
        ],
        # of the first against the second, for every two systems that were compared
        "pairs": [
            {
                "first": names[i],
                "second": names[j],
                "wins": round(wins[i, j]),
                "losses": round(wins[j, i]),
                "ties": round(ties[i, j]),
            }
            for i, j in zip(*np.nonzero(np.triu(wins + wins.T + ties)), strict=True)
        ],
        "tie_parameter": _tie_parameter(fitted, settled, options).as_json(),
        "equal_strengths": _equal_strengths(fitted, settled, options),
        "transitivity": _transitivity(fitted, settled, options),
        "order_effect": _order_effect(shown, options),
        "position_bias": _position_bias(shown, settled, options),
    }


def _system(
    name: str, at: int, record: Record, settled: Settled, standing: Standing, options: Options
) -> Document:
    win_rate, half_tie_rate = record.win_rate, record.half_tie_rate
    if settled.clusters is not None:
        win_rate, half_tie_rate = clustered_rates(
            settled.comparisons,
            settled.clusters,
            at,
            level=options.confidence,
            way=options.clustering,
        )
    return {
        "system": name,
        "component": standing.component,
        "wins": record.wins,
        "losses": record.losses,
        "ties": record.ties,
        "comparisons": record.comparisons,
        "opponents": record.opponents,
        "win_rate": win_rate.as_json(),
        "half_tie_rate": half_tie_rate.as_json(),
        "half_tie_rate_macro": record.half_tie_rate_macro,
        "strength": standing.strength.as_json(),
        "jackknife": None if standing.jackknife is None else standing.jackknife.as_json(),
        "regularised_strength": standing.regularised,
        "rank": None if standing.rank is None else list(standing.rank),
    }


def _tie_parameter(fitted: DavidsonFit | Reason, settled: Settled, options: Options) -> Estimate:
    """nu, with an interval from log nu; 0 without any tie."""
    n, level = len(settled.comparisons.result), options.confidence
    if isinstance(fitted, Reason):
        return undefined(METHOD, fitted, n=n, level=level)
    if fitted.log_nu is None:
        return Estimate(value=0.0, method="no ties", level=level, n=n, reason=Reason.FEW_EVENTS)
    found = _parameter(fitted, len(fitted.strengths), settled.comparisons, settled.clusters, options)
    nu = math.exp(fitted.log_nu)
    ends = None if found.ci is None else (math.exp(found.ci[0]), math.exp(found.ci[1]))
    return replace(found, value=nu, ci=ends, se=None if found.se is None else nu * found.se)


def _parameter(
    fitted: DavidsonFit, place: int, comparisons: Comparisons, clusters: Ints | None, options: Options
) -> Estimate:
    """A parameter of the model with its error, from the clusters where there are some (None: independent)."""
    level, value = options.confidence, fitted.parameter(place)
    if clusters is not None:
        return clustered_parameter(comparisons, clusters, fitted, place, level=level, way=options.clustering)
    se = math.sqrt(fitted.covariance[place, place])
    half = z_value(level) * se
    ends = (value - half, value + half)
    return Estimate(value=value, ci=ends, level=level, method=METHOD, se=se, n=len(comparisons.result))


def _equal_strengths(fitted: DavidsonFit | Reason, settled: Settled, options: Options) -> Document | None:
    """Likelihood ratio against equal strengths; with clusters its p-value is that of Wald's test by cluster.

    p is None where there are too few clusters, or one alone compares a system, so that its error is unknown.
    """
    if isinstance(fitted, Reason):
        return None
    comparisons, clusters = settled.comparisons, settled.clusters
    counts = comparisons.table()
    statistic = 2 * (fitted.log_likelihood - davidson.equal_strengths_log_likelihood(counts))
    degrees = len(fitted.strengths) - 1
    found: Document = {"lr": max(0.0, statistic), "df": degrees, "p": None, "method": "likelihood_ratio"}
    if not degrees:
        return found
    if clusters is None:
        return found | {"p": davidson.likelihood_ratio_p(statistic, degrees)}
    rows = (comparisons.first, comparisons.second, comparisons.result)
    count = len(np.unique(clusters))
    covariance = davidson.clustered_covariance(fitted, *rows, clusters, options.clustering)
    found["method"] = "wald_by_cluster"
    if covariance is None or count <= degrees:
        return found
    strengths, errors = fitted.strengths[:-1], covariance[:degrees, :degrees]
    rank = np.linalg.matrix_rank(errors, tol=UNMOVED**2)
    if not rank or (options.tests_singular and rank < degrees):  # all clusters are alike: the model's error
        errors = fitted.covariance[:degrees, :degrees]
    elif not options.tests_singular and np.linalg.cond(errors) > SINGULAR:
        return found
    wald = float(strengths @ np.linalg.solve(errors, strengths))
    return found | {"p": hotelling_p(wald, degrees, count)}


def _transitivity(fitted: DavidsonFit | Reason, settled: Settled, options: Options) -> Document:
    """Does one scale fit? Cycles of the majority, circular triads of each rater, and the deviance."""
    comparisons, names = settled.comparisons, settled.comparisons.systems
    cycles = majority_cycles(comparisons.table()) if comparisons.k else []
    raters = []
    for code, rater in enumerate(settled.raters):
        beats = tournament(comparisons.take(np.flatnonzero(settled.rater == code)).table())
        if beats is not None:  # the comparisons of the rater name a winner of every pair
            triads, consistence = circular_triads(beats)
            raters.append({"rater": rater, "circular_triads": triads, "consistence": consistence})
    fit: Document | None = None
    if isinstance(fitted, DavidsonFit):
        found = (
            goodness_of_fit(comparisons.table(), fitted, seed=options.seed)
            if settled.clusters is None
            else clustered_fit(comparisons, settled.clusters, fitted)
        )
        fit = {"deviance": found.deviance, "df": found.df, "p": found.p, "method": found.method}
    return {
        "cycles": [[names[system] for system in cycle] for cycle in cycles],
        "raters": raters,
        "fit": fit,
    }


def _order_effect(shown: Presentations, options: Options) -> Document:
    """gamma of the first shown; `lr_p` tests it against the model without it, with clusters by Student's t."""
    comparisons, level = shown.comparisons, options.confidence
    n = len(comparisons.result)
    without = davidson.fit(comparisons.table()) if comparisons.k else Reason.NO_ITEMS
    fitted = davidson.fit(comparisons.table(), order_effect=True) if comparisons.k else Reason.NO_ITEMS
    if isinstance(fitted, Reason) or isinstance(without, Reason):
        reason = fitted if isinstance(fitted, Reason) else without
        assert isinstance(reason, Reason)
        return undefined(METHOD, reason, n=n, level=level).as_json() | {"lr_p": None}
    clusters = shown.shared_clusters
    gamma = fitted.gamma or 0.0
    found = _parameter(fitted, len(fitted.covariance) - 1, comparisons, clusters, options)
    if clusters is None:
        p = davidson.likelihood_ratio_p(2 * (fitted.log_likelihood - without.log_likelihood), 1)
    elif found.se and found.clusters:
        p = hotelling_p((gamma / found.se) ** 2, 1, found.clusters)
    else:
        p = None
    return found.as_json() | {"lr_p": p}


def _position_bias(shown: Presentations, settled: Settled, options: Options) -> Document:
    """`p` asks whether the first shown wins more often, over all presentations; `swap_p` the same of pairs that were
    shown in both orders and whose two answers name the same slot."""
    swaps, result, clusters = settled.swaps, shown.comparisons.result, shown.shared_clusters
    alike, kappa = settled.cluster_swaps, cohen.kappa(settled.swap_table)
    won, decisive = result == Result.FIRST, result != Result.TIE
    if clusters is None:
        first = int(won.sum())
        share = first_slot_share(first, int(decisive.sum()), level=options.confidence)
        p = binomial_p(first, int(decisive.sum()))
    else:
        counted = [np.bincount(clusters, weights=what).astype(np.int64) for what in (won, decisive)]
        share, p = clustered_first_slot(
            *counted, seed=options.seed, level=options.confidence, way=options.clustering
        )
    return {
        "first_slot_share": share.as_json(),
        "p": p,
        "swapped_pairs": swaps.n,
        "swap_consistency": swap_consistency(
            swaps, clusters=alike, level=options.confidence, way=options.clustering
        ).as_json(),
        "swap_kappa": None if np.isnan(kappa) else float(kappa),
        "first_first": swaps.first_first,
        "second_second": swaps.second_second,
        "swap_p": swap_test(swaps, clusters=alike, seed=options.seed),
    }
