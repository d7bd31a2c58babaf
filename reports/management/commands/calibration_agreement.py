"""manage.py calibration_agreement SLUG: how far reviewers agreed before and after discussing."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from reports.campaign.calibration import calibration_document
from reports.campaign.pages import calibration_sections
from stats.core.text import aligned


class Command(TouchstoneCommand):
    help = "Agreement on the items of calibration rounds, blind and after the discussion."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return calibration_document(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        if not document["items"]:
            return "No calibration round of this campaign was revealed."
        rows = [
            [
                row["title"],
                line["name"],
                line["before"].value or "-",
                line["after"].value or "-",
                row["changed"],
            ]
            for row in calibration_sections(document)["questions"]
            for line in row["lines"]
        ]
        return aligned(("question", "coefficient", "blind", "afterwards", "changed"), rows)
