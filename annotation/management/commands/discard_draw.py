"""manage.py discard_draw SLUG --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import revising
from annotation.core.queries import campaign_called


class Command(CommandForSomebody):
    help = "Discard the draw of a draft, as long as no place is assigned."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        return {"campaign": campaign.slug, "discarded": revising.discard_draw(actor=actor, campaign=campaign)}

    def text(self, document: dict[str, Any]) -> str:
        return f"The draw of {document['discarded']} items has been discarded."
