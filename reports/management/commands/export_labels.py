"""manage.py export_labels: the canonical label table on standard output, streamed."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.rows import blinded, label_rows


class Command(TouchstoneCommand):
    help = "Print all labels of a release, or of one campaign, as CSV (or JSON lines with --json)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--campaign", default="", help="only this campaign's expert labels")
        parser.add_argument(
            "--blinded", action="store_true", help="expert labels only, without anything that names a system"
        )

    def run(self, **options: Any) -> None:
        rows = label_rows(release_named(options["release"]), campaign=options["campaign"])
        if options["blinded"]:
            rows = blinded(rows)
        for line in jsonl_lines(rows) if options["json"] else csv_lines(rows):
            self.stdout.write(line, ending="")
