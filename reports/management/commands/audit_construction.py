"""manage.py audit_construction: the program's items of the construction audit, over a whole release."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from canonical.documents import as_json
from judging.asking.subjects import instance_of
from judging.programs.construction import audit_construction
from reports.construction.document import chosen_findings, construction, newest_audit
from reports.construction.raters import raters
from stats.core.text import aligned, interval, number


class Command(TouchstoneCommand):
    help = (
        "Ask the protocol's program about every instance of a release and print what it found: citations that "
        "leak through the anchor, malformed metadata, contexts and sources to look at. Asked again, it stores "
        "nothing new."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument(
            "--judge",
            default="",
            help="the judge version shown next to it; if left out, the newest that was asked",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        release = release_named(options["release"])
        report = audit_construction(actor=None, release=release)
        found = chosen_findings(release, newest_audit(release), {"value": "no"})
        return {
            **as_json(construction(release)),
            "new": report.new,
            "raters": as_json(raters(release, options["judge"]).agreement()),
            "findings": [
                {
                    "instance": instance_of(row).key,
                    "item": row.predicate,
                    "reason": row.reason,
                    **row.evidence,
                }
                for row in found
            ],
        }

    def text(self, document: dict[str, Any]) -> str:
        judge, instances, new = document["judge"], document["instances"], document["new"]
        lines = [f"{document['release']}: {judge} about {instances} instances, {new} new verdicts", ""]
        lines += [_line(item) for item in document["items"]]
        lines += ["", *_raters(document["raters"])]
        lines += ["", *(f"{row['instance']}  {row['item']}: {row['reason']}" for row in document["findings"])]
        return "\n".join(lines)


def _line(item: dict[str, Any]) -> str:
    if item["by"] != "program":
        return f"{item['title']}: needs a person"
    counts = ", ".join(f"{number} {value}" for value, number in item["counts"].items() if number)
    fault = item["fault"]
    if fault["value"] is None:
        return f"{item['title']}: no instances"
    low, high = (100 * end for end in fault["ci"])
    return f"{item['title']}: {counts}; at fault {100 * fault['value']:.1f} % [{low:.1f}, {high:.1f}]"


def _raters(found: dict[str, Any]) -> Iterator[str]:
    """Every two raters with instances in common, item by item."""
    yield f"Program, {found['judge'] or 'judge (none was asked)'} and experts side by side"
    rows = [
        [
            item["key"],
            " and ".join(pair["raters"]),
            pair["compared"],
            pair["differing"],
            number(pair["percent"]["value"]),
            number(pair["cohen_kappa"]["value"]),
            interval(pair["cohen_kappa"]["ci"]),
        ]
        for item in found["items"]
        for pair in item["pairs"]
        if pair["compared"]
    ]
    yield aligned(("item", "raters", "compared", "differ", "agreement", "kappa", "interval"), rows)
    for item in found["items"]:
        if item["standings"]["contradiction"]:
            yield f"{item['key']}: {item['standings']['contradiction']} instances with a yes against a no"
