"""manage.py draw_audit NAME --campaign TITLE --rubric R --actor EMAIL, with what plan_audit release takes"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from reports.audit.draw import draw_audit
from reports.audit.request import audit_request
from reports.core.release_argument import release_called
from reports.management.commands.plan_audit import add_audit_arguments


class Command(CommandForSomebody):
    help = "Draw an audit as plan_audit shows it into a new campaign."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the release")
        parser.add_argument("--campaign", required=True, help="its name; reviewers see it")
        parser.add_argument("--rubric", required=True)
        parser.add_argument("--reviewers", type=int, default=3, help="reviewers of each output")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--plan", default="", help="sha256 of the plan that was looked at")
        add_audit_arguments(parser)

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        plan = audit_request(options).plan(release_called(options["name"]))
        if options["plan"] not in ("", plan.sha256):
            raise Refused("The plan has changed since; look at it again.", code="plan_changed", field="plan")
        campaign = draw_audit(
            actor=actor,
            plan=plan,
            name=options["campaign"],
            rubric=options["rubric"],
            reviewers_per_item=options["reviewers"],
            seed=options["seed"],
        )
        return {
            "campaign": campaign.slug,
            "items": plan.n_sampled,
            "plan": plan.sha256,
            "seed": campaign.seed,
        }
