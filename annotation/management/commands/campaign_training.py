"""manage.py campaign_training SLUG: how the training of a campaign's reviewers went."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from annotation.training.reading import training_results
from stats.core.text import aligned, printable


class Command(TouchstoneCommand):
    help = "Answers equal to the gold by reviewer and question, in the order of names; never a ranking."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return training_results(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        if not document["items"]:
            return "This campaign has no training."
        head = ("reviewer", "answered", "skipped", *document["questions"])
        return aligned(head, [_row(row, document) for row in document["reviewers"]])


def _row(row: dict[str, Any], document: dict[str, Any]) -> list[object]:
    counts = [row["questions"].get(key) for key in document["questions"]]
    cells = [f"{count['same']}/{count['answered']}" if count else "-" for count in counts]
    done = f"{row['done']}/{document['items']}"
    return [printable(row["reviewer"]), done, "yes" if row["skipped"] else "no", *cells]
