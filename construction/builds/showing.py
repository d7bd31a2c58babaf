"""A candidate as people look at it: its lines as experts see them, their strings, and where these are in the source."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from benchmark.protocol import InstanceRecord, Part
from benchmark.protocols import get_protocol
from benchmark.rendering.stored import Rendered, rendered_all
from construction.builds.emission import repaired_lines
from construction.builds.repairs import as_instances, editable
from construction.builds.strings import value_at
from construction.models import Candidate, Review, SourceFile

AROUND = 400  # characters of a file shown before and after a place
COLOURS = 8


@dataclass(frozen=True)
class ShownPart:
    """A titled part with its rendered text, as templates of instances expect it."""

    title: str
    collapsed: bool
    document: Rendered


@dataclass(frozen=True)
class ShownString:
    """A string of a line with its origin. `name` is what a review calls it; `colour` is that of its places."""

    name: str
    path: str
    text: str
    written_by: str
    program: str
    places: tuple[tuple[str, int, int], ...]
    colour: int
    can_be_repaired: bool


@dataclass(frozen=True)
class ShownLine:
    """A line: its parts as experts see them in an audit, or why it is not an instance; its strings."""

    number: int
    line: Mapping[str, Any]
    parts: tuple[ShownPart, ...]
    fault: str
    strings: tuple[ShownString, ...]


@dataclass(frozen=True)
class Segment:
    """A piece of a file. `strings` are the paths of those that it belongs to; the first gives the colour."""

    text: str
    strings: tuple[str, ...] = ()
    colour: int = 0
    start: int = 0


@dataclass(frozen=True)
class Excerpt:
    """A part of a file around places, with pieces in the order of the text."""

    path: str
    start: int
    end: int
    segments: tuple[Segment, ...]


def shown_lines(candidate: Candidate, live: Review | None) -> list[ShownLine]:
    """The lines of a candidate with the live repair done, rendered at one go."""
    protocol = candidate.paper.run.protocol
    lines = repaired_lines(candidate.lines, live.after if live else {})
    parts: list[list[Part]] = []
    faults: list[str] = []
    for record in as_instances(protocol, [one["line"] for one in lines]):
        if isinstance(record, InstanceRecord):
            parts.append(list(get_protocol(protocol).construction_parts(record.payload)))
            faults.append("")
        else:
            parts.append([])
            where = f"{record.field}: " if record and record.field else ""
            faults.append(f"{where}{record.reason}" if record else "the loader leaves it out")
    texts = [
        (part.text, part.text_format, f"l{number}-{place}-")
        for number, group in enumerate(parts)
        for place, part in enumerate(group)
    ]
    documents = iter(rendered_all(texts))
    found = []
    for number, (one, group, fault) in enumerate(zip(lines, parts, faults, strict=True)):
        shown = tuple(ShownPart(part.title, part.collapsed, next(documents)) for part in group)
        can_be_repaired = editable(one)
        strings = []
        for place, (path, origin) in enumerate(one["provenance"].items()):
            value = value_at(one["line"], path)
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            places = tuple(map(_place, origin["places"]))
            strings.append(
                ShownString(
                    f"{number}.{path}", path, text, origin["written_by"], origin["program"], places, place % COLOURS,
                    path in can_be_repaired,
                )
            )  # fmt: skip
        found.append(ShownLine(number, one["line"], shown, fault, tuple(strings)))
    return found


def excerpts(candidate: Candidate, lines: Sequence[ShownLine]) -> list[Excerpt]:
    """The files of the source around the candidate and around the places of its strings."""
    wanted: dict[str, list[tuple[int, int, str, int]]] = {}
    for path, start, end in map(_place, candidate.places):
        wanted.setdefault(path, []).append((start, end, "", 0))
    for line in lines:
        for string in line.strings:
            for path, start, end in string.places:
                wanted.setdefault(path, []).append((start, end, string.path, string.colour))
    files = SourceFile.objects.filter(source=candidate.paper.source, path__in=wanted)
    found = []
    for file in files.order_by("path"):
        spans = wanted[file.path]
        windows: list[tuple[int, int]] = []  # places that are near each other have one in common
        for start, end, _, _ in sorted(spans):
            begin, until = max(0, start - AROUND), min(len(file.text), end + AROUND)
            if windows and begin <= windows[-1][1]:
                windows[-1] = (windows[-1][0], max(windows[-1][1], until))
            else:
                windows.append((begin, until))
        for start, end in windows:
            inside = [span for span in spans if span[0] < end and span[1] > start and span[2]]
            cuts = {start, end, *(min(max(at, start), end) for span in inside for at in span[:2])}
            segments = []
            for cut, until in pairwise(sorted(cuts)):
                # A piece in several places has the colour of the shortest.
                covering = [span for span in inside if span[0] <= cut and until <= span[1]]
                covering.sort(key=lambda span: span[1] - span[0])
                names = tuple(dict.fromkeys(span[2] for span in covering))
                segments.append(Segment(file.text[cut:until], names, covering[0][3] if covering else 0, cut))
            found.append(Excerpt(file.path, start, end, tuple(segments)))
    return found


def _place(place: Any) -> tuple[str, int, int]:
    """A place as it was stored: a list, or an object with these names."""
    if isinstance(place, Mapping):
        return str(place["path"]), int(place["start"]), int(place["end"])
    path, start, end = place
    return str(path), int(start), int(end)
