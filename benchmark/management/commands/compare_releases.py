"""manage.py compare_releases FIRST SECOND [--proximate KEY ...]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.releases.queries import release_named
from benchmark.reproduction.reproducing import reproduction
from stats.core.text import aligned, interval, number


class Command(BaseCommand):
    help = (
        "Show how far a second run of the same curation reproduces the first, from the two imported releases."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", help="name of the release of the first run")
        parser.add_argument("second", help="name of the release of the second run")
        parser.add_argument(
            "--proximate",
            nargs="+",
            default=[],
            metavar="KEY",
            help="instances of the first that experts found, in other words, in the second",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        first, second = (release_named(options[name]) for name in ("first", "second"))
        return reproduction(first, second, options["proximate"])

    def text(self, document: dict[str, Any]) -> str:
        rows = [
            [
                name.replace("_", " "),
                number(part["value"]),
                interval(part["ci"]),
                number(part["k"]),
                part["n"],
            ]
            for name, part in document["shares"].items()
        ]
        others = [
            f"{name.replace('_', ' ')}: "
            + ", ".join(f"{key.replace('_', ' ')} {number(value)}" for key, value in (part or {}).items())
            for name, part in document.items()
            if name not in ("format", "first", "second", "shares")
        ]
        head = ("share", "value", "interval", "k", "n")
        return "\n".join([f"{document['first']} and {document['second']}", aligned(head, rows), *others])
