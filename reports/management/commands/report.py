"""manage.py report: the score, and the items with their comments if asked, as one PDF file or a ZIP of them."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from annotation.core.queries import campaign_called
from annotation.core.visibility import Viewer
from benchmark.releases.queries import release_named
from reports.models import ReportPer
from reports.printing.report import ReportOrder, print_report


class Command(TouchstoneCommand):
    help = (
        "Print a report as PDF. Its items are blinded unless --identities is given; the score names systems."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument(
            "--campaign", default="", help="only this campaign's items, and the score of its track"
        )
        parser.add_argument(
            "--track", default="", help="without a campaign: raw, or the first track there is"
        )
        parser.add_argument(
            "--condition", default="", help="of the runs; left out: the usual one, and items of all"
        )
        parser.add_argument(
            "--tuple", default="", help="frozen tuple, needed when the runs of the track belong to several"
        )
        parser.add_argument("--judge", default="", help="a judge version; the first that has verdicts")
        parser.add_argument(
            "--items", action="store_true", help="add every item with its comments and grades"
        )
        parser.add_argument("--no-score", action="store_true", help="items alone, so that no system is named")
        parser.add_argument("--identities", action="store_true", help="name systems and graders at the items")
        parser.add_argument(
            "--per",
            choices=ReportPer.values,
            default="",
            help="a ZIP with one file for each; items without the score",
        )
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def run(self, **options: Any) -> dict[str, str | int]:
        release = release_named(options["release"])
        campaign = campaign_called(options["campaign"]) if options["campaign"] else None
        if campaign and campaign.release_id != release.pk:
            raise Refused(
                f"Campaign {campaign.slug} belongs to release {campaign.release.name}.", code="other_release"
            )
        order = ReportOrder(
            release,
            campaign,
            track=options["track"],
            condition=options["condition"],
            judge=options["judge"],
            frozen_tuple=options["tuple"],
            score=not (options["no_score"] or options["per"]),
            items=bool(options["items"] or options["per"]),
            per=options["per"],
            identities=options["identities"],
        )
        out: Path = options["out"]
        to_device = out.exists() and not out.is_file()  # /dev/stdout, for example
        part = out if to_device else out.with_name(f".{out.name}.part")
        try:
            made = print_report(order, Viewer.STAFF, part, self._progress)
            if not to_device:
                part.replace(out)
        except OSError as error:
            raise Refused(f"{out} cannot be written: {error.strerror}", code="no_file") from error
        finally:  # an interrupted ZIP would open, with some of its files
            if not to_device:
                part.unlink(missing_ok=True)
        return {"file": str(options["out"]), "pages": made.pages, "items": made.items}

    def _progress(self, done: int, total: int) -> None:
        if total and sys.stderr.isatty():
            self.stderr.write(f"\r{done} of {total} items", ending="" if done < total else "\n")
