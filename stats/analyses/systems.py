"""`analyse systems`: what several raters together say about every system: mean, majority, unanimous."""

from dataclasses import dataclass, replace

import numpy as np

from stats.agreement.bundle import Level
from stats.agreement.two_raters import bounded_mean
from stats.analyses.options import Options, chosen, questions_in
from stats.audit.units import check_positive, success_values
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion
from stats.scores.clusters import cluster_codes, cluster_totals, wilson_on_effective_n
from stats.tables.columns import Table
from stats.tables.groups import attribute, first_rows, group_codes, refuse_many, refuse_repeats
from stats.tables.label_ratings import scale_of, warnings_of
from stats.tables.labels import independent
from stats.tables.raw_rows import TableError

Document = dict[str, object]
RULE = "outputs with a label; an abstained label is no success, a split no majority"


def systems_document(table: Table, *, positive: str, level: Level | None, options: Options) -> Document:
    """`{"questions": {question: {"systems": [...]}}}`: for every system the mean of its outputs' mean values, and how
    many outputs most raters, and all raters, call a success (`positive`; "" leaves both out).

    Several votes of a rater are one answer: their mean, and of successes their majority. Decisions of adjudicators and
    labels in sight of a verdict are left out and counted. TableError for a table that names no system.
    """
    table, left_out = independent(chosen(table, options))
    refuse_repeats(table)
    if table["system"].is_empty:
        raise TableError("names no system", column="system")
    if positive:
        check_positive(table, positive, options.order)
    successes = success_values(table, positive) if positive else frozenset()
    questions = {
        question: _question(table.select(table["question"].is_in(question)), successes, level, options)
        for question in questions_in(table)
    }
    counted = {f"n_{name}": count for name, count in left_out.items()}
    primary = "majority" if positive else "mean"
    return {"positive": positive or None, "primary": primary, **counted, "questions": questions}


@dataclass(frozen=True)
class _Answers:
    """One entry per output and rater, (L,): mean place on the scale (nan: no value), share of votes for success."""

    output: Ints
    value: Floats
    success: Floats

    @classmethod
    def of(
        cls, table: Table, outputs: Ints, successes: frozenset[str], codes: dict[str, int], points: Floats
    ) -> "_Answers":
        """The answers in the rows of a table, whose outputs have these codes; several votes of a rater are one."""
        usable = ~table["state"].is_in("unavailable")
        raters = group_codes(table, ("rater", "rater_kind", "judge_version"))
        output, place = outputs[usable], raters[usable]
        given_by = output * (int(raters.max(initial=0)) + 1) + place
        _, at, cells = np.unique(given_by, return_index=True, return_inverse=True)
        texts, answered = table["value"], table["state"].is_in("answered")
        worth = np.array([points[codes[text]] if text in codes else np.nan for text in texts.values])
        worth = np.where(answered, worth[texts.codes], np.nan)[usable]
        good = (texts.is_in(*successes) & answered)[usable]
        given = np.bincount(cells[~np.isnan(worth)], minlength=len(at))
        total = np.bincount(cells, weights=np.nan_to_num(worth), minlength=len(at))
        value = np.divide(total, given, out=np.full(len(at), np.nan), where=given > 0)
        share = np.bincount(cells, weights=good, minlength=len(at)) / np.bincount(cells, minlength=len(at))
        return cls(output[at], value, share)


def _question(table: Table, successes: frozenset[str], level: Level | None, options: Options) -> Document:
    scale = scale_of(table.select(table["state"].is_in("answered"))["value"].used, options.order)
    scale.refuse_level(level)
    measured = level or scale.level
    outputs = group_codes(table, ("subject",))
    first = first_rows(outputs)
    systems = attribute(table, "system", outputs, len(first))
    clusters = attribute(table, "cluster", outputs, len(first))
    codes = np.arange(len(first)) if clusters.is_empty else cluster_codes(clusters.texts())
    answers = _Answers.of(table, outputs, successes, scale.codes, scale.points)
    names = sorted({systems.values[code] for code in np.unique(systems.codes)})
    refuse_many(len(names), "system")
    problems = table["instance"]
    rows = []
    for name in names:
        mine = systems.is_in(name)
        labelled = np.unique(answers.output[mine[answers.output]])
        seen = {problems.values[code] for code in problems.codes[np.isin(outputs, labelled)].tolist()}
        raters = np.bincount(answers.output)[labelled] if len(labelled) else labelled
        state, unlabelled = table["state"], int(mine.sum()) - len(labelled)
        row: Document = {
            "system": name,
            "outputs": int(mine.sum()),
            "labelled": len(labelled),
            "unlabelled": unlabelled,
            "missing_instances": None if problems.is_empty else len(set(problems.used) - {""} - seen),
            "raters_per_output": [int(raters.min()), int(raters.max())] if len(raters) else None,
            **{
                f"n_{name}": int((mine[outputs] & state.is_in(name)).sum())
                for name in ("abstain", "unavailable")
            },
        }
        row["mean"] = _mean(answers, labelled, codes, scale.points, measured, options).as_json()
        rows.append(row | _counts(answers, labelled, unlabelled, codes, successes, options.confidence))
    return {
        "level": measured,
        "unit": "output" if clusters.is_empty else "cluster",
        "points": dict(zip(scale.categories, scale.points.tolist(), strict=True))
        if measured != "nominal"
        else None,
        "outputs": len(first),
        "instances": None if problems.is_empty else len(set(problems.used) - {""}),
        "systems": rows,
        "warnings": [str(warning) for warning in warnings_of(table, scale, level)],
    }


def _mean(
    answers: _Answers, labelled: Ints, clusters: Ints, points: Floats, level: str, options: Options
) -> Estimate:
    """The mean over outputs of the mean over their raters, on a scale with an order."""
    if level == "nominal":
        return undefined("mean", Reason.LEVEL, level=options.confidence)
    valued = np.isin(answers.output, labelled) & ~np.isnan(answers.value)
    kept, at = np.unique(answers.output[valued], return_inverse=True)
    if not len(kept):
        return undefined("mean", Reason.NO_ITEMS, n=0, level=options.confidence)
    means = np.bincount(at, weights=answers.value[valued]) / np.bincount(at)
    units = np.unique(clusters[kept], return_inverse=True)[1]
    low, high = float(points.min()), float(points.max())
    found = bounded_mean("mean", means, units, options.confidence, high - low)
    if found.ci is not None:
        found = replace(found, ci=(max(low, found.ci[0]), min(high, found.ci[1])))
    count = int(units.max()) + 1
    return replace(found, clusters=count if count < len(kept) else None)


def _counts(
    answers: _Answers,
    labelled: Ints,
    unlabelled: int,
    clusters: Ints,
    successes: frozenset[str],
    level: float,
) -> Document:
    """Outputs that most of their raters, and that all of them, call a success. Votes that split say neither."""
    if not successes:
        nothing = undefined("wilson", Reason.NO_SUCCESS_SET, level=level).as_json()
        return {"ties": None, "majority": nothing, "unanimous": nothing}
    mine = np.isin(answers.output, labelled)
    votes = np.sign(answers.success[mine] - 0.5)
    at = np.unique(answers.output[mine], return_inverse=True)[1]
    net, given = np.bincount(at, weights=votes), np.bincount(at)
    ties = int((net == 0).sum())
    majority = _share(net > 0, clusters[labelled], unlabelled, ties, level)
    unanimous = _share(net == given, clusters[labelled], unlabelled, 0, level)
    return {"ties": ties, "majority": majority.as_json(), "unanimous": unanimous.as_json()}


def _share(hits: np.ndarray, clusters: Ints, unlabelled: int, ties: int, level: float) -> Estimate:
    """Wilson, on the effective number of outputs where some share a cluster; bounds decide what is open either way."""
    k, n = int(hits.sum()), len(hits)
    units = np.unique(clusters, return_inverse=True)[1]
    count = int(units.max(initial=-1)) + 1
    if count == n:
        found = proportion(k, n, level=level)
    else:
        found = wilson_on_effective_n(cluster_totals(hits, units), level=level)
        if count == 1:
            found = replace(found, ci=None, reason=Reason.FEW_EVENTS)
    bounds = (k / (n + unlabelled), (k + ties + unlabelled) / (n + unlabelled)) if ties + unlabelled else None
    warnings = (*found.warnings, Caution.SPLIT) if ties else found.warnings
    return replace(found, denom_rule=RULE, bounds=bounds, warnings=warnings)
