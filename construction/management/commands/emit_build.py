"""manage.py emit_build NAME --release RELEASE"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from construction.builds.emission import emit
from construction.builds.queries import build_named


class Command(TouchstoneCommand):
    help = "Make a release of what a build came to."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of the build")
        parser.add_argument("--release", required=True, help="short name of the release")
        parser.add_argument("--sample", action="store_true", help="mark it as sample data")

    def run(self, **options: Any) -> dict[str, object]:
        build = build_named(options["name"])
        release = emit(actor=None, build=build, name=options["release"], is_sample=options["sample"])
        return {
            "release": release.name,
            "sha256": release.sha256,
            "instances": release.instances.count(),
            "build": build.name,
        }
