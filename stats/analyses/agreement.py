"""`analyse agreement`: how far raters agree, question by question."""

from collections.abc import Mapping

import numpy as np

from stats.agreement import cohen, gwet
from stats.agreement.bundle import COEFFICIENTS, LEVELS, TWO_RATERS, Level, Request, agreement
from stats.agreement.icc import FORMS
from stats.agreement.one_way import one_way_correlation
from stats.agreement.rater_pairs import DroppedPair, PairAgreement, pair_table, rater_pairs
from stats.agreement.sums import MAX_CATEGORIES
from stats.agreement.two_raters import RELATIONS, pooled_share, relations
from stats.analyses.options import Options, chosen, questions_in
from stats.core.bootstrap import Ints
from stats.core.estimate import Caution, Reason, undefined
from stats.tables.columns import Table
from stats.tables.groups import refuse_repeats
from stats.tables.label_ratings import Resolved, resolve
from stats.tables.labels import independent
from stats.tables.ratings import Ratings

Document = dict[str, object]
MOST_PAIRED = 2_000  # raters of whom every two are looked at
# The coefficient to read first: the only one that suits any number of raters, missing labels and the level.
PRIMARY: Mapping[Level, str] = {level: f"krippendorff_alpha_{level}" for level in LEVELS}


def agreement_document(
    table: Table, *, level: Level | None, options: Options, exchangeable: bool = False
) -> Document:
    """`{"questions": {question: bundle}}`; the level of measurement is read off the values when None.

    Numbers are interval, the platform's ordered words ordinal, everything else nominal. Several votes of a
    rater become their majority; abstentions and failures are missing and counted.
    `exchangeable` raters are not told apart: coefficients that need to know who gave which label are null
    (RATERS_ALIKE) and there are no pairs of raters.
    Decisions of adjudicators (`n_decisions`) and labels in sight of a verdict (`n_in_sight`) are left out and counted.
    """
    if level is not None and level not in LEVELS:
        raise ValueError(f"unknown level {level!r}: {', '.join(LEVELS)}")
    own, _ = independent(table)
    refuse_repeats(own.select(~own["rater"].is_in("")) if exchangeable else own)
    table = chosen(table, options)
    return {
        "questions": {
            question: _bundle(table.select(table["question"].is_in(question)), level, options, exchangeable)
            for question in questions_in(table)
        }
    }


def _bundle(table: Table, level: Level | None, options: Options, exchangeable: bool) -> Document:
    resolved = resolve(table, level, options.order, exchangeable=exchangeable)
    ratings = resolved.ratings
    request = Request(level=resolved.level, confidence=options.confidence)
    estimates = agreement(ratings, request, clusters=resolved.clusters)
    pairs: list[PairAgreement] = []
    dropped: list[DroppedPair] = []
    many = len(ratings.raters) > MOST_PAIRED
    if exchangeable:
        # What depends on who gave which label is refused; ICC(1,1) is there also for different numbers of labels.
        refused = (*TWO_RATERS, *(form for form in FORMS if not form.startswith("icc_1_")))
        estimates |= {
            name: undefined(name, Reason.RATERS_ALIKE, level=request.confidence) for name in refused
        }
        labels = np.bincount(ratings.item)
        if request.allows("interval") and len(set(labels[labels >= 2].tolist())) > 1:
            estimates["icc_1_1"] = one_way_correlation(
                ratings, clusters=resolved.clusters, level=request.confidence
            )
            estimates["icc_1_k"] = undefined("icc_1_k", Reason.INCOMPLETE, level=request.confidence)
    elif not many:
        pairs, dropped = rater_pairs(ratings, request, clusters=resolved.clusters)
    warnings = [*resolved.warnings, *([Caution.MANY_RATERS] if many and not exchangeable else [])]
    per_item = np.bincount(ratings.item, minlength=ratings.n_items)
    cells = ratings.n_items * len(ratings.raters)
    document: Document = {
        "level": resolved.level,
        "n_items": int((per_item > 0).sum()),
        "n_pairable": int((per_item >= 2).sum()),
        "n_raters": None if exchangeable else int(np.count_nonzero(np.bincount(ratings.rater))),
        "exchangeable": exchangeable,
        "n_labels": len(ratings.item),
        "n_clusters": None if resolved.clusters is None else len(np.unique(resolved.clusters)),
        "missing": None if exchangeable or not cells else 1 - len(ratings.item) / cells,
        **{f"n_{name}": count for name, count in resolved.left_out.items()},
        "categories": list(ratings.categories) if ratings.q <= MAX_CATEGORIES else None,
        "warnings": [str(warning) for warning in warnings],
    }
    for name in (*COEFFICIENTS, *FORMS):
        document[name] = estimates[name].as_json()
    document["primary"] = PRIMARY[resolved.level]
    document["unit"] = "item" if resolved.clusters is None else "cluster"
    document |= _pooled(ratings, resolved.clusters, options) | _categories(ratings, exchangeable)
    document["pairs"] = [_pair(pair, resolved, options) for pair in pairs]
    document["pairs_dropped"] = [{"raters": list(pair.raters), "n_items": pair.n_items} for pair in dropped]
    return document


def _pooled(ratings: Ratings, clusters: Ints | None, options: Options) -> Document:
    """The share of agreeing pairs of labels among all pairs; `percent` is the mean over items of each item's share."""
    labels = np.bincount(ratings.item, minlength=ratings.n_items).astype(np.float64)
    kinds, counts = np.unique(ratings.item * max(1, ratings.q) + ratings.value, return_counts=True)
    same = np.bincount(
        kinds // max(1, ratings.q), weights=counts * (counts - 1) / 2, minlength=ratings.n_items
    )
    rated = labels >= 2
    pairs = (labels * (labels - 1) / 2)[rated]
    document: Document = {"agreeing_pairs": round(same.sum()), "label_pairs": round(pairs.sum())}
    if not pairs.size:
        nothing = undefined("percent_pooled", Reason.NO_PAIRABLE, n=0, level=options.confidence)
        return document | {"percent_pooled": nothing.as_json()}
    codes = np.flatnonzero(rated) if clusters is None else clusters[rated]
    units = np.unique(codes, return_inverse=True)[1]
    return document | {
        "percent_pooled": pooled_share(
            same[rated].astype(np.float64), pairs, units, level=options.confidence
        ).as_json()
    }


def _categories(ratings: Ratings, exchangeable: bool) -> Document:
    """Shares and specific agreement of every category; for two named raters what limits their kappa."""
    if ratings.q > MAX_CATEGORIES or not len(ratings.item):
        return {"marginals": None, "per_category": None}
    counts = ratings.counts()
    shares = counts.sum(axis=0) / counts.sum()
    specific = gwet.specific_agreement(counts)
    document: Document = {
        "marginals": dict(zip(ratings.categories, shares.tolist(), strict=True)),
        "per_category": {
            name: None if np.isnan(share) else float(share)
            for name, share in zip(ratings.categories, specific, strict=True)
        },
    }
    if len(ratings.raters) == 2 and not exchangeable:
        matrix = ratings.matrix()
        document |= _limits(pair_table(matrix[0], matrix[1], ratings.q))
    return document


def _limits(table: Ints) -> Document:
    return {
        "prevalence_index": cohen.prevalence_index(table),
        "bias_index": cohen.bias_index(table),
        "kappa_max": cohen.kappa_max(table),
        "kappa_warnings": [str(caution) for caution in cohen.cautions(table)],
    }


def _pair(pair: PairAgreement, resolved: Resolved, options: Options) -> Document:
    """Two raters: their table, kappas, and the correlations and differences that an ordered scale has."""
    if resolved.level == "nominal":
        scores = {name: undefined(name, Reason.LEVEL, level=options.confidence) for name in RELATIONS}
    else:
        ratings, clusters = resolved.ratings, resolved.clusters
        matrix = ratings.matrix_of(*(ratings.raters.index(name) for name in pair.raters))
        both = (matrix >= 0).all(axis=0)
        if clusters is not None:
            clusters = np.unique(clusters[both], return_inverse=True)[1]
        first, second = matrix[:, both]
        scores = relations(first, second, ratings.points, clusters=clusters, level=options.confidence)
    return {
        "raters": list(pair.raters),
        "n_items": pair.n_items,
        "table": pair.table.tolist(),
        "percent": pair.percent.as_json(),
        **{name: estimate.as_json() for name, estimate in pair.kappas.items()},
        **_limits(pair.table),
        **{name: estimate.as_json() for name, estimate in scores.items()},
    }
