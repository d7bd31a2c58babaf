"""manage.py erase_account EMAIL --yes --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.people import erasure
from accounts.people.queries import any_member


class Command(CommandForSomebody):
    help = "Erase a person for good: only their labels stay, under a number."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the member's address")
        parser.add_argument("--reason", default="", help="why, for the audit trail")
        parser.add_argument("--yes", action="store_true", help="confirm; it cannot be undone")

    def run_for(self, actor: User, **options: Any) -> dict[str, object]:
        member = any_member(options["email"])
        if not options["yes"]:
            raise CommandError(
                "nothing was erased; this cannot be undone, so confirm it with --yes", returncode=2
            )
        erasure.erase_person(actor=actor, member=member, reason=options["reason"])
        member.refresh_from_db()
        return {"email": member.email, "open": member.is_active, "roles": []}
