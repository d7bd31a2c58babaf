"""manage.py campaign_monitoring SLUG: signs that a reviewer's grades deserve a second look."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from reports.campaign.results import reviewers_document
from stats.core.text import aligned, number, printable


class Command(TouchstoneCommand):
    help = "Severity, drift, agreement and time of a campaign's reviewers, in the order of names; never a ranking."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return reviewers_document(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    head = ("reviewer", "graded", "shared", "median seconds", "slow", "fast", "unread")
    yield aligned(head, [_reviewer(row) for row in document["reviewers"]])
    for row in document["reviewers"]:
        for sign in row["signs"]:
            yield f"{printable(row['reviewer'])}: {printable(sign)}"
    if document["anchoring"]:
        words = ("visible", "hidden", "difference")
        rows = [[name, *_interval(document["anchoring"][name])] for name in words]
        yield aligned(("agrees with the verdict", "share", "from", "to"), rows)


def _interval(estimate: dict[str, Any]) -> list[object]:
    low, high = estimate["ci"] or (None, None)
    return [number(estimate["value"]), number(low), number(high)]


def _reviewer(row: dict[str, Any]) -> list[object]:
    time = row["time"]
    counts = [time[key] for key in ("slow", "fast", "unread")]
    return [row["reviewer"], row["graded"], row["overlap"], number(time["median_seconds"], places=0), *counts]
