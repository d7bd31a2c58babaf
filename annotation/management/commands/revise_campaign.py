"""manage.py revise_campaign SLUG [--due-on DATE] [--reviewers N] ... --actor EMAIL"""

import datetime as dt
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import actions as campaigns_actions
from annotation.campaigns import revising
from annotation.campaigns.revising import TERMS
from annotation.core.queries import campaign_called
from annotation.core.serializers import CampaignOut
from annotation.models import ProblemRule
from benchmark.releases.queries import release_named


class Command(CommandForSomebody):
    help = "Change the terms of a campaign: all of them before the draw, due date and instructions until it is closed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("--name", help="reviewers see it, so it must not name a system")
        parser.add_argument("--release", help="name of the release")
        parser.add_argument("--rubric", help="a rubric version such as proofs-v1")
        parser.add_argument("--track")
        parser.add_argument("--seed", type=int)
        parser.add_argument("--reviewers", type=int, dest="reviewers_per_item", help="per item, 1 to 25")
        parser.add_argument("--problem-rule", choices=ProblemRule.values)
        parser.add_argument("--most-per-reviewer", type=int, help="items per reviewer")
        parser.add_argument(
            "--least-authors", type=int, help="systems that must be possible authors of an item"
        )
        parser.add_argument("--due-on", type=dt.date.fromisoformat, metavar="YYYY-MM-DD")
        parser.add_argument("--instructions", help="shown to reviewers above their queue")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        given = {name: options[name] for name in TERMS if options[name] is not None}
        if "release" in given:
            given["release"] = release_named(given["release"])
        with transaction.atomic():
            revising.revise_campaign(actor=actor, campaign=campaign, **given)
            if options["least_authors"] is not None:
                campaigns_actions.set_least_authors(
                    actor=actor, campaign=campaign, least=options["least_authors"]
                )
        return dict(CampaignOut(campaign_called(campaign.slug)).data)
