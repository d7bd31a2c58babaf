"""manage.py erase_account EMAIL --yes --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import CommandOnMember
from accounts.models import User
from accounts.people import erasure


class Command(CommandOnMember):
    help = "Erase a person for good: only their labels stay, under a number."

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("--yes", action="store_true", help="confirm; this cannot be undone")

    def act(self, actor: User, member: User, **options: Any) -> None:
        if not options["yes"]:
            raise CommandError(
                "nothing was erased; this cannot be undone, so confirm it with --yes", returncode=2
            )
        erasure.erase_person(actor=actor, member=member, reason=options["reason"])
