"""Published figures next to ours in words, for the terminal."""

from collections.abc import Mapping
from typing import Any

from stats.core.text import aligned

VERDICT_WORDS = {
    "reproduced": "reproduced",
    "differs": "differs",
    "not_recomputable": "cannot be recomputed",
}


def published_text(document: Mapping[str, Any]) -> str:
    """The paper, the counts, every figure that is not simply reproduced, and the discrepancies."""
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
