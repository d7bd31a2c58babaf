"""The LaTeX sources of data/construction and what an independent scan found in them."""

import json
from functools import cache
from typing import Any

from latex import Flat, Outline, Span, flatten, outline
from tests.latex.real_data import DATA

FOLDER = DATA / "construction"
# Name of the ground truth: folder, main file, and what its documents' names begin with; of a paper, whose offsets are
# in the joined text, None.
SOURCES: dict[str, tuple[str, str, str | None]] = {
    "hott": ("book", "hott-online.tex", ""),
    "pfr": ("pfr/blueprint/src", "print.tex", "blueprint/src/"),
    "flt": ("FLT/blueprint/src", "print.tex", "blueprint/src/"),
    "paper-benning-crit": ("critical-points-gaussian-rf", "ms.tex", None),
    "paper-roetz22": ("PaperStrong22", "ms.tex", None),
}
Key = tuple[str, int, int]


@cache
def files_of(name: str) -> dict[str, str]:
    folder = FOLDER / "sources" / SOURCES[name][0]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@cache
def flat_of(name: str) -> Flat:
    return flatten(files_of(name), SOURCES[name][1])


@cache
def outline_of(name: str) -> Outline:
    return outline(flat_of(name), files_of(name))


def key_of(name: str, span: Span) -> Key:
    """A span as the ground truth has it. Its scan knows nothing of line ends that joining puts in."""
    flat, prefix = flat_of(name), SOURCES[name][2]
    if prefix is None:
        added = [piece.at for piece in flat.pieces if not piece.file]
        return (
            "",
            span.start - sum(at < span.start for at in added),
            span.end - sum(at < span.end for at in added),
        )
    places = flat.places(span.start, span.end)
    return prefix + places[0].file, places[0].start, places[-1].end


def truth(name: str, kind: str) -> dict[Key, dict[str, Any]]:
    """The rows of the ground truth ("statement" or "proof") about files that the main file inputs."""
    prefix = SOURCES[name][2]
    read = {(prefix or "") + piece.file for piece in flat_of(name).pieces}
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["type"] == kind]
    return {
        (row["doc"] if prefix is not None else "", row["start"], row["end"]): row
        for row in rows
        if prefix is None or row["doc"] in read
    }
