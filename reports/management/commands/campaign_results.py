"""manage.py campaign_results SLUG: the progress of a campaign and how far its experts agree."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from reports.campaign.results import campaign_results_document
from stats.core.text import ESTIMATE_HEADER, aligned, estimate_row, printable


class Command(TouchstoneCommand):
    help = "Progress, coverage of the domains and agreement of a campaign's experts. No system is named."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")

    def run(self, **options: Any) -> dict[str, Any]:
        return campaign_results_document(campaign_called(options["slug"]))

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    submitted = sum(day["submitted"] for day in document["days"])
    yield f"{document['campaign']} is {document['phase']}: {submitted} of {document['wanted']} places submitted."
    for domain, states in document["domains"].items():
        yield f"  {printable(domain) or 'no domain'}: {', '.join(f'{n} {state}' for state, n in states.items())}"
    for key, bundle in document["agreement"].items():
        yield f"\n{key}: {bundle['n_labels']} labels of {bundle['n_raters']} experts on {bundle['n_items']} outputs"
        rows = [estimate_row(name, found) for name, found in bundle["coefficients"].items()]
        yield aligned(ESTIMATE_HEADER, rows)
