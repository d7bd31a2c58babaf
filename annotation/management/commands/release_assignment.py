"""manage.py release_assignment SLUG ID [--reason WORDS] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from annotation.assigning import actions
from annotation.core.queries import campaign_called
from annotation.models import Assignment


class Command(CommandForSomebody):
    help = "Release a waiting place; its reviewer keeps the draft."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("id", metavar="ID", type=int, help="as campaign_waiting lists it")
        parser.add_argument("--reason", default="", help="goes into the audit trail")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign, pk = campaign_called(options["slug"]), options["id"]
        places = Assignment.objects.select_related("item__campaign").filter(item__campaign=campaign)
        place = places.filter(pk=pk).first()
        if place is None:
            raise Refused(f"Campaign {campaign.slug} has no assignment {pk}.", code="no_assignment")
        actions.release_assignment(actor=actor, assignment=place, reason=options["reason"])
        return {"campaign": campaign.slug, "released": pk}
