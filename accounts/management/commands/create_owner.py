"""manage.py create_owner: the invitation of an owner, made by the operator of the site."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.people.invitations import invite_first_owner
from accounts.site.mail import invitation_link


class Command(TouchstoneCommand):
    help = "Print a link with which the person at EMAIL creates an owner's account. It works once, for two weeks."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")

    def run(self, **options: Any) -> dict[str, object]:
        made = invite_first_owner(email=options["email"])
        return {
            "email": made.invitation.email,
            "link": invitation_link(made.token),
            "expires_at": made.invitation.expires_at.isoformat(),
        }
