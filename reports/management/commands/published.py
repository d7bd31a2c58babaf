"""manage.py published: a protocol's published figures next to ours."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.published.recomputing import recomputed
from reports.published.words import published_text


class Command(TouchstoneCommand):
    help = "Recompute what a paper published: every figure next to ours, and the known discrepancies."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--protocol", required=True)

    def run(self, **options: Any) -> Mapping[str, Any]:
        return recomputed(options["protocol"])

    def text(self, document: Mapping[str, Any]) -> str:
        return published_text(document)
