"""manage.py decide_output (ID | --all --release NAME) VERDICT --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from annotation.quarantine import actions
from benchmark.models import IdentityVerdict, Output
from benchmark.releases.queries import release_named


class Command(CommandForSomebody):
    help = "Decide about an output that may reveal who wrote it, or redact all outputs waiting in a release."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verdict", choices=[*IdentityVerdict.values, "withdraw"])
        parser.add_argument("--output", type=int, help="number of the output, as scan_identities lists it")
        parser.add_argument("--release", help="redact every waiting output of this release")
        parser.add_argument("--reason", default="", help="why; required unless the verdict is redacted")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        if bool(options["release"]) == bool(options["output"]):
            raise CommandError("name one output, or one release", returncode=2)
        if options["release"]:
            if options["verdict"] != IdentityVerdict.REDACTED:
                raise CommandError("a whole release can only be redacted", returncode=2)
            return {**actions.redact_release(actor=actor, release=release_named(options["release"]))}
        output = Output.objects.filter(pk=options["output"]).first()
        if output is None:
            raise Refused(f"There is no output {options['output']}.", code="no_output")
        if options["verdict"] == "withdraw":
            actions.withdraw_decision(actor=actor, output=output)
        else:
            actions.decide_identity(
                actor=actor, output=output, verdict=options["verdict"], reason=options["reason"]
            )
        return {"output": output.pk, "verdict": options["verdict"]}
