"""manage.py export_labels: the canonical label table on standard output, streamed."""

import json
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.core.downloads import table_lines
from reports.labels.comments import comment_rows, comment_table
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

        parser.add_argument("--comments", action="store_true", help="the comments on passages instead")

    def run(self, **options: Any) -> None:
        if options["comments"]:
            self._comments(**options)
            return
        rows = label_rows(release_named(options["release"]), campaign=options["campaign"])
        if options["blinded"]:
            rows = blinded(rows)
        for line in jsonl_lines(rows) if options["json"] else csv_lines(rows):
            self.stdout.write(line, ending="")

    def _comments(self, **options: Any) -> None:
        release, identities = release_named(options["release"]), not options["blinded"]
        rows = comment_rows(release, campaign=options["campaign"], identities=identities)
        if options["json"]:
            for row in rows:
                self.stdout.write(json.dumps(row, ensure_ascii=False))
            return
        for line in table_lines(comment_table(rows)):
            self.stdout.write(line, ending="")
