"""manage.py campaign_question SLUG QUESTION: the reliability of one question of a campaign."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.core.queries import campaign_called
from reports.campaign.results import question_document
from stats.core.text import ESTIMATE_HEADER, aligned, estimate_row, number, printable


class Command(TouchstoneCommand):
    help = "Every agreement coefficient of one question, every value of its scale and every pair of experts."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("question", metavar="QUESTION", help="a question of its rubric")

    def run(self, **options: Any) -> dict[str, Any]:
        return question_document(campaign_called(options["slug"]), options["question"])

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['question']}: {printable(document['text'])}"
    yield f"{document['n_labels']} labels of {document['n_raters']} experts on {document['n_items']} outputs\n"
    yield aligned(
        ESTIMATE_HEADER, [estimate_row(key, found) for key, found in document["coefficients"].items()]
    )
    values = [
        [row["value"], row["n"], *map(number, (row["share"], row["agreement"]))] for row in document["values"]
    ]
    yield f"\n{aligned(('value', 'n', 'share', 'agreement'), values)}"
    if document["pairs"]:
        pairs = [estimate_row(" / ".join(pair["raters"]), pair["cohen_kappa"]) for pair in document["pairs"]]
        yield f"\nCohen's kappa of two experts\n{aligned(ESTIMATE_HEADER, pairs)}"
    if document["pairs_dropped"]:
        yield f"{len(document['pairs_dropped'])} pairs share fewer than {document['least_overlap']} outputs."
