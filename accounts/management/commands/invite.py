"""manage.py invite EMAIL ROLE --actor EMAIL: an invitation by mail, the same as on the page of people."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import RoleName, User
from accounts.people.invitations import invite
from accounts.site.mail import send_invitation


class Command(CommandForSomebody):
    help = "Invite EMAIL as ROLE and send the link by email. A newer invitation replaces the older one."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("role", metavar="ROLE", choices=RoleName.values, help=", ".join(RoleName.values))

    def run_for(self, actor: User, **options: Any) -> dict[str, object]:
        made = invite(actor=actor, email=options["email"], role=options["role"])
        return {
            "email": made.invitation.email,
            "role": made.invitation.role,
            "expires_at": made.invitation.expires_at.isoformat(),
            "mailed": send_invitation(made),
        }

    def text(self, document: dict[str, object]) -> str:
        who = f"{document['email']} as {document['role']}"
        if not document["mailed"]:
            return f"Invited {who}, but the mail was not sent (the log says why); invite again to send it."
        return f"Invited {who}; the mail was sent. The link works once, until {document['expires_at']}."
