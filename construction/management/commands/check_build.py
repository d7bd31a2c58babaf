"""manage.py check_build NAME"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from construction.builds.emission import construct_again
from construction.builds.queries import build_named


class Command(TouchstoneCommand):
    help = "Construct all lines of a build again from its sources and stored replies, and compare."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of the build")

    def run(self, **options: Any) -> dict[str, object]:
        check = construct_again(build_named(options["name"]))
        if check.differing:
            shown = ", ".join(check.differing[:10])
            reason = f"{len(check.differing)} of {check.papers} papers give something else now: {shown}."
            raise Refused(reason, code="differs")
        return {
            "build": options["name"],
            "papers": check.papers,
            "lines": check.lines,
            "sha256": check.lines_sha256,
        }
