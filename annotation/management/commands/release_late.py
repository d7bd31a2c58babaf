"""manage.py release_late SLUG --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.assigning import actions
from annotation.core.queries import campaign_called


class Command(CommandForSomebody):
    help = "Release places that are past a campaign's due date and assign them to reviewers who are not late."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        return dict(actions.release_late(actor=actor, campaign=campaign_called(options["slug"])))
