"""manage.py export_flags: what experts flagged as leaks, on standard output."""

import json
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.campaign.flagging import flag_label_rows
from reports.construction.leak_flags import flag_rows, flag_table
from reports.core.downloads import table_lines
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.rows import blinded


class Command(TouchstoneCommand):
    help = "Print the leakage flags of a release as CSV, one row per marked span (or JSON lines with --json)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--blinded", action="store_true", help="outputs under opaque names")
        parser.add_argument(
            "--labels",
            action="store_true",
            help="as a label table, flagged or not by kind and expert, to be analysed",
        )

    def run(self, **options: Any) -> None:
        release, identities = release_named(options["release"]), not options["blinded"]
        if options["labels"]:
            rows = flag_label_rows(release) if identities else blinded(flag_label_rows(release))
            for line in jsonl_lines(rows) if options["json"] else csv_lines(rows):
                self.stdout.write(line, ending="")
            return
        if options["json"]:
            for row in flag_rows(release, identities=identities):
                self.stdout.write(json.dumps(row, ensure_ascii=False))
            return
        for line in table_lines(flag_table(release, identities=identities)):
            self.stdout.write(line, ending="")
