"""manage.py remind SLUG --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import reminding
from annotation.core.queries import campaign_called


class Command(CommandForSomebody):
    help = "Remind reviewers by email of items waiting in a campaign; at most one email per reviewer and day."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        return dict(reminding.remind_campaign(actor=actor, campaign=campaign_called(options["slug"])))
