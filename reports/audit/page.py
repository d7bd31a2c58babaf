"""A judge audit as the tables and pictures of its page, and as rows of a CSV file. Pure."""

from collections.abc import Iterator
from typing import Any

from reports.core.cells import Document, number_cell, percent_cell
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words

_COEFFICIENTS = ("agreement", "precision", "recall", "f1", "kappa")
_CELLS = ("tp", "fp", "fn", "tn")
COVERAGE = ("eligible", "drawn, excluded", "not drawn")


def judge_audit_sections(document: Document) -> list[dict[str, Any]]:
    """One entry per audit, with its metrics as tables and pictures."""
    return [_audit(audit) for audit in document["audits"]]


def _audit(audit: Document) -> dict[str, Any]:
    shown = ("campaign", "name", "kind", "closed", "drawn", "labelled", "experts")
    metrics = [_metric(audit["campaign"], key, found) for key, found in audit["metrics"].items()]
    types = [{**row, "validity": percent_cell(row["validity"])} for row in audit["success_types"]]
    return {**{key: audit[key] for key in shown}, "metrics": metrics, "types": types}


def _metric(campaign: str, key: str, found: Document) -> dict[str, Any]:
    inside = found["in_sample"]
    counts = {cell: inside[cell] for cell in _CELLS}
    name = f"{campaign}-{key}"
    return {
        "key": key,
        **{part: found[part] for part in ("title", "definition", "needs", "eligible", "excluded")},
        "reasons": [(reason, n) for reason, n in found["exclusions"].items() if n],
        "splits": found["splits"],
        "unlabelled": found["missing"],
        "counts": counts,
        "matrix": confusion_matrix(f"{found['title']}: judge against experts", counts, key=f"matrix-{name}"),
        "coefficients": [
            {
                "name": coefficient_name(coefficient),
                "inside": _cell(coefficient, inside[coefficient]),
                "weighted": _cell(coefficient, found["weighted"][coefficient]),
            }
            for coefficient in _COEFFICIENTS
        ],
        "strata": [{**stratum, "name": in_words(stratum["stratum"])} for stratum in found["strata"]],
        "coverage": _coverage(found, name) if found["strata"] else None,
        "systems": [
            {
                "system": system,
                **own,
                "precision": percent_cell(own["precision"]),
                "transported": percent_cell(own["rogan_gladen"]),
            }
            for system, own in found["systems"].items()
        ],
    }


def _cell(coefficient: str, estimate: Document) -> Any:
    return number_cell(estimate) if coefficient == "kappa" else percent_cell(estimate)


def _coverage(found: Document, name: str) -> Any:
    bars = {
        in_words(stratum["stratum"]): dict(
            zip(
                COVERAGE,
                (
                    sum(stratum[cell] for cell in _CELLS),
                    stratum["drawn"] - sum(stratum[cell] for cell in _CELLS),
                    stratum["size"] - stratum["drawn"],
                ),
                strict=True,
            )
        )
        for stratum in found["strata"]
    }
    title = f"{found['title']}: how much of each stratum the audit covers"
    return share_bars(title, list(COVERAGE), bars, key=f"coverage-{name}")


HEAD = ("campaign", "metric", "stratum", "size", "drawn", *_CELLS, "ineligible")


def judge_audit_rows(document: Document) -> Iterator[list[Any]]:
    """Header, and one row per stratum; all strata together as one row where they are not shown yet."""
    yield list(HEAD)
    for audit in document["audits"]:
        for key, found in audit["metrics"].items():
            for stratum in found["strata"]:
                yield [audit["campaign"], key, *(stratum[column] for column in HEAD[2:])]
            if not found["strata"]:
                inside = [found["in_sample"][cell] for cell in _CELLS]
                yield [audit["campaign"], key, "", "", audit["drawn"], *inside, found["excluded"]]
