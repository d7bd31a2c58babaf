"""A comparison of two artifacts in words, for the terminal."""

from collections.abc import Mapping
from typing import Any

from reports.artifact.fingerprints import short
from stats.core.text import aligned, interval, number, printable

SHOWN = 10  # entries of one kind; the JSON document has all of them


def comparison_text(document: Mapping[str, Any]) -> str:
    """Identities, changed inputs by part, and the scores that moved."""
    lines = []
    for side in ("left", "right"):
        one = document[side]
        named = ", ".join(
            printable(one[key]) for key in ("release", "track", "judge", "touchstone") if one[key]
        )
        lines.append(f"{side:>5}  {one['sha256'][:12]}  {named}")
    if document["equal"]:
        return "\n".join([*lines, "The two artifacts are equal."])
    for part, found in document["inputs"].items():
        lines.append(f"\n{part}: {counted(found)}")
        for kind, entries in found.items():
            for entry in entries[:SHOWN]:
                sides = [printable(short(entry[side], 60)) for side in ("left", "right") if side in entry]
                lines.append(f"  {kind}  {printable(entry['what'])}: {' -> '.join(sides)}")
            if len(entries) > SHOWN:
                lines.append(f"  ... and {len(entries) - SHOWN} more {kind}")
    lines.append("")
    if document["refused"]:
        lines.append(f"Scores are not compared: {printable(document['refused'])}")
    elif not document["scores"]:
        lines.append("No score differs.")
    else:
        rows = []
        for score in document["scores"]:
            cells = [score["what"]]
            for estimate in (score["left"], score["right"]):
                cells += [number(estimate["value"]), interval(estimate["ci"])] if estimate else ["none", ""]
            rows.append([*cells, number(score["change"])])
        lines.append(aligned(("score", "left", "", "right", "", "change"), rows))
    return "\n".join(lines)


def counted(found: Mapping[str, Any]) -> str:
    """Such as "2 added, 1 changed"."""
    return ", ".join(f"{len(entries)} {kind}" for kind, entries in found.items() if entries)
