"""manage.py blinding SLUG: what reviewers of a closed campaign guessed, with Bang's and James's indices."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from reports.campaign.blinding import blinding_document
from stats.core.text import aligned, number, printable


class Command(TouchstoneCommand):
    help = "Did blinding hold? Guesses of the system by system, after the campaign is closed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return blinding_document(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        james = (document["james"] or {}).get("value")
        rows = [_system(row) for row in document["systems"]]
        return "\n".join(
            [
                aligned(("system", "right", "wrong", "no idea", "Bang"), rows),
                f"{document['guesses']} guesses, {document['skipped']} without; James {number(james, places=3)}",
            ]
        )


def _system(row: dict[str, Any]) -> list[object]:
    bang = (row["bang"] or {}).get("value")
    return [printable(row["system"]), row["right"], row["wrong"], row["no_idea"], number(bang, places=3)]
