"""manage.py analyse agreement|audit|corrected|pairs|retrieval FILE

Reads a label file of anybody's; no stored release and no database is needed.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as BaseCommand
from stats.agreement import LEVELS
from stats.analyses import as_text
from stats.analyses.agreement import agreement_document
from stats.analyses.audit import audit_document
from stats.analyses.corrected import corrected_document
from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.pairs import pairs_document
from stats.analyses.retrieval import DEFAULT_KS, read_rank_file, retrieval_document
from stats.labels import RATER_KINDS, read_label_file
from stats.raw_rows import TableError
from stats.tables import Table

Reader = Callable[..., Table]


def whole_numbers(text: str) -> tuple[int, ...]:
    """`1,10,20` as numbers from 1."""
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"must be whole numbers from 1 like 1,10,20, not {text!r}")
    return numbers


def renaming(text: str) -> tuple[str, str]:
    """`other=canonical` as a pair; nothing after the sign drops the column."""
    name, sign, canonical = text.partition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"must be other=canonical, not {text!r}")
    return name, canonical


class Command(BaseCommand):
    help = "Agreement, judge audit, corrected score, pairwise and retrieval figures from a label file."

    def arguments(self, parser: CommandParser) -> None:
        analyses = parser.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")
        helps = {
            "agreement": "how far raters agree, per question",
            "audit": "a judge against experts, in sample and weighted by the design",
            "corrected": "the judge's score corrected by the experts' audit",
            "pairs": "win, loss, tie; strengths, ranks and position bias",
            "retrieval": "P@k, Hit@k and MRR@k of ranked lists",
        }
        for name, line in helps.items():
            self._common(analyses.add_parser(name, help=line))
        chosen = analyses.choices
        for name in ("agreement", "audit", "corrected", "pairs"):
            chosen[name].add_argument("--question", help="look at the labels of one question only")
        for name in ("agreement", "pairs"):
            chosen[name].add_argument("--rater-kind", choices=RATER_KINDS, help="labels of these raters only")
        chosen["pairs"].add_argument(
            "--system", action="append", default=[], help="only comparisons among these (repeat it)"
        )
        chosen["agreement"].add_argument("--level", choices=LEVELS, help="level of measurement of the values")
        for name in ("audit", "corrected"):
            chosen[name].add_argument("--positive", required=True, help="the value that counts as success")
        chosen["retrieval"].add_argument("--k", type=whole_numbers, default=DEFAULT_KS, help="like 1,10,20")

    def _common(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a label table, .csv or .jsonl")
        parser.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document"
        )
        parser.add_argument(
            "--map",
            action="append",
            type=renaming,
            default=[],
            metavar="OTHER=CANONICAL",
            help="read a column under another name; OTHER= drops it",
        )
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of every resampling")
        parser.add_argument("--confidence", type=float, default=0.95, help="level of the intervals")

    def run(self, **options: Any) -> dict[str, Any]:
        self.analysis: str = options["analysis"]
        try:
            settings = Options(
                seed=options["seed"],
                confidence=options["confidence"],
                question=options.get("question"),
                rater_kind=options.get("rater_kind"),
            )
            return self._document(settings, options)
        except TableError as refusal:
            raise CommandError(f"{options['file']}: {refusal}") from refusal
        except OSError as refusal:
            raise CommandError(f"{options['file']}: {refusal.strerror}") from refusal
        except ValueError as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse

    def _document(self, settings: Options, options: dict[str, Any]) -> dict[str, Any]:
        reader: Reader = read_rank_file if self.analysis == "retrieval" else read_label_file
        table = reader(options["file"], renaming=dict(options["map"]))
        if self.analysis == "agreement":
            return agreement_document(table, level=options["level"], options=settings)
        if self.analysis == "audit":
            return audit_document(table, positive=options["positive"], options=settings)
        if self.analysis == "corrected":
            return corrected_document(table, positive=options["positive"], options=settings)
        if self.analysis == "pairs":
            return pairs_document(table, options=settings, systems=options["system"])
        return retrieval_document(table, ks=options["k"], options=settings)

    def text(self, document: dict[str, Any]) -> str:
        writers = {
            "agreement": as_text.agreement_text,
            "audit": as_text.audit_text,
            "corrected": as_text.corrected_text,
            "pairs": as_text.pairs_text,
            "retrieval": as_text.retrieval_text,
        }
        return writers[self.analysis](document)
