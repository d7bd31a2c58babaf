"""manage.py audit_construction: the program's items of the construction audit, over a whole release."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from canonical.documents import as_json
from judging.asking.subjects import instance_of
from judging.programs.construction import audit_construction
from reports.construction.document import chosen_findings, construction, newest_audit
from reports.construction.raters import raters
from stats.core.display import rounded_percent
from stats.core.text import aligned, counted, interval, number


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

    def run(self, **options: Any) -> dict[str, object]:
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

    def text(self, document: Mapping[str, Any]) -> str:
        about, new = counted(document["instances"], "instance"), counted(document["new"], "new verdict")
        lines = [f"{document['release']}: {document['judge']} about {about}, {new}", ""]
        for item in document["items"]:
            fault = item["fault"]
            if item["by"] != "program":
                lines.append(f"{item['title']}: needs a person")
            elif fault["value"] is None:
                lines.append(f"{item['title']}: no instances")
            else:
                counts = ", ".join(f"{count} {value}" for value, count in item["counts"].items() if count)
                low, high = (rounded_percent(end) for end in fault["ci"])
                share = f"{rounded_percent(fault['value'])} % [{low}, {high}]"
                lines.append(f"{item['title']}: {counts}; at fault {share}")
        found, rows = document["raters"], []
        lines += ["", f"Program, {found['judge'] or 'judge (none was asked)'} and experts side by side"]
        shares = [
            (
                item["key"],
                rater,
                f"{share['k']:.0f}/{share['n']}",
                number(share["value"]),
                interval(share["ci"]),
            )
            for item in found["items"]
            for rater, share in item["passed"].items()
            if share["n"]
        ]
        lines += [aligned(("item", "rater", "yes", "share", "interval"), shares), ""]
        for item in found["items"]:
            for pair in item["pairs"]:
                if pair["compared"]:
                    kappa = pair["cohen_kappa"]
                    compared = [pair["compared"], pair["differing"], number(pair["percent"]["value"])]
                    agreement = [number(kappa["value"]), interval(kappa["ci"])]
                    rows.append([item["key"], " and ".join(pair["raters"]), *compared, *agreement])
        head = ("item", "raters", "compared", "differ", "agreement", "kappa", "interval")
        lines.append(aligned(head, rows))
        for item in found["items"]:
            if item["standings"]["contradiction"]:
                against = counted(item["standings"]["contradiction"], "instance")
                lines.append(f"{item['key']}: {against} with a yes against a no")
        lines += ["", *(f"{row['instance']}  {row['item']}: {row['reason']}" for row in document["findings"])]
        return "\n".join(lines)
