"""manage.py create_campaign --release NAME --rubric proofs-v1 --name NAME --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import actions
from annotation.core.queries import campaign_called
from annotation.core.serializers import CampaignOut
from annotation.models import DEFAULT_LEAST, ProblemRule
from benchmark.releases.queries import release_named

TERMS = ("rubric", "name", "slug", "track", "seed", "problem_rule", "most_per_reviewer", "least_authors")


class Command(CommandForSomebody):
    help = "Create a campaign in draft."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--rubric", required=True, help="a rubric version such as proofs-v1")
        parser.add_argument("--name", required=True, help="reviewers see it, so it must not name a system")
        parser.add_argument("--slug", default="", help="default: made from the name")
        parser.add_argument("--reviewers", type=int, default=3, help="per item, 1 to 25 (default: 3)")
        parser.add_argument("--track", default="raw", help="default: raw")
        parser.add_argument(
            "--problem-rule",
            choices=ProblemRule.values,
            default=ProblemRule.FREE,
            help="who may see several outputs of one problem (default: free)",
        )
        parser.add_argument("--most-per-reviewer", type=int, help="items per reviewer (default: no limit)")
        parser.add_argument(
            "--least-authors",
            type=int,
            default=DEFAULT_LEAST,
            help=f"systems that must be possible authors of an item (default: {DEFAULT_LEAST})",
        )
        parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same sample again")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        made = actions.create_campaign(
            actor=actor,
            release=release_named(options["release"]),
            reviewers_per_item=options["reviewers"],
            **{name: options[name] for name in TERMS},
        )
        return dict(CampaignOut(campaign_called(made.slug)).data)
