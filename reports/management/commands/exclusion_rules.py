"""manage.py exclusion_rules --release R [--declare NAME --ground G ... --at-least K --reason TEXT] --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.campaigns.actions import require_staff
from reports.core.release_argument import release_called
from reports.exclusions.actions import declare_rule
from reports.exclusions.objections import rules_document
from reports.exclusions.rules import GROUNDS
from stats.core.text import printable


class Command(CommandForSomebody):
    help = "List a release's exclusion rules with what falls out, or declare one; a rule is never changed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--declare", metavar="NAME", default="", help="the new rule's name")
        parser.add_argument(
            "--ground", action="append", default=[], help=f"may be repeated; one of {', '.join(GROUNDS)}"
        )
        parser.add_argument(
            "--at-least", type=int, default=2, metavar="K", help="so many different reviewers"
        )
        parser.add_argument("--reason", default="", help="why these instances should fall out")
        parser.add_argument(
            "--primary", action="store_true", help="scores leave them out; only before any unblinding"
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        require_staff(actor)
        release = release_called(options["release"])
        if options["declare"]:
            terms = {key: options[key] for key in ("at_least", "reason", "primary")}
            declare_rule(
                actor=actor, release=release, name=options["declare"], grounds=options["ground"], **terms
            )
        return rules_document(release)

    def text(self, document: dict[str, Any]) -> str:
        lines = [f"{document['release']}: {document['instances']} instances"]
        for rule in document["rules"]:
            kind = "primary" if rule["primary"] else "late" if rule["late"] else "beside"
            lines.append(
                f"{rule['name']} ({kind}): {' or '.join(rule['grounds'])} by at least {rule['at_least']}: "
                f"{len(rule['excluded'])} out {printable(' '.join(rule['excluded']))}".rstrip()
            )
        return "\n".join(lines if document["rules"] else [*lines, "No rule is declared."])
