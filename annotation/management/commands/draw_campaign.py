"""manage.py draw_campaign SLUG [--per-stratum N] [--leave-out-undecided] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns import actions
from annotation.core.queries import campaign_called, drawn_strata
from annotation.core.serializers import DrawOut


class Command(CommandForSomebody):
    help = "Draw the items of a campaign by domain, once and for all."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument(
            "--per-stratum",
            type=int,
            metavar="N",
            help="items of each domain (default: every answered output)",
        )
        parser.add_argument(
            "--leave-out-undecided",
            action="store_true",
            help="draw without the outputs that are waiting in quarantine for a decision",
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        items = actions.draw_items(
            actor=actor,
            campaign=campaign,
            per_stratum=options["per_stratum"],
            leave_out_undecided=options["leave_out_undecided"],
        )
        drawn = {"campaign": campaign.slug, "items": len(items), "strata": drawn_strata(campaign)}
        return dict(DrawOut(drawn).data)

    def text(self, document: dict[str, Any]) -> str:
        lines = [f"{document['items']} items drawn."]
        lines += [
            f"  {row['stratum']}: {row['sample_size']} of {row['stratum_size']}" for row in document["strata"]
        ]
        return "\n".join(lines)
