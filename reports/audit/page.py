"""A judge audit as the tables and pictures of its page, and as rows of a CSV file. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.audit.document import FullAudit, JudgeAudit
from reports.core.cells import Cell, number_cell, percent_cell
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words
from stats.core.estimate import Estimate

_COEFFICIENTS = ("agreement", "precision", "recall", "f1", "kappa")
COVERAGE = ("eligible", "drawn, excluded", "not drawn")


def judge_audit_sections(document: JudgeAudit) -> list[Mapping[str, object]]:
    """One entry per audit, with its metrics as tables and pictures."""
    sections: list[Mapping[str, object]] = []
    for audit in document.audits:
        metrics = []
        for key, found in audit.metrics.items():
            counts, name = found.in_sample.counts, f"{audit.campaign}-{key}"
            coverage = {}
            for stratum in found.strata:
                shares = (stratum.eligible, stratum.drawn - stratum.eligible, stratum.size - stratum.drawn)
                coverage[in_words(stratum.stratum)] = dict(zip(COVERAGE, shares, strict=True))
            covered = f"{found.title}: how much of each stratum the audit covers"
            against = f"{found.title}: judge against experts"
            metrics.append(
                {
                    **vars(found),
                    "key": key,
                    "reasons": [(reason, n) for reason, n in found.exclusions.items() if n],
                    "unlabelled": found.missing,
                    "counts": counts,
                    "matrix": confusion_matrix(against, counts, key=f"matrix-{name}"),
                    "coefficients": [
                        {
                            "name": coefficient_name(coefficient),
                            "inside": _cell(coefficient, getattr(found.in_sample, coefficient)),
                            "weighted": _cell(coefficient, found.weighted[coefficient]),
                        }
                        for coefficient in _COEFFICIENTS
                    ],
                    "strata": [{**vars(one), "name": in_words(one.stratum)} for one in found.strata],
                    "coverage": share_bars(covered, COVERAGE, coverage, key=f"coverage-{name}")
                    if coverage
                    else None,
                    "systems": [
                        {
                            **vars(own),
                            "system": system,
                            "precision": percent_cell(own.precision, clusters="papers"),
                            "transported": percent_cell(own.rogan_gladen, clusters="papers"),
                        }
                        for system, own in found.systems.items()
                    ],
                }
            )
        types = [{**vars(row), "validity": percent_cell(row.validity)} for row in audit.success_types]
        sections.append({**vars(audit), "metrics": metrics, "types": types})
    return sections


def _cell(coefficient: str, estimate: Estimate) -> Cell:
    cell = number_cell if coefficient == "kappa" else percent_cell
    return cell(estimate, clusters="papers")


HEAD = ("campaign", "metric", "stratum", "size", "drawn", "tp", "fp", "fn", "tn", "ineligible")


def judge_audit_rows(audits: Sequence[FullAudit]) -> Iterator[list[Any]]:
    """Header, and one row per stratum; all strata together as one row where they are not shown yet."""
    yield list(HEAD)
    for audit in audits:
        for key, found in audit.metrics.items():
            for stratum in found.strata:
                yield [audit.campaign, key, *vars(stratum).values()]
            if not found.strata:
                inside = found.in_sample.counts.values()
                yield [audit.campaign, key, "", "", audit.drawn, *inside, found.excluded]
