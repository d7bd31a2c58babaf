"""manage.py analyse agreement|audit|corrected|pairs|errors|retrieval FILE

Reads a label file of anybody's; no stored release and no database is needed.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as BaseCommand
from stats.agreement import LEVELS
from stats.analyses import running
from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.retrieval import DEFAULT_KS
from stats.labels import GRADERS
from stats.raw_rows import TableError
from stats.tables import form_of


def argument(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser of stats as a type of argparse, which shows its reason."""

    def typed(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as refusal:
            raise argparse.ArgumentTypeError(str(refusal)) from refusal

    return typed


class Command(BaseCommand):
    help = "Agreement, judge audit, corrected score, pairwise and retrieval figures from a label file."

    def arguments(self, parser: CommandParser) -> None:
        analyses = parser.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")
        for name, analysis in running.ANALYSES.items():
            self._common(analyses.add_parser(name, help=analysis.line))
        chosen = analyses.choices
        for name in ("agreement", "audit", "corrected", "pairs", "errors"):
            chosen[name].add_argument("--question", help="look at the labels of one question only")
        for name in ("agreement", "pairs", "errors"):
            chosen[name].add_argument("--rater-kind", choices=GRADERS, help="labels of these raters only")
        chosen["pairs"].add_argument(
            "--system", action="append", default=[], help="only comparisons among these (repeat it)"
        )
        chosen["agreement"].add_argument("--level", choices=LEVELS, help="level of measurement of the values")
        for name in ("agreement", "errors"):
            chosen[name].add_argument(
                "--order",
                type=lambda text: tuple(part.strip() for part in text.split(",")),
                default=(),
                help="your own words from low to high, like reject,major,minor,flawless",
            )
        for name in ("audit", "corrected", "errors"):
            chosen[name].add_argument(
                "--positive",
                required=running.ANALYSES[name].needs_positive,
                default="",
                help="the value that counts as success; several like flawless,minor",
            )
        chosen["retrieval"].add_argument(
            "--k", type=argument(running.whole_numbers), default=DEFAULT_KS, help="like 1,10,20"
        )

    def _common(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a label table, .csv or .jsonl")
        parser.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document"
        )
        parser.add_argument(
            "--map",
            action="append",
            type=argument(running.renaming),
            default=[],
            metavar="OTHER=CANONICAL",
            help="read a column under another name; OTHER= drops it",
        )
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of every resampling")
        parser.add_argument("--confidence", type=float, default=0.95, help="level of the intervals")

    def run(self, **options: Any) -> dict[str, Any]:
        self.analysis: str = options["analysis"]
        path: Path = options["file"]
        try:
            asked = self._asked(options)
            with path.open("rb") as stream:
                return running.run(stream, form_of(path), asked)
        except TableError as refusal:
            raise CommandError(f"{path}: {refusal}") from refusal
        except OSError as refusal:
            raise CommandError(f"{path}: {refusal.strerror}") from refusal
        except ValueError as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse

    def _asked(self, options: dict[str, Any]) -> running.Request:
        settings = Options(
            seed=options["seed"],
            confidence=options["confidence"],
            question=options.get("question"),
            rater_kind=options.get("rater_kind"),
            order=options.get("order", ()),
        )
        return running.Request(
            self.analysis,
            settings,
            positive=options.get("positive", ""),
            level=options.get("level"),
            systems=tuple(options.get("system", ())),
            ks=options.get("k", DEFAULT_KS),
            renaming=dict(options["map"]),
        )

    def text(self, document: dict[str, Any]) -> str:
        return running.text(self.analysis, document)
