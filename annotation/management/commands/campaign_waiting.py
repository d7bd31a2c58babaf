"""manage.py campaign_waiting SLUG"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called, waiting_places
from annotation.core.serializers import WaitingPlaceOut


class Command(TouchstoneCommand):
    help = "List the places of a campaign that are not yet submitted, oldest first."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        rows = WaitingPlaceOut(waiting_places(campaign), many=True).data
        return {"campaign": campaign.slug, "waiting": list(rows)}

    def text(self, document: dict[str, Any]) -> str:
        rows = document["waiting"]
        lines = [f"{row['id']}: {row['reviewer']}, {row['instance']} ({row['domain']})" for row in rows]
        return "\n".join(lines) or "Nothing is waiting."
