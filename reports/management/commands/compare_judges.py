"""manage.py compare_judges --release NAME: two judges, or two versions of one, on the same outputs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.core.release_argument import chosen_track, track_arguments
from reports.judges.choosing import two_judges
from stats.core.text import aligned, interval, number

_COEFFICIENTS = (("percent", "agreement"), ("cohen_kappa", "Cohen's kappa"), ("gwet_ac1", "Gwet's AC1"))


class Command(TouchstoneCommand):
    help = "Compare two judges of a track: what each said, agreement, kappa, and every disagreement."

    def arguments(self, parser: CommandParser) -> None:
        track_arguments(parser)
        parser.add_argument("--against", default="", help="the other judge version; left out: the next one")
        parser.add_argument("--predicate", default="", help="list disagreements about this predicate only")

    def run(self, **options: Any) -> dict[str, Any]:
        chosen = chosen_track(options)
        both = two_judges(chosen, options["against"])
        if both is None:
            raise Refused(
                f"There are no two judges with verdicts on {chosen.release.name} ({chosen.track}).",
                code="no_two_judges",
            )
        found = both.differing(options["predicate"])
        return {**both.document(), "differing": [asdict(each) for each in found]}

    def text(self, document: dict[str, Any]) -> str:
        return "\n".join(_lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    first, second = (judge["label"] for judge in document["judges"])
    yield f"{document['release']} ({document['track']}): {first} in rows, {second} in columns"
    for found in document["predicates"]:
        yield f"\n{found['predicate']}: {found['compared']} outputs compared, {found['differing']} differ"
        left_out = [f"{n} {reason}" for reason, n in found["left_out"].items() if n]
        if left_out:
            yield f"left out: {', '.join(left_out)}"
        lines = zip(found["values"], found["table"], strict=True)
        yield aligned(("", *found["values"]), [[value, *counts] for value, counts in lines])
        rows = [
            [title, number(found[key]["value"]), interval(found[key]["ci"])] for key, title in _COEFFICIENTS
        ]
        yield aligned(("coefficient", "value", "interval"), rows)
    if document["differing"]:
        yield ""
        rows = [
            [row["subject"], row["predicate"], row["first"], row["second"]] for row in document["differing"]
        ]
        yield aligned(("output", "predicate", first, second), rows)
