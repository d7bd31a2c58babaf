"""manage.py attach_verdicts SLUG [--judge J] [--predicate P] [--question Q] [--before SHARE] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.core.queries import campaign_called
from reports.verdicts.copies import copy_verdicts, verdicts_document


class Command(CommandForSomebody):
    help = (
        "Copy a judge's verdicts to a campaign in draft: reviewers see them after they have locked an answer."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("--judge", default="", help="a judge version's label, if several have spoken")
        parser.add_argument("--predicate", default="", help="what the judge was asked")
        parser.add_argument("--question", default="", help="the campaign's question that the verdict answers")
        parser.add_argument(
            "--before", type=float, default=0.0, metavar="SHARE", help="share of places that see it before"
        )
        parser.add_argument("--seed", type=int, default=1)

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        names = ("judge", "predicate", "question", "seed")
        copy_verdicts(
            actor=actor,
            campaign=campaign,
            before_share=options["before"],
            **{name: options[name] for name in names},
        )
        return verdicts_document(campaign)
