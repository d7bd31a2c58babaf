"""Published figures next to ours in words, for the terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from stats.core.text import aligned

VERDICT_WORDS = {
    "reproduced": "reproduced",
    "differs": "differs",
    "not_recomputable": "cannot be recomputed",
}


def published_text(document: Mapping[str, Any]) -> str:
    """The paper, the counts, every figure that is not simply reproduced, and the discrepancies."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"{document['paper']['title']} ({document['paper']['source']})"
    yield ", ".join(f"{count} {VERDICT_WORDS[verdict]}" for verdict, count in document["counts"].items())
    for table in document["tables"]:
        yield f"\n{table['where']}: {table['what']}"
        if table["needs"]:
            yield f"  cannot be recomputed: needs {table['needs']}"
            continue
        figures = [(row["name"], figure) for row in table["rows"] for figure in row["figures"]]
        others = [
            (f"  {name}, {figure['figure']}", figure["published"], figure["ours"])
            for name, figure in figures
            if figure["verdict"] != "reproduced"
        ]
        yield f"  {len(figures) - len(others)} of {len(figures)} reproduced"
        if others:
            yield aligned(("  differs", "published", "ours"), others)
        yield from (f"  {row['name']}: {row['why']}" for row in table["rows"] if row["why"])
    for known in document["discrepancies"]:
        yield f"\nDiscrepancy, {known['where']} ({VERDICT_WORDS[known['verdict']]})"
        yield from (f"  {key}: {known[key]}" for key in ("published", "recomputed", "why", "needs"))
