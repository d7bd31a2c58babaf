"""manage.py compare_pairs --release NAME: wins, strengths and ranks of systems two at a time."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.comparison.direct_pairs import compared_document
from reports.core.release_argument import chosen_inputs, release_called, track_arguments
from stats.core.text import ESTIMATE_HEADER, aligned, estimate_row, interval, number


class Command(TouchstoneCommand):
    help = (
        "Wins, strengths and ranks of systems two at a time, as the grades of a closed campaign imply them."
    )

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser)
        parser.add_argument("--grades", default="", help="CAMPAIGN:QUESTION; left out: the first there is")

    def run(self, **options: Any) -> dict[str, Any]:
        inputs = chosen_inputs(options)
        return compared_document(release_called(options["release"]), inputs, options["grades"])

    def text(self, document: dict[str, Any]) -> str:
        title = (
            f"{document['grades']['title']} ({document['source']}): {document['comparisons']} comparisons, "
            f"seed {document['seed']}"
        )
        head = ("system", "wins", "losses", "ties", "half-tie rate", "strength", "interval", "ranks")
        systems = aligned(head, [_system(row) for row in document["systems"]])
        pairs = [
            [f"{pair['first']} - {pair['second']}", *(pair[key] for key in ("wins", "losses", "ties"))]
            for pair in document["pairs"]
        ]
        tables = [title, systems, aligned(("pair", "wins", "losses", "ties"), pairs)]
        return "\n\n".join([*tables, *_position(document["position_bias"], document["order_effect"])])


def _system(row: dict[str, Any]) -> list[object]:
    return [
        row["system"],
        *(row[key] for key in ("wins", "losses", "ties")),
        number(row["half_tie_rate"]["value"]),
        number(row["strength"]["value"]),
        interval(row["strength"]["ci"]),
        "-" if row["rank"] is None else "-".join(map(str, row["rank"])),
    ]


def _position(bias: dict[str, Any] | None, effect: dict[str, Any] | None) -> list[str]:
    """Nothing where nobody was shown two outputs side by side."""
    if bias is None or effect is None:
        return []
    rows = [
        estimate_row("first slot share", bias["first_slot_share"]),
        estimate_row("mirrored consistency", bias["swap_consistency"]),
        estimate_row("order effect", effect),
    ]
    return [aligned(ESTIMATE_HEADER, rows)]
