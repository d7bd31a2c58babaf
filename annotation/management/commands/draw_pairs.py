"""manage.py draw_pairs SLUG [--systems A,B] [--per-stratum N] [--mirrored SHARE] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from annotation.campaigns import pairs
from annotation.core.queries import campaign_called, drawn_strata
from annotation.core.serializers import DrawOut
from annotation.management.commands.draw_campaign import Command as DrawCommand


class Command(DrawCommand):
    help = "Draw the pairs of a campaign of comparisons, once and for all; a stratum is a pair of systems."

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("--systems", default="", metavar="A,B", help="slugs (default: every system)")
        parser.add_argument(
            "--mirrored",
            type=float,
            default=0.0,
            metavar="SHARE",
            help="share of the pairs (0-1) that are shown twice, with the sides exchanged",
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        items = pairs.draw_pairs(
            actor=actor,
            campaign=campaign,
            systems=[slug for slug in options["systems"].split(",") if slug],
            per_stratum=options["per_stratum"],
            mirrored_share=options["mirrored"],
            leave_out_undecided=options["leave_out_undecided"],
        )
        drawn = {"campaign": campaign.slug, "items": len(items), "strata": drawn_strata(campaign)}
        return dict(DrawOut(drawn).data)
