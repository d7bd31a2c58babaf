"""manage.py published: a protocol's published figures next to ours."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.published.figures import recomputed
from stats.core.text import aligned

VERDICT_WORDS = {
    "reproduced": "reproduced",
    "differs": "differs",
    "not_recomputable": "cannot be recomputed",
}


class Command(TouchstoneCommand):
    help = "Recompute what a paper published: every figure next to ours, and the known discrepancies."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--protocol", required=True)

    def run(self, **options: Any) -> Mapping[str, Any]:
        return recomputed(options["protocol"])

    def text(self, document: Mapping[str, Any]) -> str:
        lines = [
            f"{document['paper']['title']} ({document['paper']['source']})",
            ", ".join(f"{count} {VERDICT_WORDS[verdict]}" for verdict, count in document["counts"].items()),
        ]
        for table in document["tables"]:
            lines.append(f"\n{table['where']}: {table['what']}")
            if table["needs"]:
                lines.append(f"  cannot be recomputed: needs {table['needs']}")
                continue
            figures = [(row["name"], figure) for row in table["rows"] for figure in row["figures"]]
            others = [
                (f"  {name}, {figure['figure']}", figure["published"], figure["ours"])
                for name, figure in figures
                if figure["verdict"] != "reproduced"
            ]
            lines.append(f"  {len(figures) - len(others)} of {len(figures)} reproduced")
            if others:
                lines.append(aligned(("  differs", "published", "ours"), others))
            lines += [f"  {row['name']}: {row['why']}" for row in table["rows"] if row["why"]]
        for known in document["discrepancies"]:
            lines.append(f"\nDiscrepancy, {known['where']} ({VERDICT_WORDS[known['verdict']]})")
            lines += [f"  {key}: {known[key]}" for key in ("published", "recomputed", "why", "needs")]
        return "\n".join(lines)
