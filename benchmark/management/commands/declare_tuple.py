"""manage.py declare_tuple --release NAME --name T --split S --retrieval R --materialisation M --scoring C ..."""

from datetime import date
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.releases.queries import arm_name, release_named, run_called
from benchmark.tuples.actions import declare_tuple

ENTRIES = {
    "split": "evaluation split",
    "retrieval": "retrieval artifact with its provider and settings, best by its hash",
    "materialisation": "log of which sources could be read",
    "scoring": "scoring artifact: judge, prompts, aggregation",
}


class Command(BaseCommand):
    help = "Declare a frozen tuple of a release, and which runs belong to it. Tables never mix tuples."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--name", required=True, help="short name of the tuple")
        for entry, words in ENTRIES.items():
            parser.add_argument(f"--{entry}", required=True, help=words)
        parser.add_argument("--evaluated-on", required=True, type=date.fromisoformat, metavar="YYYY-MM-DD")
        parser.add_argument(
            "--run", action="append", default=[], metavar="SYSTEM[@TRACK][+CONDITION]", help="may be repeated"
        )

    def run(self, **options: Any) -> dict[str, Any]:
        release = release_named(options["release"])
        found = declare_tuple(
            actor=None,
            release=release,
            name=options["name"],
            evaluated_on=options["evaluated_on"],
            runs=[run_called(release, arm) for arm in options["run"]],
            **{entry: options[entry] for entry in ENTRIES},
        )
        runs = [row.run for row in found.runs.select_related("run__system")]
        return {
            "release": release.name,
            "tuple": found.name,
            **{entry: getattr(found, entry) for entry in ENTRIES},
            "evaluated_on": found.evaluated_on.isoformat(),
            "runs": sorted(map(arm_name, runs)),
        }
