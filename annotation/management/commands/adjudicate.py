"""manage.py adjudicate SLUG [ITEM [--question Q --value V]] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.adjudication import actions
from annotation.adjudication.as_json import decision_json, item_json, queue_json
from annotation.campaigns.actions import require_staff
from annotation.core.item_names import item_called
from annotation.core.queries import campaign_called
from annotation.models import Cause


class Command(CommandForSomebody):
    help = (
        "List the items of a campaign by how far graders agree; with ITEM, show what they said; with --question "
        "and --value, decide."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("item", metavar="ITEM", nargs="?", default="", help="the item's opaque name")
        parser.add_argument("--question", default="", help="the question to decide")
        parser.add_argument("--step", default="", help="the step, where steps are graded")
        parser.add_argument("--value", default="", help="the final value, on the question's scale")
        parser.add_argument("--cause", default="", choices=["", *Cause.values], help="why graders differed")
        parser.add_argument("--note", default="", help="required if all graders are overruled")
        parser.add_argument(
            "--supersedes", type=int, metavar="ID", help="the decision that this one replaces"
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        require_staff(actor)
        campaign = campaign_called(options["slug"])
        if not options["item"]:
            return queue_json(campaign)
        item = item_called(campaign, options["item"])
        if not options["question"]:
            return item_json(item)
        terms = {key: options[key] for key in ("question", "step", "value", "cause", "note", "supersedes")}
        return decision_json(actions.adjudicate(actor=actor, item=item, **terms))
