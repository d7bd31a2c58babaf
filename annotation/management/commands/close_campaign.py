"""manage.py close_campaign SLUG [--reason WORDS] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import actions
from annotation.core.queries import campaign_called
from annotation.core.serializers import CampaignOut


class Command(CommandForSomebody):
    help = "Close a campaign: from then on no grade is added or changed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("--reason", default="", help="required while places are unfinished")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        actions.close_campaign(actor=actor, campaign=campaign, reason=options["reason"])
        return dict(CampaignOut(campaign_called(campaign.slug)).data)
