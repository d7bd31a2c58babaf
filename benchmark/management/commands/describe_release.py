"""manage.py describe_release --release NAME --licence L --creators C --published-on DATE"""

from datetime import date
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.describing.actions import describe_release
from benchmark.releases.queries import release_named


class Command(BaseCommand):
    help = "Set under which licence and by whom a release is published, and how to cite it."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--licence", required=True, help="SPDX identifier, address or words")
        parser.add_argument("--creators", required=True, help="names, separated by semicolons")
        parser.add_argument("--published-on", required=True, type=date.fromisoformat, metavar="YYYY-MM-DD")
        parser.add_argument("--citation", default="")
        parser.add_argument("--homepage", default="")
        parser.add_argument("--release-version", default="1.0.0")

    def run(self, **options: Any) -> dict[str, Any]:
        said = describe_release(
            actor=None,
            release=release_named(options["release"]),
            licence=options["licence"],
            creators=options["creators"],
            published_on=options["published_on"],
            citation=options["citation"],
            homepage=options["homepage"],
            version=options["release_version"],
        )
        return {
            "release": options["release"],
            "licence": said.licence,
            "creators": said.creators,
            "citation": said.citation,
            "homepage": said.homepage,
            "version": said.version,
            "published_on": said.published_on.isoformat(),
        }
