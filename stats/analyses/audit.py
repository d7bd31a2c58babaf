"""`analyse audit`: a judge against experts, in sample and weighted by the design."""

from collections.abc import Sequence
from dataclasses import replace

from stats.analyses.options import Options, chosen_question, questions_in
from stats.audit.confusion import METRICS, Confusion, in_sample
from stats.audit.design import (
    Design,
    audit_design,
    cluster_counts,
    confusion_counts,
    drawn_strata,
    missing_labels,
    weighted_strata,
    whole_clusters,
)
from stats.audit.doubts import coefficients_with_missing_labels, over_splits
from stats.audit.system_units import units_by_system
from stats.audit.units import AuditUnits, Outcome, audit_units, outcome_counts
from stats.audit.weighted import METHOD, design_weighted, population_table
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.tables.columns import Table

Document = dict[str, object]


def audit_document(table: Table, *, positive: str, options: Options, by: str = "") -> Document:
    """Judge rows and expert rows are paired by question and subject; the expert is the truth.

    Several labels of one side become their majority. A pair is eligible when both sides say yes or no;
    `excluded` counts the audited units that are not, `exclusions` says why; `splits` and `missing` as in
    corrected_document. Weights are N_h / n_h, from
    the columns stratum_size and sample_size, or counted when the table also holds unaudited verdicts.
    With several questions the figures pool them, and `questions` has each; `by` "system" adds `systems` with each
    system (stats/audit/system_units.py).
    """
    table = chosen_question(table, options.question)
    questions = questions_in(table)
    units = audit_units(table, positive=positive, order=options.order)
    document = _one_audit(units, options, pooled=len(questions) > 1)
    if by == "system":
        document["systems"] = {
            system: _one_audit(own, options, pooled=len(questions) > 1, sizes_known=known)
            for system, (own, known) in units_by_system(units).items()
        }
    if len(questions) > 1:
        document["questions"] = {
            question: audit_document(
                chosen_question(table, question), positive=positive, options=options, by=by
            )
            for question in questions
        }
    return document


def _one_audit(units: AuditUnits, options: Options, *, pooled: bool, sizes_known: bool = True) -> Document:
    design = audit_design(units)
    scenarios = [units.with_splits(Outcome.NEGATIVE)]
    scenarios += [units.with_splits(Outcome.POSITIVE)] if units.split.any() else []
    tables = [Confusion(*confusion_counts(some, some.audited)) for some in scenarios]
    samples = [
        in_sample(table, clusters=cluster_counts(some), level=options.confidence)
        for table, some in zip(tables, scenarios, strict=True)
    ]
    sample, strata = tables[0], weighted_strata(scenarios[0], design)
    missing = missing_labels(design, drawn_strata(units, design))
    warnings = (Caution.POOLED_QUESTIONS,) if pooled else ()
    eligible, labelled = round(sample.total), units.expert != -1
    return {
        "positive": units.positive,
        "primary": "kappa",
        "unit": "output" if units.clusters.is_empty else "cluster",
        "in_sample": _block(sample, over_splits(samples)),
        "weighted": _weighted(scenarios, design, missing, options)
        if sizes_known
        else _not_weighted(Reason.NO_DESIGN, options),
        "eligible": eligible,
        "splits": int(units.split.sum()),
        "missing": sum(missing),
        "excluded": int(units.audited.sum()) - eligible,
        "exclusions": {
            "expert": outcome_counts(units.expert[labelled]),
            "judge": outcome_counts(units.judge[labelled]),
        },
        "unaudited": int((units.judged & ~units.audited).sum()),
        "design": None if isinstance(strata, Reason) or not sizes_known else design.source,
        "judge_versions": list(units.judge_versions),
        "warnings": [str(warning) for warning in warnings],
    }


def _weighted(
    scenarios: Sequence[AuditUnits], design: Design, missing: Sequence[int], options: Options
) -> Document:
    found = []
    for units in scenarios:
        strata = weighted_strata(units, design)
        if isinstance(strata, Reason):
            return _not_weighted(strata, options)
        found.append((strata, design_weighted(strata, seed=options.seed, level=options.confidence)))
    estimates = over_splits([estimates for _, estimates in found])
    if whole_clusters(scenarios[0]):
        estimates = {
            metric: replace(one, warnings=(*one.warnings, Caution.WHOLE_CLUSTERS))
            for metric, one in estimates.items()
        }
    drawn = drawn_strata(scenarios[0], design)
    return _block(population_table(found[0][0]), coefficients_with_missing_labels(estimates, drawn, missing))


def _not_weighted(reason: Reason, options: Options) -> Document:
    nothing = {metric: undefined(METHOD, reason, level=options.confidence) for metric in METRICS}
    return {"tp": None, "fp": None, "fn": None, "tn": None} | _as_json(nothing)


def _block(counts: Confusion, estimates: dict[str, Estimate]) -> Document:
    cells = zip(("tp", "fp", "fn", "tn"), counts.cells, strict=True)
    whole = {name: int(cell) if float(cell).is_integer() else float(cell) for name, cell in cells}
    return whole | _as_json(estimates)


def _as_json(estimates: dict[str, Estimate]) -> Document:
    return {name: estimate.as_json() for name, estimate in estimates.items()}
