"""manage.py compare_artifacts A.json B.json: what differs between two frozen scores, and what that did."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.artifact.comparison_text import comparison_text
from reports.artifact.differences import Comparison, compare, read_comparable
from reports.artifact.verification import read_file


class Command(TouchstoneCommand):
    help = "Compare two artifacts: changed inputs, judge, designs and code, and every score that moved."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("left", type=Path)
        parser.add_argument("right", type=Path)

    def run(self, **options: Any) -> Comparison:
        return compare(_comparable(options["left"]), _comparable(options["right"]))

    def text(self, document: Mapping[str, Any]) -> str:
        return comparison_text(document)


def _comparable(path: Path) -> Mapping[str, Any]:
    try:
        return read_comparable(read_file(path))
    except Refused as refusal:
        raise Refused(f"{path}: {refusal.reason}", code=refusal.code, field=refusal.field) from refusal
