"""manage.py plan_audit strata FILE | release NAME | agreement A B C D | comparison P1 P2 PSI | proportion P H"""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as BaseCommand
from reports.audit.request import audit_document, audit_request
from reports.core.release_argument import release_called
from reports.planning.text import plan_text
from stats.analyses import plans
from stats.tables.columns import form_of
from stats.tables.pilot import pilot_from_text
from stats.tables.raw_rows import TableError
from stats.tables.strata import read_strata


def share(text: str) -> float:
    """`0.07` or `7%` as a share."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1 or a percentage, not {text!r}")
    return value


class Command(BaseCommand):
    help = "How many audits, items or comparisons a question needs, and what they can find out."

    def arguments(self, parser: CommandParser) -> None:
        about = parser.add_subparsers(dest="about", required=True, metavar="ABOUT")
        strata = about.add_parser("strata", help="a table of strata: name, size, guess, hours, judge, sample")
        strata.add_argument("file", type=Path)
        strata.add_argument("--total", type=int, required=True, help="audits to spend")
        release = about.add_parser("release", help="the strata that a judge makes of a release")
        release.add_argument("name")
        add_audit_arguments(release)
        agreement = about.add_parser("agreement", help="kappa, from a pilot of two raters")
        agreement.add_argument("pilot", type=int, nargs=4, metavar=("BOTH_YES", "FIRST", "SECOND", "BOTH_NO"))
        agreement.add_argument("--items", type=int, required=True)
        comparison = about.add_parser("comparison", help="two systems on the same items")
        comparison.add_argument("shares", type=share, nargs=3, metavar=("P1", "P2", "DISCORDANCE"))
        comparison.add_argument("--power", type=share, default=0.8)
        comparison.add_argument("--cluster-size", type=float, default=1.0, help="items per problem or paper")
        comparison.add_argument(
            "--correlation", type=share, default=0.0, help="of the difference within these"
        )
        comparison.add_argument(
            "--pilot", type=Path, help="instead: per cluster a line of items, only first, only second"
        )
        proportion = about.add_parser("proportion", help="one share")
        proportion.add_argument("p", type=share)
        proportion.add_argument("--population", type=int)
        proportion.add_argument("--half-width", type=share, required=True)
        for parser_of in (strata, release, agreement):
            parser_of.add_argument("--half-width", type=share, help="say also how many this takes")
        for parser_of in about.choices.values():
            parser_of.add_argument("--json", action="store_true", default=argparse.SUPPRESS)

    def run(self, **options: Any) -> dict[str, Any]:
        self.about: str = options["about"]
        file = options.get("file") or options.get("pilot")
        try:
            return self._plan(options)
        except TableError as refusal:
            raise CommandError(f"{file}: {refusal}") from refusal
        except OSError as refusal:
            raise CommandError(f"{file}: {refusal.strerror}") from refusal
        except ValueError as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse

    def _plan(self, options: dict[str, Any]) -> dict[str, Any]:
        half_width = options.get("half_width")
        if self.about == "strata":
            path: Path = options["file"]
            with path.open("rb") as stream:
                table = read_strata(stream, form=form_of(path))
            return plans.strata_plan(
                table.strata, options["total"], half_width=half_width, custom=table.sampled
            )
        if self.about == "release":
            plan = audit_request(options).plan(release_called(options["name"]))
            return audit_document(plan, half_width)
        if self.about == "agreement":
            both, first, second, neither = options["pilot"]
            pilot = ((both, first), (second, neither))
            return plans.agreement_plan(pilot, options["items"], half_width=half_width)
        if self.about == "comparison":
            clusters: Path | None = options["pilot"]
            return plans.comparison_plan(
                *options["shares"],
                power=options["power"],
                cluster_size=options["cluster_size"],
                correlation=options["correlation"],
                pilot=pilot_from_text(clusters.read_text("utf-8")) if clusters else (),
            )
        return plans.proportion_plan(options["p"], options["half_width"], population=options["population"])

    def text(self, document: dict[str, Any]) -> str:
        return plan_text(self.about, document)


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """What plan_audit and draw_audit share; they mean the same audit when they get the same arguments."""
    parser.add_argument("--track", default="raw")
    parser.add_argument("--judge", default="", help="judge version, needed when several have verdicts")
    parser.add_argument("--strata", default="system/bucket", help="system/bucket or bucket")
    parser.add_argument(
        "--allocation",
        default="per_stratum",
        help="per_stratum, proportional, neyman, equal or custom",
    )
    parser.add_argument("--per-stratum", type=int, default=5)
    parser.add_argument("--total", type=int, help="for proportional, neyman and equal")
    parser.add_argument("--sizes", nargs="*", default=[], metavar="STRATUM=N", help="for custom")
    parser.add_argument("--refuted", type=share, default=0.1, help="share of the judge's yes that is wrong")
    parser.add_argument("--missed", type=share, default=0.05, help="share of everything else that is right")
    parser.add_argument("--hours", type=float, default=1.0, help="work per audited output")
    parser.add_argument("--bucket", action="append", dest="buckets", help="only this one (repeat it)")
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="CAMPAIGN", help="leave out what it has drawn"
    )
