"""manage.py compare_conditions --release NAME: all tracks and conditions of a release side by side."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.conditions.document import condition_document
from reports.conditions.page import condition_text
from reports.core.release_argument import release_called
from reports.scores.inputs import SEED


class Command(TouchstoneCommand):
    help = (
        "Show the runs of every system on all tracks and conditions of a release side by side, in the tables "
        "that its protocol declares, with the differences paired by instance."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument(
            "--judge", default="", help="a judge version; left out: the first that has verdicts"
        )
        parser.add_argument(
            "--tuple", default="", help="frozen tuple, needed when the runs belong to several"
        )
        parser.add_argument("--seed", type=int, default=SEED, help="seed of the resampling intervals")

    def run(self, **options: Any) -> dict[str, Any]:
        return condition_document(
            release_called(options["release"]),
            judge=options["judge"],
            frozen_tuple=options["tuple"],
            seed=options["seed"],
        )

    def text(self, document: dict[str, Any]) -> str:
        return condition_text(document)
