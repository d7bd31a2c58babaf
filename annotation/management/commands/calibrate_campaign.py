"""manage.py calibrate_campaign SLUG make|reveal|end [--items N] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.calibration import actions
from annotation.calibration.api import RoundOut
from annotation.calibration.reading import round_values
from annotation.core.queries import campaign_called


class Command(CommandForSomebody):
    help = (
        "Create a calibration round, reveal its blind answers to those who gave them, or end the discussion."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("verb", choices=["make", "reveal", "end"])
        parser.add_argument("--items", type=int, default=0, metavar="N", help="with make: how many items")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        if options["verb"] == "make":
            actions.make_calibration(actor=actor, campaign=campaign, items=options["items"])
        elif options["verb"] == "reveal":
            actions.reveal_calibration(actor=actor, campaign=campaign)
        else:
            actions.end_calibration(actor=actor, campaign=campaign)
        return {"campaign": campaign.slug, "rounds": RoundOut(round_values(campaign), many=True).data}

    def text(self, document: dict[str, Any]) -> str:
        row = document["rounds"][0]
        state = "ended" if row["ended_at"] else "revealed" if row["revealed_at"] else "made"
        return f"The round of {document['campaign']} is {state}: {len(row['items'])} items."
