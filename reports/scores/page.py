"""The score as the tables and pictures of a page. Pure: documents in, rows of cells out."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from accounts.profile.domains import domain_words
from reports.audit.frame import SYSTEM_BUCKET
from reports.core.cells import Cell, NamedCell, bounds_words, leading_first, number_cell, percent_cell
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.forest import ForestMark, Group, forest_plot
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words, reason_sentence
from reports.exclusions.rules import DUPLICATE, GROUNDS
from reports.scores import shape
from reports.scores.lacking import stated
from reports.scores.text import left_undecided, shown
from stats.core.estimate import Estimate
from stats.core.text import counted

Notes = Mapping[str, Sequence[str]]  # what is printed below a figure, by its field
_SUCCESSES = ("success", "correct", "equivalent", "accepted", "self_contained")  # buckets of all protocols
_CLASSES_ABREAST = 5  # columns of classes that a printed page has room for
_MEASURES_ABREAST = 5  # columns of measures that a printed page has room for


def score_sections(score: shape.Score) -> Mapping[str, object]:
    """Template context of the score page and of the report: `judge` (or None) and `experts`."""
    measured, campaigns = score.measured, []
    for campaign in score.experts:
        questions = []
        for key, question in campaign.questions.items():
            labelled = (
                found.micro.n
                if isinstance(found, shape.Means)
                else sum((found.steps if isinstance(found, shape.Steps) else found.labels).values())
                for found in question.systems.values()
            )
            if any(labelled):
                questions.append(_question(key, question, campaign.agreement.get(key)))
        campaigns.append({**vars(campaign), "questions": questions})
    return {
        "states": [{"system": system, **vars(counts)} for system, counts in score.systems.items()],
        "not_released": any(counts.not_released for counts in score.systems.values()),
        "withheld": list((score.not_released or {}).items()),
        # under some conditions no measure applies
        "measured": _measured(measured) if measured and any(measured.systems.values()) else None,
        "judge": _judge(score.judge) if score.judge else None,
        "experts": campaigns,
        # by anchor: a figure of two classes is explained once
        "defined_here": {
            column.anchor: column
            for kind in (shape.MetricScore, shape.Choices, shape.Means)
            for column in shape.columns_of(kind)
            if not column.shown.definition
        }.values(),
        "exclusions": [
            {
                **vars(rule),
                "excluded": [
                    (
                        out,
                        [
                            (GROUNDS.get(ground, ground), ground != DUPLICATE, n)
                            for ground, n in out.grounds.items()
                        ],
                    )
                    for out in rule.excluded
                ],
                "rows": [
                    {**_figure(row), "all": _told(row.all, row.all), "left": _told(row.left, row.all)}
                    for row in rule.figures
                ],
            }
            for rule in score.exclusions or ()
        ],
        "in_sight": {
            **score.in_sight.labels,
            "campaigns": score.in_sight.campaigns,
            "rows": [
                {
                    **_figure(row),
                    "with": _told(row.with_, row.with_),
                    "without": _told(row.without, row.with_),
                }
                for row in score.in_sight.figures
            ],
        }
        if score.in_sight
        else None,
    }


def _told(estimate: Estimate | None, whole: Estimate) -> str:
    if estimate and estimate.value is None:
        return reason_sentence(estimate.reason)
    return shown(estimate, whole)


def _figure(row: shape.Figure) -> dict[str, str]:
    named = [row.kind, row.question, *([row.campaign] if row.campaign else [])]
    return {"figure": ", ".join(map(in_words, named)), "system": row.system}


def _measured(measured: shape.MeasuredScores) -> Mapping[str, object]:
    """Measures in columns, so that a system is read across as in a paper's table; and each by domain."""
    keys = [key for key in measured.measures if measured.by_system(key)]
    every = [found for own in measured.systems.values() for found in own.values()]
    domains = sorted({name for found in every for name in found.domains})
    cells, rows = {}, []
    for system, own in measured.systems.items():
        for key, found in own.items():
            cells[system, key] = {
                # cautions appear once below the table, not in every cell
                "cell": replace(number_cell(found.estimate), cautions=()),
                "not_applicable": found.not_applicable,
                "open": found.open or 0,
                "settled": found.settled or 0,
                "bounds": bounds_words(found.estimate),
            }
        missing = max((found.missing for found in own.values()), default=0)
        abstained = max((found.estimate.n_abstain or 0 for found in own.values()), default=0)
        rows.append((system, {"system": system, "missing": missing, "abstained": abstained}))
    abreast = [keys[at : at + _MEASURES_ABREAST] for at in range(0, len(keys), _MEASURES_ABREAST)]
    return {
        "instances": measured.instances,
        "measures": [{"key": key, **vars(measured.measures[key])} for key in keys],
        "tables": [
            {
                "titles": [measured.measures[key].title for key in some],
                "rows": [
                    {**row, "cells": [cells.get((system, key)) for key in some]} for system, row in rows
                ],
            }
            for some in abreast
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


def _cells(
    cell: Callable[[Estimate], Cell], found: shape.Estimates, names: Sequence[str]
) -> list[Cell | None]:
    return [cell(found[name]) if name in found else None for name in names]


def _judge(judge: shape.Judged) -> Mapping[str, object]:
    metrics = [_metric(judge, key, systems) for key in judge.metrics if (systems := judge.by_system(key))]
    audits = [
        {
            **vars(audit),
            "metrics": [
                _audited_metric(audit.campaign, key, found, judge) for key, found in audit.metrics.items()
            ],
        }
        for audit in judge.audits
    ]
    # where the outputs end, successes first
    names = {name for part in judge.systems.values() for name in part.buckets}
    ordered = sorted(names, key=lambda name: (name not in _SUCCESSES, name))
    classes, rows, bars = [in_words(name) for name in ordered], [], {}
    for system, part in judge.systems.items():
        counts = [part.buckets.get(name, 0) for name in ordered]
        named = list(zip(ordered, counts, strict=True))
        rows.append({"system": system, "counts": named, "total": sum(counts)})
        bars[system] = dict(zip(classes, counts, strict=True))
    drawing = share_bars("Where the outputs end", classes, bars, key="buckets")
    return {
        "label": judge.label,
        "sha256": judge.sha256,
        "metrics": metrics,
        "decomposition": {"classes": classes, "rows": rows, "bars": drawing},
        "audits": audits,
    }


def _metric(judge: shape.Judged, key: str, systems: Mapping[str, shape.MetricScore]) -> Mapping[str, object]:
    columns, rows = shape.columns(systems.values()), []
    for system, found in systems.items():
        estimate, gone, papers = found.estimate, found.all_problems, found.paper_bootstrap.clusters
        notes = []
        if problems := estimate.clusters:
            notes.append(f"attempts at {problems} problem{'s' * (problems > 1)} taken together")
        if gone:
            single = ", single missing attempts left out" if problems else ""
            notes.append(f"{stated(gone)}; over all problems{single} {_rate(gone.estimate)}")
        below = {
            "estimate": notes,
            "paper_bootstrap": [f"{papers or 'no'} paper{'s' * (papers != 1)}"],
        }
        rows.append(
            {
                "system": system,
                "counts": percent_cell(estimate).counts,
                "figures": _figures(columns, found, below),
                "n_abstain": estimate.n_abstain,
                "n_unavailable": estimate.n_unavailable,
                "bounds": bounds_words(estimate),
            }
        )
    divisions = [_division("domain", {system: found.domains for system, found in systems.items()})]
    for name in sorted({name for found in systems.values() for name in found.strata or ()}):
        of_systems = {system: (found.strata or {}).get(name, {}) for system, found in systems.items()}
        divisions.append(_division(name, of_systems))
    title = f"{judge.metrics[key].title} of every system"
    return {
        "key": key,
        **vars(judge.metrics[key]),
        "columns": columns,
        "width": 3 + len(columns),
        "rows": rows,
        "unread": [system for system in judge.systems if system not in systems],
        "divisions": divisions,
        "forest": forest_plot(title, forest_groups(judge, key), key=f"forest-{key}"),
    }


def _figures(
    columns: Sequence[shape.FigureColumn], found: object, notes: Notes
) -> list[Mapping[str, object]]:
    """The cells of one system in these columns, with notes of this system."""
    figures: list[Mapping[str, object]] = []
    for column in columns:
        estimate, places = column.estimate(found), column.shown.places
        cell = None
        if estimate:
            cell = percent_cell(estimate) if places is None else number_cell(estimate, places=places)
        figures.append({"column": column, "cell": cell, "notes": notes.get(column.key.field, ())})
    return figures


def _rate(estimate: Estimate) -> str:
    cell = percent_cell(estimate)
    return f"{cell.value} {cell.interval}, {cell.counts}"


def _division(name: str, systems: Mapping[str, shape.Estimates]) -> Mapping[str, object]:
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


def forest_groups(judge: shape.Judged, key: str) -> list[Group]:
    """Per system the fixed-judge score and, from each audit that covers the metric, the corrected one."""
    groups = []
    for system, found in judge.by_system(key).items():
        rows = [("judge", "Fixed judge, Wilson", found.estimate)]
        for audit in judge.audits:
            audited = audit.metrics.get(key)
            if audited and system in audited.corrected:
                label = "Audit-corrected, Beta-Binomial"
                if len(judge.audits) > 1:
                    label = f"{label} ({audit.campaign})"
                rows.append(("corrected", label, audited.corrected[system].estimate))
        marks = [ForestMark(kind, label, of.value, of.ci, "not known yet") for kind, label, of in rows]
        groups.append(Group(system, marks))
    return groups


def _audited_metric(
    campaign: str, key: str, found: shape.AuditedMetric, judge: shape.Judged
) -> Mapping[str, object]:
    inside, fixed, title = found.in_sample, judge.by_system(key), judge.metrics[key].title
    corrected = [_corrected_row(system, own, fixed.get(system)) for system, own in found.corrected.items()]
    if corrected:
        corrected.append(_corrected_row("All together", found.corrected_pooled, None))
    missing = None
    if empty := found.empty_strata:
        # what the audit would have to draw for the scores that it leaves undefined; `query` plans that draw
        buckets = sorted({row.bucket for row in empty.values()})
        wanted = [("strata", SYSTEM_BUCKET), *(("buckets", name) for name in buckets), ("exclude", campaign)]
        strata = [(in_words(name), row.size) for name, row in sorted(empty.items())]
        missing = {"strata": strata, "query": urlencode(wanted)}
    return {
        "key": key,
        **vars(judge.metrics[key]),
        "eligible": found.eligible,
        "excluded": found.excluded,
        "splits": found.splits or 0,
        "unlabelled": found.missing or 0,
        "matrix": confusion_matrix(
            f"{title}: judge against experts", inside.counts, key=f"confusion-{campaign}-{key}"
        ),
        "coefficients": [
            {
                "name": coefficient_name(name),
                "inside": number_cell(estimate, clusters="papers"),
                "weighted": number_cell(found.weighted[name], clusters="papers"),
            }
            for name, estimate in inside.coefficients.items()
        ],
        "corrected": corrected,
        "missing": missing,
    }


def _corrected_row(
    system: str, corrected: shape.Corrected, fixed: shape.MetricScore | None
) -> Mapping[str, object]:
    return {
        "system": system,
        "fixed": percent_cell(fixed.estimate) if fixed else None,
        "corrected": percent_cell(corrected.estimate),
        "bounds": bounds_words(corrected.estimate),
        "borrowed": percent_cell(corrected.borrowed) if corrected.borrowed else None,
        "n_unavailable": corrected.estimate.n_unavailable,
        "strata": [{**vars(row), "stratum": in_words(row.stratum)} for row in corrected.strata],
    }


def _question(
    key: str, question: shape.ExpertQuestion, agreement: shape.Agreement | None
) -> Mapping[str, object]:
    """All systems of a question have labels of one kind: of choices, on an interval scale, or of steps."""
    systems = question.systems
    choices = {system: found for system, found in systems.items() if isinstance(found, shape.Choices)}
    means = {system: found for system, found in systems.items() if isinstance(found, shape.Means)}
    by_step = {system: found for system, found in systems.items() if isinstance(found, shape.Steps)}
    values = list(next(iter(choices.values())).labels) if choices else []
    columns, steps = shape.columns((choices or means).values()), None
    wide = (
        (1 + len(values) if choices else 0) + len(columns) + sum(bool(one.shown.counted) for one in columns)
    )
    if by_step:
        first = next(iter(by_step.values()))
        wide = 1 + len(first.steps) + len(first.measures)
        rows = [
            {
                "system": system,
                "outputs": found.outputs,
                "counts": list(found.steps.values()),
                "cells": [
                    {"cell": number_cell(measure.estimate), "left": left_undecided(found, measure)}
                    for measure in found.measures.values()
                ],
            }
            for system, found in by_step.items()
        ]
        steps = {"values": list(first.steps), "measures": list(first.measures.values()), "rows": rows}
    rows_of_choices = []
    for system, chosen in choices.items():
        total, without = sum(chosen.labels.values()), _without(chosen)
        figures = _figures(columns, chosen, _below(chosen))
        row = {"system": system, "labels": list(chosen.labels.values()), "total": total, "without": without}
        rows_of_choices.append({**row, "figures": figures})
    return {
        "key": key,
        "title": in_words(key).capitalize(),
        "text": question.text,
        "columns": columns,
        "width": wide,
        "means": [
            {"system": system, "figures": _figures(columns, found, _below(found))}
            for system, found in means.items()
        ],
        "choices": rows_of_choices,
        "values": values,
        "withheld": any(found.not_released for found in choices.values()),
        "steps": steps,
        "agreement": _agreement(agreement) if agreement else None,
    }


def _without(found: shape.Unanswered) -> str:
    """Labels without a value, as "2 abstained, 1 unavailable"; "" if every label has one."""
    words = ((found.abstain, "abstained"), (found.unavailable, "unavailable"))
    return ", ".join(f"{n} {word}" for n, word in words if n)


def _below(found: shape.Choices | shape.Means) -> Notes:
    """What is printed below the figures that experts' labels of a system come to."""
    if isinstance(found, shape.Means):
        passed = []
        for way, share in (vars(found.passes) if found.passes else {}).items():
            cell = percent_cell(share)
            if cell.value:
                passed.append(f"passed, {way}: {cell.value} {cell.interval} ({cell.counts})")
        return {"macro": passed, "micro": [_without(found)]}

    def listed(counts: shape.Counts) -> str:
        return ", ".join(f"{n} {value}" for value, n in counts.counts.items())

    below = {"conservative": [listed(found.conservative)], "majority": [listed(found.majority)]}
    if gone := found.not_released:
        against = f"with {gone.problems} not released counted against it: {_rate(gone.counted_against)}"
        below["conservative"].append(against)
    if gone := found.missing:
        lacks = f"{counted(gone.problems, 'answer')} missing"
        below["conservative"].append(f"{lacks}; over all {_rate(gone.counted_against)}")
    if found.final:
        below["final"] = [f"{listed(found.final)}; {found.final.adjudicated} adjudicated"]
    return below


def _agreement(found: shape.Agreement) -> Mapping[str, object]:
    """The coefficients that there are, and by reason those that there are not."""
    given: list[NamedCell] = []
    absent: dict[str, list[str]] = defaultdict(list)
    for key, estimate in leading_first(found.level, found.coefficients):
        one = NamedCell(coefficient_name(key), number_cell(estimate, clusters="papers"))
        if one.cell.value:
            given.append(one)
        else:
            absent[one.cell.reason].append(one.name)
    return {
        **vars(found),
        "unit": "output" if found.n_not_assessed is None else "step",
        "given": given,
        "absent": [{"reason": reason, "names": names} for reason, names in absent.items()],
    }
