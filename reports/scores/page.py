"""A score document as the tables and pictures of a page. Pure: documents in, rows of cells out."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from accounts.profile.domains import domain_words
from reports.audit.corrections import empty_strata
from reports.audit.frame import SYSTEM_BUCKET
from reports.core.cells import Cell, Document, bounds_words, leading_first, number_cell, percent_cell
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.forest import Group, Mark, forest_plot
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words
from reports.scores.lacking import stated
from reports.scores.text import MEANS, number, percent

_AUDIT_COEFFICIENTS = ("agreement", "precision", "recall", "f1", "kappa")
_CLASSES_ABREAST = 5  # columns of classes that a printed page has room for
_MEASURES_ABREAST = 5  # columns of measures that a printed page has room for
_CELLS = ("tp", "fp", "fn", "tn")


def score_sections(document: Document) -> dict[str, Any]:
    """Template context of the score page and of the report: `judge` (or None) and `experts`."""
    judge = document["judge"]
    return {
        "states": [{"system": system, **counts} for system, counts in document["systems"].items()],
        "not_released": any("not_released" in counts for counts in document["systems"].values()),
        "withheld": list(document.get("not_released", {}).items()),
        "measured": _measured(document["measured"]) if _is_measured(document) else None,
        "judge": _judge(judge) if judge else None,
        "experts": [_campaign(campaign) for campaign in document["experts"]],
        "exclusions": [_exclusion(rule) for rule in document.get("exclusions", ())],
        "in_sight": _in_sight(document["in_sight"]) if "in_sight" in document else None,
    }


def _exclusion(rule: Document) -> dict[str, Any]:
    return {**rule, "rows": [figure_row(row) for row in rule["figures"]]}


def _in_sight(found: Document) -> dict[str, Any]:
    rows = [figure_row(row, whole="with", part="without") for row in found["figures"]]
    return {**found["labels"], "campaigns": found["campaigns"], "rows": rows}


def figure_row(row: Document, *, whole: str = "all", part: str = "left") -> dict[str, str]:
    """A figure with and without what is left out, in words; `whole` and `part` name the two estimates."""
    named = [row["kind"], row["question"], *([row["campaign"]] if row["campaign"] else [])]
    mean = row[whole]["method"] in MEANS
    shown = {key: _in_short(row[key], mean) for key in (whole, part)}
    return {"figure": ", ".join(map(in_words, named)), "system": row["system"], **shown}


def _in_short(estimate: Document | None, mean: bool) -> str:
    if estimate is None:
        return "nothing is left"
    return number(estimate) if mean else percent(estimate)


def _is_measured(document: Document) -> bool:
    """Whether any measure applies: under some conditions none does."""
    return "measured" in document and any(document["measured"]["systems"].values())


def _measured(measured: Document) -> dict[str, Any]:
    """Measures in columns, so that a system is read across as in a paper's table; and each by domain."""
    keys = [key for key in measured["measures"] if any(key in own for own in measured["systems"].values())]
    domains = sorted(
        {name for own in measured["systems"].values() for of in own.values() for name in of["domains"]}
    )
    return {
        "instances": measured["instances"],
        "measures": [{"key": key, **measured["measures"][key]} for key in keys],
        "tables": [
            _measured_table(measured, keys[at : at + _MEASURES_ABREAST])
            for at in range(0, len(keys), _MEASURES_ABREAST)
        ],
        "cautions": sorted(
            {
                caution
                for own in measured["systems"].values()
                for found in own.values()
                for caution in number_cell(found["estimate"]).cautions
            }
        ),
        "domains": [domain_words(domain) for domain in domains],
        "by_domain": [
            {
                **measured["measures"][key],
                "rows": [
                    {"system": system, "cells": _in_domains(own[key], domains)}
                    for system, own in measured["systems"].items()
                    if key in own
                ],
            }
            for key in keys
        ],
    }


def _measured_table(measured: Document, keys: Sequence[str]) -> dict[str, Any]:
    return {
        "titles": [measured["measures"][key]["title"] for key in keys],
        "rows": [
            {
                "system": system,
                "cells": [_measured_cell(own[key]) if key in own else None for key in keys],
                "missing": max((of["missing"] for of in own.values()), default=0),
                "abstained": max((of["estimate"]["n_abstain"] for of in own.values()), default=0),
            }
            for system, own in measured["systems"].items()
        ],
    }


def _measured_cell(found: Document) -> dict[str, Any]:
    """Cautions appear once below the table, not in every cell."""
    return {
        "cell": replace(number_cell(found["estimate"]), cautions=()),
        "not_applicable": found["not_applicable"],
        "open": found.get("open", 0),
        "settled": found.get("settled", 0),
        "bounds": bounds_words(found["estimate"]),
    }


def _in_domains(found: Document, domains: Sequence[str]) -> list[Cell | None]:
    return [number_cell(found["domains"][name]) if name in found["domains"] else None for name in domains]


def _judge(judge: Document) -> dict[str, Any]:
    metrics = [key for key in judge["metrics"] if any(key in s["metrics"] for s in judge["systems"].values())]
    return {
        "label": judge["label"],
        "sha256": judge["sha256"],
        "metrics": [_metric(judge, key) for key in metrics],
        "decomposition": _decomposition(judge["systems"]),
        "audits": [_audit(audit, judge) for audit in judge["audits"]],
    }


def _metric(judge: Document, key: str) -> dict[str, Any]:
    systems = {
        name: part["metrics"][key] for name, part in judge["systems"].items() if key in part["metrics"]
    }
    divisions = sorted({name for found in systems.values() for name in found.get("strata", {})})
    return {
        "key": key,
        **judge["metrics"][key],
        "rows": [_fixed_row(system, found) for system, found in systems.items()],
        "divisions": [
            _division("domain", {system: found["domains"] for system, found in systems.items()}),
            *(
                _division(name, {system: found["strata"].get(name, {}) for system, found in systems.items()})
                for name in divisions
            ),
        ],
        "forest": forest_plot(
            f"{judge['metrics'][key]['title']} of every system",
            forest_groups(judge, key),
            key=f"forest-{key}",
        ),
    }


def _division(name: str, systems: Mapping[str, Document]) -> dict[str, Any]:
    """Systems by the classes of one division of the instances, in as many tables as a printed page has room for."""
    classes = sorted({one for found in systems.values() for one in found})
    parts = [classes[at : at + _CLASSES_ABREAST] for at in range(0, len(classes), _CLASSES_ABREAST)]
    words = domain_words if name == "domain" else in_words
    return {"name": in_words(name), "tables": [_classes_table(part, words, systems) for part in parts]}


def _classes_table(
    classes: Sequence[str], words: Callable[[str], str], systems: Mapping[str, Document]
) -> dict[str, Any]:
    return {
        "classes": [words(one) for one in classes],
        "rows": [
            {
                "system": system,
                "cells": [percent_cell(found[one]) if one in found else None for one in classes],
            }
            for system, found in systems.items()
        ],
    }


def _fixed_row(system: str, found: Document) -> dict[str, Any]:
    estimate = found["estimate"]
    return {
        "system": system,
        "wilson": percent_cell(estimate),
        "papers": percent_cell(found["paper_bootstrap"]),
        "effective": percent_cell(found["effective_n"]),
        "n_abstain": estimate["n_abstain"],
        "n_unavailable": estimate["n_unavailable"],
        "bounds": bounds_words(estimate),
        "lacking": stated(found["all_problems"]) if "all_problems" in found else "",
        "over_all": percent_cell(found["all_problems"]["estimate"]) if "all_problems" in found else None,
    }


def forest_groups(judge: Document, key: str) -> list[Group]:
    """Per system the fixed-judge score and, from each audit that covers the metric, the corrected one."""
    return [
        Group(system, list(_marks(judge, system, part["metrics"][key], key)))
        for system, part in judge["systems"].items()
        if key in part["metrics"]
    ]


def _marks(judge: Document, system: str, found: Document, key: str) -> Iterator[Mark]:
    yield _mark("judge", "Fixed judge, Wilson", found["estimate"])
    for audit in judge["audits"]:
        corrected = audit["metrics"].get(key, {}).get("corrected", {}).get(system)
        if corrected:
            label = "Audit-corrected, Beta-Binomial"
            if len(judge["audits"]) > 1:
                label = f"{label} ({audit['campaign']})"
            yield _mark("corrected", label, corrected["estimate"])


def _mark(kind: str, label: str, estimate: Document) -> Mark:
    ends = estimate["ci"]
    return Mark(kind, label, estimate["value"], (ends[0], ends[1]) if ends else None, "not known yet")


def _decomposition(systems: Document) -> dict[str, Any]:
    classes = list(dict.fromkeys(name for part in systems.values() for name in part["buckets"]))
    ordered = sorted(classes, key=lambda name: (name != "success", name))
    named = {
        system: {in_words(name): part["buckets"].get(name, 0) for name in ordered}
        for system, part in systems.items()
    }
    return {
        "classes": [in_words(name) for name in ordered],
        "rows": [
            {
                "system": system,
                "counts": [(name, part["buckets"].get(name, 0)) for name in ordered],
                "total": sum(part["buckets"].values()),
            }
            for system, part in systems.items()
        ],
        "bars": share_bars(
            "Where the outputs end", [in_words(name) for name in ordered], named, key="buckets"
        ),
    }


def _audit(audit: Document, judge: Document) -> dict[str, Any]:
    shown = ("campaign", "name", "closed", "drawn", "labelled")
    return {
        **{key: audit[key] for key in shown},
        "metrics": [
            _audited_metric(audit["campaign"], key, found, judge) for key, found in audit["metrics"].items()
        ],
    }


def _audited_metric(campaign: str, key: str, found: Document, judge: Document) -> dict[str, Any]:
    title = judge["metrics"][key]["title"]
    inside, weighted = found["in_sample"], found["weighted"]
    fixed = {name: part["metrics"].get(key) for name, part in judge["systems"].items()}
    return {
        "key": key,
        **judge["metrics"][key],
        "eligible": found["eligible"],
        "excluded": found["excluded"],
        "splits": found.get("splits", 0),
        "unlabelled": found.get("missing", 0),
        "matrix": confusion_matrix(
            f"{title}: judge against experts",
            {cell: inside[cell] for cell in _CELLS},
            key=f"confusion-{campaign}-{key}",
        ),
        "coefficients": [
            {
                "name": coefficient_name(name),
                "inside": number_cell(inside[name]),
                "weighted": number_cell(weighted[name]),
            }
            for name in _AUDIT_COEFFICIENTS
        ],
        "corrected": [
            *(
                _corrected_row(system, corrected, fixed.get(system))
                for system, corrected in found["corrected"].items()
            ),
            *(
                [_corrected_row("All together", found["corrected_pooled"], None)]
                if found["corrected"]
                else []
            ),
        ],
        "missing": _missing(campaign, found),
    }


def _missing(campaign: str, found: Document) -> dict[str, Any] | None:
    """What the audit would have to draw for the scores that it leaves undefined; `query` plans that draw."""
    empty = empty_strata(found)
    if not empty:
        return None
    buckets = sorted({row["bucket"] for row in empty.values()})
    wanted = [("strata", SYSTEM_BUCKET), *(("buckets", name) for name in buckets), ("exclude", campaign)]
    return {
        "strata": [(in_words(name), row["size"]) for name, row in sorted(empty.items())],
        "query": urlencode(wanted),
    }


def _corrected_row(system: str, corrected: Document, fixed: Document | None) -> dict[str, Any]:
    return {
        "system": system,
        "fixed": percent_cell(fixed["estimate"]) if fixed else None,
        "corrected": percent_cell(corrected["estimate"]),
        "bounds": bounds_words(corrected["estimate"]),
        "borrowed": percent_cell(corrected["borrowed"]) if "borrowed" in corrected else None,
        "n_unavailable": corrected["estimate"]["n_unavailable"],
        "strata": [{**row, "stratum": in_words(row["stratum"])} for row in corrected["strata"]],
    }


def _campaign(campaign: Document) -> dict[str, Any]:
    shown = ("campaign", "name", "kind", "rubric", "closed")
    return {
        **{key: campaign[key] for key in shown},
        "questions": [
            _question(key, question, campaign["agreement"].get(key))
            for key, question in campaign["questions"].items()
            if _has_labels(question)
        ],
    }


def _has_labels(question: Document) -> bool:
    return any(map(_label_count, question["systems"].values()))


def _label_count(found: Document) -> int:
    if "micro" in found:
        return int(found["micro"]["n"])
    return sum(found["steps" if "steps" in found else "labels"].values())


def _question(key: str, question: Document, agreement: Document | None) -> dict[str, Any]:
    systems: Mapping[str, Document] = question["systems"]
    graded = any("macro" in found for found in systems.values())
    stepwise = any("steps" in found for found in systems.values())
    chosen = not graded and not stepwise
    steps = _steps(systems) if stepwise else None
    values = list(next(iter(systems.values()))["labels"]) if chosen else []
    adjudicated = any("final" in found for found in systems.values())
    wide = 1 + len(steps["values"]) + len(steps["measures"]) if steps else 4 if graded else 3 + len(values)
    return {
        "key": key,
        "title": in_words(key).capitalize(),
        "text": question["text"],
        "adjudicated": adjudicated,
        "columns": wide + adjudicated,
        "means": [_mean_row(system, found) for system, found in systems.items()] if graded else [],
        "choices": [_choice_row(system, found) for system, found in systems.items()] if chosen else [],
        "values": values,
        "withheld": any("not_released" in found for found in systems.values()),
        "steps": steps,
        "agreement": _agreement(agreement) if agreement else None,
    }


def _without(found: Document) -> str:
    """Labels without a value, as "2 abstained, 1 unavailable"; "" if every label has one."""
    words = {"abstain": "abstained", "unavailable": "unavailable"}
    return ", ".join(f"{found[state]} {word}" for state, word in words.items() if state in found)


def _mean_row(system: str, found: Document) -> dict[str, Any]:
    return {
        "system": system,
        "without": _without(found),
        "macro": number_cell(found["macro"], places=2),
        "micro": number_cell(found["micro"], places=2),
        "final": number_cell(found["final"], places=2) if "final" in found else None,
        "passes": [(way, percent_cell(found["passes"][way])) for way in found.get("passes", ())],
    }


def _steps(systems: Mapping[str, Document]) -> dict[str, Any]:
    """How often each value was given, and the measures of the labels of an output's steps."""
    first = next(iter(systems.values()))
    return {
        "values": list(first["steps"]),
        "measures": [
            {key: found[key] for key in ("title", "definition")} for found in first["measures"].values()
        ],
        "rows": [
            {
                "system": system,
                "outputs": found["outputs"],
                "counts": list(found["steps"].values()),
                "cells": [number_cell(measure["estimate"]) for measure in found["measures"].values()],
            }
            for system, found in systems.items()
        ],
    }


def _choice_row(system: str, found: Document) -> dict[str, Any]:
    return {
        "without": _without(found),
        "system": system,
        "labels": list(found["labels"].values()),
        "total": sum(found["labels"].values()),
        "conservative": list(found["conservative"]["counts"].items()),
        "conservative_rate": percent_cell(found["conservative"]["estimate"]),
        "majority": list(found["majority"]["counts"].items()),
        "majority_rate": percent_cell(found["majority"]["estimate"]),
        "final": list(found["final"]["counts"].items()) if "final" in found else [],
        "final_rate": percent_cell(found["final"]["estimate"]) if "final" in found else None,
        "adjudicated": found["final"]["adjudicated"] if "final" in found else 0,
        "experts_per_output": found["experts_per_output"],
        "withheld": found["not_released"]["problems"] if "not_released" in found else 0,
        "missing": found["missing"]["problems"] if "missing" in found else 0,
        "over_all": percent_cell(found["missing"]["counted_against"]) if "missing" in found else None,
        "against": percent_cell(found["not_released"]["counted_against"])
        if "not_released" in found
        else None,
    }


def _agreement(bundle: Document) -> dict[str, Any]:
    shown = ("level", "n_items", "n_raters", "n_labels", "n_abstain", "n_unavailable")
    cells = [(coefficient_name(name), number_cell(found)) for name, found in leading_first(bundle)]
    return {
        **{key: bundle[key] for key in shown},
        "given": [{"name": name, "cell": cell} for name, cell in cells if cell.value],
        "absent": _by_reason(cells),
    }


def _by_reason(cells: Sequence[tuple[str, Cell]]) -> list[dict[str, Any]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name, cell in cells:
        if not cell.value:
            names[cell.reason].append(name)
    return [{"reason": reason, "names": listed} for reason, listed in names.items()]
