"""A comparison of two artifacts in words, for the terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.artifact.fingerprints import short
from stats.core.text import aligned, interval, number, printable

SHOWN = 10  # entries of one kind; the JSON document has all of them


def comparison_text(document: Mapping[str, Any]) -> str:
    """Identities, changed inputs by part, and the scores that moved."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    for side in ("left", "right"):
        one = document[side]
        named = ", ".join(
            printable(one[key]) for key in ("release", "track", "judge", "touchstone") if one[key]
        )
        yield f"{side:>5}  {one['sha256'][:12]}  {named}"
    if document["equal"]:
        yield "The two artifacts are equal."
        return
    for part, found in document["inputs"].items():
        yield f"\n{part}: {counted(found)}"
        for kind, entries in found.items():
            yield from (f"  {kind}  {_entry(entry)}" for entry in entries[:SHOWN])
            if len(entries) > SHOWN:
                yield f"  ... and {len(entries) - SHOWN} more {kind}"
    yield ""
    if document["refused"]:
        yield f"Scores are not compared: {printable(document['refused'])}"
    elif not document["scores"]:
        yield "No score differs."
    else:
        yield aligned(("score", "left", "", "right", "", "change"), list(map(_row, document["scores"])))


def counted(found: Mapping[str, Any]) -> str:
    """Such as "2 added, 1 changed"."""
    return ", ".join(f"{len(entries)} {kind}" for kind, entries in found.items() if entries)


def _entry(entry: Mapping[str, Any]) -> str:
    sides = [printable(short(entry[side], 60)) for side in ("left", "right") if side in entry]
    return f"{printable(entry['what'])}: {' -> '.join(sides)}"


def _row(score: Mapping[str, Any]) -> list[str]:
    cells = [score["what"]]
    for side in ("left", "right"):
        estimate = score[side]
        cells += [number(estimate["value"]), interval(estimate["ci"])] if estimate else ["none", ""]
    return [*cells, number(score["change"])]
