"""manage.py import_labels: published or earlier labels, of experts, judges and adjudicators, from a label table."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.labels.importing import import_labels


class Command(TouchstoneCommand):
    help = "Import labels (CSV or JSONL, canonical label table). All or nothing; the same file twice is not a change."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--release", required=True)
        parser.add_argument("--comments", type=Path, help="the table of the labels' comments on passages")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def run(self, **options: Any) -> dict[str, object]:
        release = release_named(options["release"])
        report = import_labels(
            actor=None,
            path=options["file"],
            release=release,
            comments=options["comments"],
            dry_run=options["dry_run"],
        )
        return {
            "release": release.name,
            "expert_labels": report.expert_labels,
            "judge_labels": report.judge_labels,
            "decisions": report.decisions,
            "repeated": report.repeated,
            "comments": len(report.comments),
            "comments_without_their_place": sum(one.lost for one in report.comments),
            "new_grades": report.new_grades,
            "new_comments": report.new_comments,
            "waiting_in_quarantine": report.undecided,
            "new_verdicts": report.new_verdicts,
            "new_decisions": report.new_decisions,
            "campaigns": report.campaigns,
            "judges": report.judges,
            "changed": report.changed and not report.dry_run,
            "dry_run": report.dry_run,
        }
