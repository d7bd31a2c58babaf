"""manage.py score: the protocol's tables of one release, with intervals."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from reports.scores.document import score
from reports.scores.inputs import SEED, collect
from reports.scores.shape import Score
from reports.scores.text import score_text


class Command(TouchstoneCommand):
    help = "Scores of every system on a release: fixed judge, judge audit, audit-corrected, experts."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--track", default="raw")
        parser.add_argument("--judge", default="", help="judge version, needed when several have verdicts")
        parser.add_argument(
            "--condition", default="", help="condition of the runs, such as oracle; left out: the usual one"
        )
        parser.add_argument(
            "--tuple", default="", help="frozen tuple, needed when the runs of the track belong to several"
        )
        parser.add_argument("--seed", type=int, default=SEED, help="seed of the resampling intervals")

    def run(self, **options: Any) -> Score:
        release = release_named(options["release"])
        wanted = {name: options[name] for name in ("track", "judge", "seed", "condition")}
        return score(collect(release=release, frozen_tuple=options["tuple"], **wanted))

    def text(self, document: Score) -> str:
        return score_text(document)
