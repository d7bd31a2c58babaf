"""`analyse calibration`: graded scores of a judge against the experts' yes or no."""

import math
from dataclasses import replace

import numpy as np

from stats.analyses.options import Options, chosen_question, questions_in
from stats.audit.design import audit_design
from stats.audit.score_calibration import Scored, auc, brier, overconfidence, reliability
from stats.audit.units import Outcome, audit_units
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate
from stats.scores.clusters import cluster_codes
from stats.tables.cells import LARGEST, number_in
from stats.tables.columns import Table
from stats.tables.groups import group_codes, refuse_many
from stats.tables.labels import independent
from stats.tables.raw_rows import TableError

Document = dict[str, object]
Range = tuple[float, float]
LOW_N = 30


def calibration_document(
    table: Table, *, positive: str, options: Options, score_range: Range | None = None
) -> Document:
    """`{"questions": {question: {"judges": [...]}}}`: for every judge AUC, Brier score and reliability curve.

    Experts and judges are paired by question and subject, experts as in `audit`: an adjudicator, else their majority;
    units without a yes or no are left out and counted. Several scores of a judge become their mean, and
    `score_range` maps them to 0 to 1. With strata in the table every unit counts N_h over the number labelled in
    its stratum. Raises TableError for a score that is not a number or out of its range.
    """
    table = chosen_question(table, options.question)
    return {
        "positive": positive,
        "primary": "auc",
        "range": None if score_range is None else list(score_range),
        "questions": {
            question: _question(chosen_question(table, question), positive, options, score_range)
            for question in questions_in(table)
        },
    }


def _question(table: Table, positive: str, options: Options, score_range: Range | None) -> Document:
    units = audit_units(table, positive=positive, order=options.order)
    own, _ = independent(table)  # the rows that the units were made of, in their order
    subjects = group_codes(own, ("question", "subject"))
    judges = own["rater_kind"].is_in("judge")
    names = group_codes(own, ("rater", "judge_version"))
    refuse_many(len(np.unique(names[judges])), "rater")
    # How many units each unit represents, where the table has a design.
    weight, source = np.ones(len(units)), None
    if units.has_sizes or not units.strata.is_empty:
        design = audit_design(units)
        source = design.source
        for h, size in enumerate(design.sizes.tolist()):
            inside = design.inside(h)
            weight[inside] = size / max(1, int((inside & units.audited).sum()))
    clusters = np.arange(len(units)) if units.clusters.is_empty else cluster_codes(units.clusters.texts())
    eligible = np.isin(units.expert, [Outcome.POSITIVE, Outcome.NEGATIVE])
    rows = []
    for code in np.unique(names[judges]).tolist():
        mine = own.select(judges & (names == code))
        score = _scores(mine, subjects[judges & (names == code)], len(units), score_range)
        kept = eligible & ~np.isnan(score)
        items = Scored(
            score[kept],
            (units.expert == Outcome.POSITIVE)[kept],
            weight[kept],
            np.unique(clusters[kept], return_inverse=True)[1],
        )
        rows.append(_judge(mine, items, int((eligible & ~kept).sum()), not units.clusters.is_empty, options))
    return {
        "unit": "item" if units.clusters.is_empty else "cluster",
        "design": source,
        "labelled": int(eligible.sum()),
        "splits": int(units.split.sum()),
        "excluded": int(units.audited.sum() - eligible.sum() - units.split.sum()),
        "judges": rows,
    }


def _scores(rows: Table, subjects: Ints, units: int, score_range: Range | None) -> Floats:
    """(units,) the mean score of a judge, nan where it gave none."""
    answered = rows["state"].is_in("answered")
    rows, subjects = rows.select(answered), subjects[answered]
    values = rows["value"]
    numbers = np.array([number_in(text) for text in values.values])[values.codes]
    wrong = ~np.isfinite(numbers)
    low, high = score_range or (-math.inf, math.inf)
    wrong |= (numbers < low) | (numbers > high)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = (
            f"a number of at most {LARGEST:g}"
            if score_range is None
            else f"a number from {low:g} to {high:g}"
        )
        raise TableError(
            f"a judge's score must be {what}, not {values.values[values.codes[row]]!r}",
            line=int(rows.lines[row]),
            column="value",
        )
    if score_range is not None:
        numbers = (numbers - low) / (high - low)
    count = np.bincount(subjects, minlength=units)
    total = np.bincount(subjects, weights=numbers, minlength=units)
    return np.divide(total, count, out=np.full(units, np.nan), where=count > 0)


def _judge(rows: Table, items: Scored, missing: int, clustered: bool, options: Options) -> Document:
    judge, version = (rows[name].values[rows[name].codes[0]] for name in ("rater", "judge_version"))
    units = int(items.unit.max(initial=-1)) + 1
    cautions: tuple[str, ...] = (Caution.LOW_N,) if len(items.score) < LOW_N else ()
    if clustered and units < LOW_N:
        cautions += (Caution.FEW_CLUSTERS,)

    def shown(estimate: Estimate) -> Document:
        warnings = (*cautions, *estimate.warnings) if estimate.value is not None else ()
        return replace(estimate, clusters=units if clustered else None, warnings=warnings).as_json()

    level = options.confidence
    return {
        "judge": judge,
        "judge_version": version or None,
        "scored": len(items.score),
        "missing": missing,
        "true": int(items.truth.sum()),
        "auc": shown(auc(items, level=level)),
        "brier": shown(brier(items, level=level)),
        "overconfidence": shown(overconfidence(items, level=level)),
        "curve": [
            {**vars(found), "share": found.share.as_json()} for found in reliability(items, level=level)
        ],
    }
