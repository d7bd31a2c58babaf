"""manage.py judge_matrix --release NAME: every system under every judge, and self-preference."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.core.release_argument import chosen_track, track_arguments
from reports.judges.choosing import matrix_document
from reports.judges.page import matrix_sections
from stats.core.text import aligned, interval, number


class Command(TouchstoneCommand):
    help = "Count what every judge of a track accepts of every system, and whether judges prefer their own family."

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser, judge=False)
        parser.add_argument("--metric", default="", help="a metric of the protocol; left out: its first")

    def run(self, **options: Any) -> dict[str, Any]:
        return matrix_document(chosen_track(options), options["metric"])

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    found = matrix_sections(document)
    place = f"{document['release']} ({document['track']})"
    yield f"{place}: {found['metric']['title']}, accepted of {found['items']} items that all have in common"
    if found["left_out"]:
        yield f"left out: {', '.join(f'{n} because {reason}' for reason, n in found['left_out'])}"
    head = ("system", "family", *(judge["judge"] for judge in found["judges"]), "all")
    rows = [
        [row["system"], row["family"] or "-", *(_cell(cell) for cell in row["cells"]), row["accepted"]]
        for row in found["rows"]
    ]
    totals = ["all", "", *(judge["accepted"] for judge in found["judges"]), found["total"]]
    yield aligned(head, [*rows, totals])
    yield "in brackets: interaction residual; *: a judge of the system's own family"
    estimate = document["self_preference"]
    told = found["why_not"] or f"{number(estimate['value'])} {interval(estimate['ci'])}"
    yield f"\nSelf-preference in log odds: {told}"
    if found["silent"]:
        yield f"Judges without the labels that the metric needs: {', '.join(found['silent'])}"


def _cell(cell: dict[str, Any]) -> str:
    residual = f" ({cell['residual']})" if cell["residual"] else ""
    return f"{cell['accepted']}{'*' if cell['own'] else ''}{residual}"
