"""What all our management commands share: `--json`, plain refusals, and exit codes.

0 done; 1 refused, with the reason on standard error; 2 wrong usage (argparse's own).
"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.access import role_names
from accounts.models import User
from accounts.people.queries import active_member, any_member
from accounts.refusal import Refused


class Command(BaseCommand):
    """Base of our commands: subclasses implement `run` and return the document that `--json` prints."""

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """Subclasses add their arguments here."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            document = self.run(**options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        if document is None:
            return
        if options["json"]:
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write(self.text(document))

    def run(self, **options: Any) -> dict[str, Any] | None:
        """Do the work and return a JSON-able document, or None when output was already streamed."""
        raise CommandError(f"{type(self).__module__} does not say what it does")

    def text(self, document: dict[str, Any]) -> str:
        """The document in words; subclasses override where a plain list of fields would read badly."""
        return "\n".join(f"{key}: {value}" for key, value in document.items())


class CommandForSomebody(Command):
    """Base of commands done on behalf of a member, whom the audit trail names and whose roles decide.

    Anyone with access to the console is trusted to name the member; the site asks them for no password.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--actor",
            required=True,
            metavar="EMAIL",
            help="address of the member on whose behalf this is done",
        )
        super().add_arguments(parser)

    def run(self, **options: Any) -> dict[str, Any] | None:
        return self.run_for(active_member(options.pop("actor")), **options)

    def run_for(self, actor: User, **options: Any) -> dict[str, Any] | None:
        """Do the work as `actor`; returns what `run` returns."""
        raise CommandError(f"{type(self).__module__} does not say what it does")


class CommandOnMember(CommandForSomebody):
    """Base of commands that do something to one member's roles or account."""

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the member's address")
        parser.add_argument("--reason", default="", help="why, for the audit trail")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        member = any_member(options["email"])
        self.act(actor, member, **options)
        now = User.objects.get(pk=member.pk)
        return {"email": now.email, "open": now.is_active, "roles": sorted(role_names(now))}

    def act(self, actor: User, member: User, **options: Any) -> None:
        """Do the one thing; raise Refused with the reason when it may not be done."""
        raise CommandError(f"{type(self).__module__} does not say what it does")
