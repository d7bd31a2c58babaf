"""manage.py compare_systems --release NAME: every two systems on the same items."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.comparison.document import comparison_document
from reports.core.outcomes import chosen_kind, outcomes
from reports.core.release_argument import chosen_inputs, track_arguments
from stats.core.text import aligned, interval, number


class Command(TouchstoneCommand):
    help = (
        "Compare the systems of a track on the items they share: differences, tests with Holm, Cochran's Q."
    )

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser)
        parser.add_argument(
            "--outcome",
            default="",
            help="measure:KEY, judge:METRIC or CAMPAIGN:QUESTION; left out: the first there is",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        inputs = chosen_inputs(options)
        kind = chosen_kind(inputs, options["outcome"])
        return comparison_document(outcomes(inputs, kind), seed=inputs.seed)

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['outcome']['title']} ({document['outcome']['key']}), seed {document['seed']}"
    systems = [_system(name, found["estimate"]) for name, found in document["systems"].items()]
    yield aligned(("system", "value", "interval", "successes", "n"), systems)
    test = document["omnibus"]
    told = test["reason"] or f"{number(test['q'])}, df {test['df']}, p {number(test['p'])} ({test['method']})"
    yield f"\nCochran's Q over {test['n']} items: {told}"
    head = (
        "pair",
        "difference",
        "interval",
        "for all pairs",
        "n",
        "clusters",
        "first only",
        "second only",
        "p",
        "Holm p",
        "interval by",
        "test by",
    )
    yield aligned(head, [_pair(pair) for pair in document["pairs"]])


def _system(name: str, estimate: dict[str, Any]) -> list[object]:
    return [name, number(estimate["value"]), interval(estimate["ci"]), estimate["k"], estimate["n"]]


def _pair(pair: dict[str, Any]) -> list[object]:
    difference, cells, test = pair["difference"], pair["cells"], pair["test"]
    return [
        f"{pair['first']} - {pair['second']}",
        number(difference["value"]),
        interval(difference["ci"]),
        interval(pair["simultaneous"]["ci"]),
        pair["n"],
        test["clusters"],
        cells["first_only"],
        cells["second_only"],
        number(test["p"]),
        number(test["holm"]),
        difference["method"],
        test["method"],
    ]
