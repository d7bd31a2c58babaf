"""manage.py campaign_progress SLUG"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.campaigns.progress import campaign_progress
from annotation.core.queries import campaign_called
from annotation.core.serializers import ProgressOut


class Command(TouchstoneCommand):
    help = "Show the progress of a campaign, by domain and reviewer."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return dict(ProgressOut(campaign_progress(campaign_called(options["slug"]))).data)

    def text(self, document: dict[str, Any]) -> str:
        lines = [f"{document['campaign']} is {document['phase']}."]
        lines += [
            f"  {row['domain']}: {row['submitted']} submitted, {row['taken']} taken of {row['wanted']} places"
            for row in document["domains"]
        ]
        lines += [
            f"  {row['name']}: {row['submitted']} of {row['held']} submitted" for row in document["reviewers"]
        ]
        return "\n".join(lines)
