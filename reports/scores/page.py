"""The score as the tables and pictures of a page. Pure: documents in, rows of cells out."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from accounts.profile.domains import domain_words
from reports.audit.frame import SYSTEM_BUCKET
from reports.core.cells import Cell, bounds_words, leading_first, number_cell, percent_cell
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.forest import Group, Mark, forest_plot
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words
from reports.scores.lacking import stated
from reports.scores.shape import (
    Agreement,
    Audit,
    AuditedMetric,
    Choices,
    Corrected,
    Estimates,
    ExcludedFigure,
    ExpertCampaign,
    ExpertQuestion,
    Figure,
    InSightFigure,
    Judged,
    JudgedSystem,
    Means,
    MeasuredScores,
    MeasuredSystem,
    MetricScore,
    Score,
    Steps,
    Unanswered,
)
from reports.scores.text import shown
from stats.core.estimate import Estimate

_AUDIT_COEFFICIENTS = ("agreement", "precision", "recall", "f1", "kappa")
_CLASSES_ABREAST = 5  # columns of classes that a printed page has room for
_MEASURES_ABREAST = 5  # columns of measures that a printed page has room for


def score_sections(score: Score) -> dict[str, Any]:
    """Template context of the score page and of the report: `judge` (or None) and `experts`."""
    measured = score.measured
    return {
        "states": [{"system": system, **vars(counts)} for system, counts in score.systems.items()],
        "not_released": any(counts.not_released for counts in score.systems.values()),
        "withheld": list((score.not_released or {}).items()),
        # under some conditions no measure applies
        "measured": _measured(measured) if measured and any(measured.systems.values()) else None,
        "judge": _judge(score.judge) if score.judge else None,
        "experts": [_campaign(campaign) for campaign in score.experts],
        "exclusions": [
            {**vars(rule), "rows": [figure_row(row) for row in rule.figures]}
            for rule in score.exclusions or ()
        ],
        "in_sight": {
            **score.in_sight.labels,
            "campaigns": score.in_sight.campaigns,
            "rows": [in_sight_row(row) for row in score.in_sight.figures],
        }
        if score.in_sight
        else None,
    }


def figure_row(row: ExcludedFigure) -> dict[str, str]:
    """A figure with and without the excluded instances, in words."""
    return {**_figure(row), "all": shown(row.all, row.all), "left": shown(row.left, row.all)}


def in_sight_row(row: InSightFigure) -> dict[str, str]:
    """A figure with and without the labels given in sight of a verdict, in words."""
    return {**_figure(row), "with": shown(row.with_, row.with_), "without": shown(row.without, row.with_)}


def _figure(row: Figure) -> dict[str, str]:
    named = [row.kind, row.question, *([row.campaign] if row.campaign else [])]
    return {"figure": ", ".join(map(in_words, named)), "system": row.system}


def _measured(measured: MeasuredScores) -> dict[str, Any]:
    """Measures in columns, so that a system is read across as in a paper's table; and each by domain."""
    keys = [key for key in measured.measures if measured.by_system(key)]
    every = [found for own in measured.systems.values() for found in own.values()]
    domains = sorted({name for found in every for name in found.domains})
    return {
        "instances": measured.instances,
        "measures": [{"key": key, **vars(measured.measures[key])} for key in keys],
        "tables": [
            _measured_table(measured, keys[at : at + _MEASURES_ABREAST])
            for at in range(0, len(keys), _MEASURES_ABREAST)
        ],
        "cautions": sorted({caution for found in every for caution in number_cell(found.estimate).cautions}),
        "domains": [domain_words(domain) for domain in domains],
        "by_domain": [
            {
                **vars(measured.measures[key]),
                "rows": [
                    {"system": system, "cells": _cells(number_cell, found.domains, domains)}
                    for system, found in measured.by_system(key).items()
                ],
            }
            for key in keys
        ],
    }


def _cells(cell: Callable[[Estimate], Cell], found: Estimates, names: Sequence[str]) -> list[Cell | None]:
    return [cell(found[name]) if name in found else None for name in names]


def _measured_table(measured: MeasuredScores, keys: Sequence[str]) -> dict[str, Any]:
    return {
        "titles": [measured.measures[key].title for key in keys],
        "rows": [
            {
                "system": system,
                "cells": [_measured_cell(own[key]) if key in own else None for key in keys],
                "missing": max((of.missing for of in own.values()), default=0),
                "abstained": max((of.estimate.n_abstain or 0 for of in own.values()), default=0),
            }
            for system, own in measured.systems.items()
        ],
    }


def _measured_cell(found: MeasuredSystem) -> dict[str, Any]:
    """Cautions appear once below the table, not in every cell."""
    return {
        "cell": replace(number_cell(found.estimate), cautions=()),
        "not_applicable": found.not_applicable,
        "open": found.open or 0,
        "settled": found.settled or 0,
        "bounds": bounds_words(found.estimate),
    }


def _judge(judge: Judged) -> dict[str, Any]:
    return {
        "label": judge.label,
        "sha256": judge.sha256,
        "metrics": [
            _metric(judge, key, systems) for key in judge.metrics if (systems := judge.by_system(key))
        ],
        "decomposition": _decomposition(judge.systems),
        "audits": [_audit(audit, judge) for audit in judge.audits],
    }


def _metric(judge: Judged, key: str, systems: Mapping[str, MetricScore]) -> dict[str, Any]:
    divisions = sorted({name for found in systems.values() for name in found.strata or ()})
    return {
        "key": key,
        **vars(judge.metrics[key]),
        "rows": [_fixed_row(system, found) for system, found in systems.items()],
        "divisions": [
            _division("domain", {system: found.domains for system, found in systems.items()}),
            *(
                _division(
                    name, {system: (found.strata or {}).get(name, {}) for system, found in systems.items()}
                )
                for name in divisions
            ),
        ],
        "forest": forest_plot(
            f"{judge.metrics[key].title} of every system",
            forest_groups(judge, key),
            key=f"forest-{key}",
        ),
    }


def _division(name: str, systems: Mapping[str, Estimates]) -> dict[str, Any]:
    """Systems by the classes of one division of the instances, in as many tables as a printed page has room for."""
    classes = sorted({one for found in systems.values() for one in found})
    parts = [classes[at : at + _CLASSES_ABREAST] for at in range(0, len(classes), _CLASSES_ABREAST)]
    words = domain_words if name == "domain" else in_words
    return {
        "name": in_words(name),
        "tables": [
            {
                "classes": [words(one) for one in part],
                "rows": [
                    {"system": system, "cells": _cells(percent_cell, found, part)}
                    for system, found in systems.items()
                ],
            }
            for part in parts
        ],
    }


def _fixed_row(system: str, found: MetricScore) -> dict[str, Any]:
    estimate, gone = found.estimate, found.all_problems
    return {
        "system": system,
        "wilson": percent_cell(estimate),
        "papers": percent_cell(found.paper_bootstrap),
        "effective": percent_cell(found.effective_n),
        "n_abstain": estimate.n_abstain,
        "n_unavailable": estimate.n_unavailable,
        "bounds": bounds_words(estimate),
        "lacking": stated(gone) if gone else "",
        "over_all": percent_cell(gone.estimate) if gone else None,
    }


def forest_groups(judge: Judged, key: str) -> list[Group]:
    """Per system the fixed-judge score and, from each audit that covers the metric, the corrected one."""
    return [
        Group(system, list(_marks(judge, system, found, key)))
        for system, found in judge.by_system(key).items()
    ]


def _marks(judge: Judged, system: str, found: MetricScore, key: str) -> Iterator[Mark]:
    yield _mark("judge", "Fixed judge, Wilson", found.estimate)
    for audit in judge.audits:
        audited = audit.metrics.get(key)
        if audited and system in audited.corrected:
            label = "Audit-corrected, Beta-Binomial"
            if len(judge.audits) > 1:
                label = f"{label} ({audit.campaign})"
            yield _mark("corrected", label, audited.corrected[system].estimate)


def _mark(kind: str, label: str, estimate: Estimate) -> Mark:
    return Mark(kind, label, estimate.value, estimate.ci, "not known yet")


def _decomposition(systems: Mapping[str, JudgedSystem]) -> dict[str, Any]:
    classes = {name for part in systems.values() for name in part.buckets}
    ordered = sorted(classes, key=lambda name: (name != "success", name))
    counts = {
        system: [(name, part.buckets.get(name, 0)) for name in ordered] for system, part in systems.items()
    }
    bars = {system: {in_words(name): n for name, n in own} for system, own in counts.items()}
    return {
        "classes": [in_words(name) for name in ordered],
        "rows": [
            {"system": system, "counts": own, "total": sum(n for _, n in own)}
            for system, own in counts.items()
        ],
        "bars": share_bars(
            "Where the outputs end", [in_words(name) for name in ordered], bars, key="buckets"
        ),
    }


def _audit(audit: Audit, judge: Judged) -> dict[str, Any]:
    metrics = [_audited_metric(audit.campaign, key, found, judge) for key, found in audit.metrics.items()]
    return {**vars(audit), "metrics": metrics}


def _audited_metric(campaign: str, key: str, found: AuditedMetric, judge: Judged) -> dict[str, Any]:
    inside, fixed = found.in_sample, judge.by_system(key)
    corrected = [_corrected_row(system, own, fixed.get(system)) for system, own in found.corrected.items()]
    if corrected:
        corrected.append(_corrected_row("All together", found.corrected_pooled, None))
    return {
        "key": key,
        **vars(judge.metrics[key]),
        "eligible": found.eligible,
        "excluded": found.excluded,
        "splits": found.splits or 0,
        "unlabelled": found.missing or 0,
        "matrix": confusion_matrix(
            f"{judge.metrics[key].title}: judge against experts",
            inside.counts,
            key=f"confusion-{campaign}-{key}",
        ),
        "coefficients": [
            {
                "name": coefficient_name(name),
                "inside": number_cell(getattr(inside, name)),
                "weighted": number_cell(found.weighted[name]),
            }
            for name in _AUDIT_COEFFICIENTS
        ],
        "corrected": corrected,
        "missing": _missing(campaign, found),
    }


def _missing(campaign: str, found: AuditedMetric) -> dict[str, Any] | None:
    """What the audit would have to draw for the scores that it leaves undefined; `query` plans that draw."""
    empty = found.empty_strata
    if not empty:
        return None
    buckets = sorted({row.bucket for row in empty.values()})
    wanted = [("strata", SYSTEM_BUCKET), *(("buckets", name) for name in buckets), ("exclude", campaign)]
    return {
        "strata": [(in_words(name), row.size) for name, row in sorted(empty.items())],
        "query": urlencode(wanted),
    }


def _corrected_row(system: str, corrected: Corrected, fixed: MetricScore | None) -> dict[str, Any]:
    return {
        "system": system,
        "fixed": percent_cell(fixed.estimate) if fixed else None,
        "corrected": percent_cell(corrected.estimate),
        "bounds": bounds_words(corrected.estimate),
        "borrowed": percent_cell(corrected.borrowed) if corrected.borrowed else None,
        "n_unavailable": corrected.estimate.n_unavailable,
        "strata": [{**vars(row), "stratum": in_words(row.stratum)} for row in corrected.strata],
    }


def _campaign(campaign: ExpertCampaign) -> dict[str, Any]:
    questions = [
        _question(key, question, campaign.agreement.get(key))
        for key, question in campaign.questions.items()
        if any(map(_label_count, question.systems.values()))
    ]
    return {**vars(campaign), "questions": questions}


def _label_count(found: Choices | Means | Steps) -> int:
    if isinstance(found, Means):
        return found.micro.n or 0
    return sum((found.steps if isinstance(found, Steps) else found.labels).values())


def _question(key: str, question: ExpertQuestion, agreement: Agreement | None) -> dict[str, Any]:
    """All systems of a question have labels of one kind: of choices, on an interval scale, or of steps."""
    systems = question.systems
    choices = {system: found for system, found in systems.items() if isinstance(found, Choices)}
    means = {system: found for system, found in systems.items() if isinstance(found, Means)}
    by_step = {system: found for system, found in systems.items() if isinstance(found, Steps)}
    steps = _steps(by_step) if by_step else None
    values = list(next(iter(choices.values())).labels) if choices else []
    adjudicated = any(found.final for found in choices.values()) or any(
        found.final for found in means.values()
    )
    wide = 1 + len(steps["values"]) + len(steps["measures"]) if steps else 4 if means else 3 + len(values)
    return {
        "key": key,
        "title": in_words(key).capitalize(),
        "text": question.text,
        "adjudicated": adjudicated,
        "columns": wide + adjudicated,
        "means": [_mean_row(system, found) for system, found in means.items()],
        "choices": [_choice_row(system, found) for system, found in choices.items()],
        "values": values,
        "withheld": any(found.not_released for found in choices.values()),
        "steps": steps,
        "agreement": _agreement(agreement) if agreement else None,
    }


def _without(found: Unanswered) -> str:
    """Labels without a value, as "2 abstained, 1 unavailable"; "" if every label has one."""
    words = ((found.abstain, "abstained"), (found.unavailable, "unavailable"))
    return ", ".join(f"{n} {word}" for n, word in words if n)


def _mean_row(system: str, found: Means) -> dict[str, Any]:
    return {
        "system": system,
        "without": _without(found),
        "macro": number_cell(found.macro, places=2),
        "micro": number_cell(found.micro, places=2),
        "final": number_cell(found.final, places=2) if found.final else None,
        "passes": [(way, percent_cell(share)) for way, share in vars(found.passes).items()]
        if found.passes
        else [],
    }


def _steps(systems: Mapping[str, Steps]) -> dict[str, Any]:
    """How often each value was given, and the measures of the labels of an output's steps."""
    first = next(iter(systems.values()))
    return {
        "values": list(first.steps),
        "measures": list(first.measures.values()),
        "rows": [
            {
                "system": system,
                "outputs": found.outputs,
                "counts": list(found.steps.values()),
                "cells": [number_cell(measure.estimate) for measure in found.measures.values()],
            }
            for system, found in systems.items()
        ],
    }


def _choice_row(system: str, found: Choices) -> dict[str, Any]:
    final, withheld, missing = found.final, found.not_released, found.missing
    return {
        "without": _without(found),
        "system": system,
        "labels": list(found.labels.values()),
        "total": sum(found.labels.values()),
        "conservative": list(found.conservative.counts.items()),
        "conservative_rate": percent_cell(found.conservative.estimate),
        "majority": list(found.majority.counts.items()),
        "majority_rate": percent_cell(found.majority.estimate),
        "final": list(final.counts.items()) if final else [],
        "final_rate": percent_cell(final.estimate) if final else None,
        "adjudicated": final.adjudicated if final else 0,
        "experts_per_output": found.experts_per_output,
        "withheld": withheld.problems if withheld else 0,
        "missing": missing.problems if missing else 0,
        "over_all": percent_cell(missing.counted_against) if missing else None,
        "against": percent_cell(withheld.counted_against) if withheld else None,
    }


def _agreement(found: Agreement) -> dict[str, Any]:
    """The coefficients that there are, and by reason those that there are not."""
    cells = [
        (coefficient_name(name), number_cell(estimate))
        for name, estimate in leading_first(found.level, found.coefficients)
    ]
    absent: dict[str, list[str]] = defaultdict(list)
    for name, cell in cells:
        if not cell.value:
            absent[cell.reason].append(name)
    return {
        **vars(found),
        "given": [{"name": name, "cell": cell} for name, cell in cells if cell.value],
        "absent": [{"reason": reason, "names": names} for reason, names in absent.items()],
    }
