"""manage.py open_campaign SLUG --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import actions
from annotation.core.queries import campaign_called
from annotation.core.serializers import CampaignOut


class Command(CommandForSomebody):
    help = "Open a campaign to its reviewers."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        actions.open_campaign(actor=actor, campaign=campaign_called(options["slug"]))
        return dict(CampaignOut(campaign_called(options["slug"])).data)
