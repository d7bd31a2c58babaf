"""manage.py audit_judge --release NAME: a judge against the experts of a track, audit by audit."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.audit.document import judge_audit_document
from reports.core.release_argument import chosen_inputs, track_arguments
from reports.scores.success_types import types_of_successes
from stats.core.text import aligned, interval, number

_CELLS = ("tp", "fp", "fn", "tn")


class Command(TouchstoneCommand):
    help = "The judge of a track against the experts: every coefficient with its strata and exclusions."

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser)

    def run(self, **options: Any) -> dict[str, Any]:
        inputs = chosen_inputs(options)
        return judge_audit_document(inputs, types_of_successes(inputs))

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['judge']['label']} on {document['release']}, track {document['track']}"
    if not document["audits"]:
        yield "No campaign asks experts what this judge was asked."
    for audit in document["audits"]:
        state = "closed" if audit["closed"] else "open, figures will change"
        counts = (
            f"{audit['labelled']} of {audit['drawn']} drawn outputs labelled by {audit['experts']} experts"
        )
        yield f"\n{audit['name']} ({audit['campaign']}, {audit['kind']}, {state}): {counts}"
        for metric in audit["metrics"].values():
            yield from _metric(metric)
        types = [
            [row["title"], f"{row['valid']} / {row['audited']}", *_shown(row["validity"])]
            for row in audit["success_types"]
        ]
        if types:
            yield ""
            yield aligned(("success", "valid / audited", "validity", "interval"), types)


def _metric(metric: dict[str, Any]) -> Iterator[str]:
    inside, weighted = metric["in_sample"], metric["weighted"]
    cells = ", ".join(f"{cell.upper()} {inside[cell]}" for cell in _CELLS)
    left_out = ", ".join(f"{reason} {n}" for reason, n in metric["exclusions"].items())
    yield f"\n{metric['title']}: {cells}; excluded {metric['excluded']} ({left_out})"
    names = [name for name in inside if name not in _CELLS]
    rows = [[name, *_shown(inside[name]), *_shown(weighted[name])] for name in names]
    yield aligned(("", "in sample", "interval", "by the design", "interval"), rows)
    systems = metric["systems"].items()
    by_system = [
        [name, *(str(own[cell]) for cell in _CELLS), *_shown(own["precision"])] for name, own in systems
    ]
    if by_system:
        yield aligned(("system", *map(str.upper, _CELLS), "precision", "interval"), by_system)


def _shown(estimate: dict[str, Any]) -> list[str]:
    return [number(estimate["value"]), interval(estimate["ci"])]
