"""manage.py compare_pairs --release NAME: wins, strengths and ranks of systems two at a time."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.implied_pairs import implied_document
from reports.release_argument import chosen_inputs, track_arguments
from stats.text import aligned, interval, number


class Command(TouchstoneCommand):
    help = (
        "Wins, strengths and ranks of systems two at a time, as the grades of a closed campaign imply them."
    )

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser)
        parser.add_argument("--grades", default="", help="CAMPAIGN:QUESTION; left out: the first there is")

    def run(self, **options: Any) -> dict[str, Any]:
        return implied_document(chosen_inputs(options), options["grades"])

    def text(self, document: dict[str, Any]) -> str:
        title = (
            f"{document['grades']['title']}: {document['comparisons']} comparisons, seed {document['seed']}"
        )
        head = ("system", "wins", "losses", "ties", "half-tie rate", "strength", "interval", "ranks")
        systems = aligned(head, [_system(row) for row in document["systems"]])
        pairs = [
            [f"{pair['first']} - {pair['second']}", *(pair[key] for key in ("wins", "losses", "ties"))]
            for pair in document["pairs"]
        ]
        return f"{title}\n{systems}\n\n{aligned(('pair', 'wins', 'losses', 'ties'), pairs)}"


def _system(row: dict[str, Any]) -> list[object]:
    return [
        row["system"],
        *(row[key] for key in ("wins", "losses", "ties")),
        number(row["half_tie_rate"]["value"]),
        number(row["strength"]["value"]),
        interval(row["strength"]["ci"]),
        "-" if row["rank"] is None else "-".join(map(str, row["rank"])),
    ]
