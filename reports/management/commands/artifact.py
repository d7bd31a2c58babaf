"""manage.py artifact: freeze everything a published score depends on, and print it."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.artifact.freezing import freeze_artifact


class Command(TouchstoneCommand):
    help = "Print the frozen score artifact of a release as canonical JSON (redirect it into a file)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--track", default="raw")
        parser.add_argument("--judge", default="", help="judge version, needed when several have verdicts")
        parser.add_argument("--condition", default="", help="of the runs; left out: the usual one")
        parser.add_argument(
            "--tuple", default="", help="frozen tuple, needed when the runs of the track belong to several"
        )

    def run(self, **options: Any) -> None:
        release = release_named(options["release"])
        artifact = freeze_artifact(
            actor=None,
            release=release,
            frozen_tuple=options["tuple"],
            **{name: options[name] for name in ("track", "judge", "condition")},
        )
        self.stdout.write(artifact.content)
