"""manage.py analyse ANALYSIS FILE

Reads a label file of anybody's; no stored release and no database is needed.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as BaseCommand
from stats.agreement.bundle import LEVELS
from stats.analyses import running
from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.retrieval import DEFAULT_KS
from stats.tables.columns import form_of
from stats.tables.label_pairs import ORDER_RULES
from stats.tables.labels import GRADERS
from stats.tables.raw_rows import TableError


def argument(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser of stats as a type of argparse, which shows its reason."""

    def typed(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as refusal:
            raise argparse.ArgumentTypeError(str(refusal)) from refusal

    return typed


_GROUP = {"type": argument(running.words), "required": True}
# How the command line asks for an option of stats.analyses.running; names as there.
ARGUMENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "question": ("--question", {"help": "look at the labels of one question only"}),
    "rater_kind": ("--rater-kind", {"choices": GRADERS, "help": "labels of these raters only"}),
    "level": ("--level", {"choices": LEVELS, "help": "level of measurement of the values"}),
    "order": (
        "--order",
        {
            "type": argument(running.words),
            "default": (),
            "help": "your own words from low to high, like reject,major,minor,flawless",
        },
    ),
    "positive": (
        "--positive",
        {"default": "", "help": "the value that counts as success; several like flawless,minor"},
    ),
    "by": ("--by", {"choices": running.BY[1:], "default": "", "help": "the same figures for each of these"}),
    "exchangeable": (
        "--exchangeable",
        {"action": "store_true", "help": "the names of raters mean nothing, or there are none"},
    ),
    "systems": (
        "--system",
        {
            "action": "append",
            "default": [],
            "dest": "systems",
            "help": "only comparisons among these (repeat it)",
        },
    ),
    "orders": (
        "--orders",
        {
            "choices": tuple(ORDER_RULES),
            "default": "agree",
            "help": "two orders of a comparison decide if they agree, or by their net score",
        },
    ),
    "first": ("--first", _GROUP | {"help": "raters of the first group, like anna,ben or expert"}),
    "second": ("--second", _GROUP | {"help": "raters of the second group, like expert,m1 or judge"}),
    "score_range": (
        "--range",
        {
            "type": argument(running.two_numbers),
            "dest": "score_range",
            "metavar": "LOW,HIGH",
            "help": "least and greatest score, which become 0 and 1",
        },
    ),
    "k": ("--k", {"type": argument(running.whole_numbers), "default": DEFAULT_KS, "help": "like 1,10,20"}),
}


class Command(BaseCommand):
    help = "Agreement, judge audit, corrected score, pairwise and retrieval figures from a label file."

    def arguments(self, parser: CommandParser) -> None:
        analyses = parser.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")
        for name, analysis in running.ANALYSES.items():
            own = analyses.add_parser(name, help=analysis.line)
            own.add_argument("file", type=Path, help="a label table, .csv or .jsonl")
            own.add_argument(
                "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document"
            )
            own.add_argument(
                "--map",
                action="append",
                type=argument(running.renaming),
                default=[],
                metavar="OTHER=CANONICAL",
                help="read a column under another name; OTHER= drops it",
            )
            own.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of every resampling")
            own.add_argument("--confidence", type=float, default=0.95, help="level of the intervals")
            for option in analysis.takes:
                flag, terms = ARGUMENTS[option]
                if option == "positive" and analysis.needs_positive:
                    terms = {**terms, "required": True}
                own.add_argument(flag, **terms)

    def run(self, **options: Any) -> running.Document:
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

    def _asked(self, options: Mapping[str, Any]) -> running.Request:
        settings = Options(
            seed=options["seed"],
            confidence=options["confidence"],
            **{name: options[name] for name in ("question", "rater_kind", "order") if name in options},
        )
        own = ("positive", "level", "by", "exchangeable", "orders", "first", "second", "score_range")
        return running.Request(
            self.analysis,
            settings,
            systems=tuple(options.get("systems", ())),
            ks=options.get("k", DEFAULT_KS),
            renaming=dict(options["map"]),
            **{name: options[name] for name in own if name in options},
        )

    def text(self, document: running.Document) -> str:
        return running.text(self.analysis, document)
