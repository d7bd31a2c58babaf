"""manage.py artifact: freeze everything a published score depends on, and print it."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.artifacts import freeze_artifact
from reports.release_argument import release_called


class Command(TouchstoneCommand):
    help = "Print the frozen score artifact of a release as canonical JSON (redirect it into a file)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--track", default="raw")
        parser.add_argument("--judge", default="", help="judge version, needed when several have verdicts")

    def run(self, **options: Any) -> None:
        release = release_called(options["release"])
        artifact = freeze_artifact(
            actor=None, release=release, track=options["track"], judge=options["judge"]
        )
        self.stdout.write(artifact.content)
