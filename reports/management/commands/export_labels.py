"""manage.py export_labels: labels, comments or flags of a release on standard output, streamed."""

import json
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.releases.queries import release_named
from reports.campaign.flagging import flag_label_rows
from reports.construction.leak_flags import flag_rows, flag_table
from reports.core.downloads import table_lines
from reports.labels.comments import comment_rows, comment_table
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.rows import blinded, label_rows


class Command(TouchstoneCommand):
    help = "Print all labels of a release, or of one campaign, as CSV (or JSON lines with --json)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--campaign", default="", help="only this campaign's expert labels or comments")
        parser.add_argument(
            "--blinded", action="store_true", help="expert labels only, without anything that names a system"
        )
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument("--comments", action="store_true", help="the comments on passages instead")
        instead.add_argument(
            "--flags", action="store_true", help="what experts flagged as leaks, one row per marked span"
        )
        instead.add_argument(
            "--flag-labels",
            action="store_true",
            help="flagged or not by kind and expert, as a label table to be analysed",
        )

    def run(self, **options: Any) -> None:
        release, identities = release_named(options["release"]), not options["blinded"]
        if options["campaign"] and (options["flags"] or options["flag_labels"]):
            raise Refused("Flags are printed for all campaigns together.", field="campaign")
        if options["comments"] or options["flags"]:
            if options["comments"]:
                rows = comment_rows(release, campaign=options["campaign"], identities=identities)
                table = comment_table(rows)
            else:
                rows = flag_rows(release, identities=identities)
                table = flag_table(rows)
            texts = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            for line in texts if options["json"] else table_lines(table):
                self.stdout.write(line, ending="")
            return
        if options["flag_labels"]:
            labels = flag_label_rows(release)
        else:
            labels = label_rows(release, campaign=options["campaign"])
        if options["blinded"]:
            labels = blinded(labels)
        for line in jsonl_lines(labels) if options["json"] else csv_lines(labels):
            self.stdout.write(line, ending="")
