"""manage.py assign_campaign SLUG [--dry-run] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.assigning import actions as assigning_actions
from annotation.assigning.plans import plan_in_words
from annotation.campaigns import actions as campaigns_actions
from annotation.core.queries import campaign_called
from annotation.core.serializers import PlanOut


class Command(CommandForSomebody):
    help = "Assign reviewers to the free places of a campaign, by domain and without conflicts."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("--dry-run", action="store_true", help="only show who would get what")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaign = campaign_called(options["slug"])
        campaigns_actions.require_staff(actor)
        plan = assigning_actions.plan_assignment(campaign)
        document = dict(PlanOut(plan_in_words(campaign, plan)).data)
        if options["dry_run"]:
            return {"placed": 0, **document}
        return {
            "placed": len(assigning_actions.apply_plan(actor=actor, campaign=campaign, sha256=plan.sha256)),
            **document,
        }

    def text(self, document: dict[str, Any]) -> str:
        lines = [f"{document['placed']} of {document['wanted']} free places assigned."]
        lines += [f"  {row['name']}: {row['new']} new, {row['load']} in all" for row in document["reviewers"]]
        lines += [f"  unmet: {row['items']} in {row['domain']}: {row['reason']}" for row in document["unmet"]]
        return "\n".join(lines)
