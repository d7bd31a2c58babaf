"""`analyse audit`: a judge against experts, in sample and weighted by the design."""

from __future__ import annotations

from stats.analyses.options import Options, chosen_question, questions_in
from stats.audit import METHOD, AuditStratum, design_weighted, population_table
from stats.audit_design import audit_design, confusion_counts, weighted_strata
from stats.audit_units import AuditUnits, audit_units, outcome_counts
from stats.confusion import METRICS, Confusion, in_sample
from stats.estimate import Caution, Estimate, Reason, undefined
from stats.tables import Table

Document = dict[str, object]


def audit_document(table: Table, *, positive: str, options: Options) -> Document:
    """Judge rows and expert rows are paired by question and subject; the expert is the truth.

    Several labels of one side become their majority. A pair is eligible when both sides say yes or no;
    `excluded` counts the audited units that are not, `exclusions` says why. Weights are N_h / n_h, from
    the columns stratum_size and sample_size, or counted when the table also holds unaudited verdicts.
    With several questions the figures pool them, and `questions` has each.
    """
    table = chosen_question(table, options.question)
    questions = questions_in(table)
    document = _one_audit(table, positive, options, pooled=len(questions) > 1)
    if len(questions) > 1:
        document["questions"] = {
            question: _one_audit(chosen_question(table, question), positive, options, pooled=False)
            for question in questions
        }
    return document


def _one_audit(table: Table, positive: str, options: Options, *, pooled: bool) -> Document:
    units = audit_units(table, positive=positive)
    design = audit_design(units)
    sample = Confusion(*confusion_counts(units, units.audited))
    strata = weighted_strata(units, design)
    warnings = (Caution.POOLED_QUESTIONS,) if pooled else ()
    eligible = round(sample.total)
    return {
        "positive": positive,
        "in_sample": _block(sample, in_sample(sample, level=options.confidence)),
        "weighted": _weighted(strata, options),
        "eligible": eligible,
        "excluded": int(units.audited.sum()) - eligible,
        "exclusions": _exclusions(units),
        "unaudited": int((units.judged & ~units.audited).sum()),
        "design": None if isinstance(strata, Reason) else design.source,
        "judge_versions": list(units.judge_versions),
        "warnings": [str(warning) for warning in warnings],
    }


def _exclusions(units: AuditUnits) -> dict[str, dict[str, int]]:
    labelled = units.expert != -1
    return {
        "expert": outcome_counts(units.expert[labelled]),
        "judge": outcome_counts(units.judge[labelled]),
    }


def _weighted(strata: list[AuditStratum] | Reason, options: Options) -> Document:
    if isinstance(strata, Reason):
        nothing = {metric: undefined(METHOD, strata, level=options.confidence) for metric in METRICS}
        return {"tp": None, "fp": None, "fn": None, "tn": None} | _as_json(nothing)
    found = design_weighted(strata, seed=options.seed, level=options.confidence)
    return _block(population_table(strata), found)


def _block(counts: Confusion, estimates: dict[str, Estimate]) -> Document:
    cells = zip(("tp", "fp", "fn", "tn"), counts.cells, strict=True)
    return {name: _whole(cell) for name, cell in cells} | _as_json(estimates)


def _as_json(estimates: dict[str, Estimate]) -> Document:
    return {name: estimate.as_json() for name, estimate in estimates.items()}


def _whole(number: float) -> int | float:
    return int(number) if float(number).is_integer() else float(number)
