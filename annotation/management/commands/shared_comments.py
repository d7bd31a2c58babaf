"""manage.py shared_comments SLUG [--add TEXT | --share ID | --decline ID | --withdraw ID] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from annotation.campaigns import actions as campaigns_actions
from annotation.comments import actions as comments_actions
from annotation.comments.bank import shared_in
from annotation.core.queries import campaign_called
from annotation.models import Campaign, SharedComment, SharingState


class Command(CommandForSomebody):
    help = "List the comments that reviewers of a campaign proposed or share; share, decline or withdraw one."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        verb = parser.add_mutually_exclusive_group()
        verb.add_argument("--add", metavar="TEXT", help="share a comment of your own")
        verb.add_argument("--share", type=int, metavar="ID", help="share a proposed comment")
        verb.add_argument("--decline", type=int, metavar="ID", help="decline a proposed comment")
        verb.add_argument("--withdraw", type=int, metavar="ID", help="withdraw a shared comment")
        parser.add_argument(
            "--everywhere", action="store_true", help="share in every campaign of the protocol"
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        campaigns_actions.require_staff(actor)
        campaign = campaign_called(options["slug"])
        if options["add"]:
            terms = {"text": options["add"], "everywhere": options["everywhere"]}
            comments_actions.share_comment(actor=actor, campaign=campaign, **terms)
        for verb, state in (
            ("share", SharingState.SHARED),
            ("decline", SharingState.DECLINED),
            ("withdraw", SharingState.WITHDRAWN),
        ):
            if options[verb]:
                row, everywhere = _called(campaign, options[verb]), options["everywhere"]
                comments_actions.decide_comment(actor=actor, comment=row, state=state, everywhere=everywhere)
        return {"campaign": campaign.slug, "comments": [_line(row) for row in shared_in(campaign)]}

    def text(self, document: dict[str, Any]) -> str:
        lines = [
            f"{row['id']:>6}  {row['state']}{' everywhere' * row['everywhere']}  {row['text']}"
            for row in document["comments"]
        ]
        return "\n".join(lines) or "Nobody has proposed a comment yet, and none is shared."


def _called(campaign: Campaign, pk: int) -> SharedComment:
    row = shared_in(campaign).filter(pk=pk).first()
    if row is None:
        raise Refused(f"Campaign {campaign.slug} has no comment {pk}.", code="no_comment")
    return row


def _line(row: SharedComment) -> dict[str, Any]:
    return {"id": row.pk, "text": row.text, "state": row.state, "everywhere": row.campaign_id is None}
