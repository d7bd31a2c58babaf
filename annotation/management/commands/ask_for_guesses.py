"""manage.py ask_for_guesses SLUG --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.core.queries import campaign_called
from annotation.guessing import actions


class Command(CommandForSomebody):
    help = "Ask a campaign's reviewers after each grade which system wrote the answer; only before it opens."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        question = actions.ask_for_guesses(actor=actor, campaign=campaign_called(options["slug"]))
        return {"campaign": question.campaign.slug, "asked_since": question.created_at.isoformat()}
