"""The bibliography of a source: what BibTeX or biber made of it, amsrefs, and the .bib files for what is left."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from latex.reading.record import Entry
from latex.structure.flat import Flat, Place

_BIB_ENTRY = re.compile(r"@\s*(?P<type>[A-Za-z]+)\s*[{(]\s*(?P<key>[^\s,{}()=]+)\s*,")
_AMSREFS = re.compile(r"\\bib\*?\s*\{(?P<key>[^{}]+)\}\s*\{(?P<type>[^{}]*)\}\s*\{")
_BIBER = re.compile(r"\\entry\{(?P<key>[^{}]+)\}\{(?P<type>[^{}]*)\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NO_WORK = frozenset(("comment", "string", "preamble"))


@dataclass(frozen=True)
class Reference:
    """An entry: its key, the label it is printed with ("" where a style would make one), its source and place.

    `form` is "bibitem", "amsrefs", "biber" or "bib". Of a .bib file, only what is cited is taken.
    """

    key: str
    label: str
    form: str
    text: str
    places: tuple[Place, ...]


def bibliography(
    flat: Flat, files: Mapping[str, str], entries: list[Entry], cited: set[str]
) -> tuple[Reference, ...]:
    """Every entry once: the first of two with one key stays, and what is in the document goes before .bib files."""
    found: dict[str, Reference] = {}
    for entry in entries:
        text = flat.text[entry.start : entry.end].rstrip()
        places = tuple(flat.places(entry.start, entry.start + len(text)))
        found.setdefault(entry.key, Reference(entry.key, entry.label, "bibitem", text, places))
    amsrefs = list(_AMSREFS.finditer(flat.text))
    for index, match in enumerate(amsrefs):
        limit = amsrefs[index + 1].start() if index + 1 < len(amsrefs) else len(flat.text)
        end = _closed(flat.text, match.end(), limit)
        places = tuple(flat.places(match.start(), end))
        made = Reference(match["key"], "", "amsrefs", flat.text[match.start() : end], places)
        found.setdefault(match["key"], made)
    for name, text in files.items():
        if name.endswith(".bbl"):
            for match in _BIBER.finditer(text):
                end = text.find("\\endentry", match.end())
                end = end + len("\\endentry") if end >= 0 else match.end()
                place = Place(name, match.start(), end)
                made = Reference(match["key"], "", "biber", text[match.start() : end], (place,))
                found.setdefault(match["key"], made)
    for name in flat.bibliographies:
        text = files[name]
        works = [match for match in _BIB_ENTRY.finditer(text) if match["type"].lower() not in _NO_WORK]
        for index, match in enumerate(works):
            if (key := match["key"]) in cited and key not in found:
                # An entry that never closes ends where the next one begins.
                limit = works[index + 1].start() if index + 1 < len(works) else len(text)
                end = _closed(text, match.end(), limit)
                entry_text = text[match.start() : end].rstrip()
                place = Place(name, match.start(), match.start() + len(entry_text))
                found[key] = Reference(key, "", "bib", entry_text, (place,))
    return tuple(found.values())


def _closed(text: str, at: int, limit: int) -> int:
    """Where the group in which `at` is closes, else `limit`."""
    depth = 1
    for brace in _BRACE.finditer(text, at, limit):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.end()
    return limit
