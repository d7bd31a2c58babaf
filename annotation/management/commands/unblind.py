"""manage.py unblind SLUG request|confirm|withdraw [--reason WORDS] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.adjudication import unblinding
from annotation.adjudication.as_json import unblinding_json
from annotation.core import queries
from annotation.core.queries import campaign_called


class Command(CommandForSomebody):
    help = "Request the unblinding of a closed campaign, or confirm another person's request."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("verb", choices=["request", "confirm", "withdraw"])
        parser.add_argument("--reason", default="", help="why; required for a request")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        if options["verb"] == "request":
            unblinding.request_unblinding(actor=actor, campaign=campaign, reason=options["reason"])
        elif options["verb"] == "confirm":
            unblinding.confirm_unblinding(actor=actor, campaign=campaign)
        else:
            unblinding.withdraw_unblinding(actor=actor, campaign=campaign)
        return unblinding_json(campaign, queries.unblinding(campaign))
