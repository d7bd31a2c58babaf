"""Flags of leakage as a reviewer sends them, checked. Pure: content and what was shown in, flags out.

A flag is {"kind", "spans": [{"block", "start", "end"}], "link", "note"}. Offsets count code points in the source
of a block, as those of comments do.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchmark.leakage_kinds import FLAG_KINDS, Subject

MAX_FLAGS = 50
MAX_SPANS = 50
MAX_LINK = 500
MAX_NOTE = 2000


@dataclass(frozen=True)
class FlagPlace:
    """A block in which a flag can mark text. `side` is first or second for the proofs of a pair."""

    block: str
    subject: Subject
    title: str
    source: str
    side: str = ""


@dataclass(frozen=True)
class CheckedSpan:
    """Source offsets [start, end) of a block, with the text between them."""

    block: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class CheckedFlag:
    """One flag. `side` says which proof of a pair is meant."""

    kind: str
    spans: tuple[CheckedSpan, ...]
    link: str = ""
    note: str = ""
    side: str = ""


def checked_flags(
    raw: list[Any], places: Mapping[str, FlagPlace], kinds: Collection[str], problems: dict[str, str]
) -> list[CheckedFlag]:
    """The flags in `raw`; what cannot be kept goes into `problems` under "flags".

    `places` maps the ids of all shown blocks; `kinds` are those that the protocol knows.
    """
    if len(raw) > MAX_FLAGS:
        problems["flags"] = f"There can be at most {MAX_FLAGS} flags on one item."
        return []
    flags = []
    for number, value in enumerate(raw, start=1):
        try:
            flags.append(_flag(value, places, kinds))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            problems["flags"] = f"Flag {number} cannot be kept: {error}."
    return flags


def _flag(raw: Mapping[str, Any], places: Mapping[str, FlagPlace], kinds: Collection[str]) -> CheckedFlag:
    kind = FLAG_KINDS.get(str(raw["kind"]))
    if kind is None or kind.key not in kinds:
        raise ValueError("its kind is unknown here")
    marked = raw.get("spans", [])
    if not isinstance(marked, list) or len(marked) > MAX_SPANS:
        raise ValueError(f"its spans must be a list of at most {MAX_SPANS}")
    spans = []
    for span in marked:
        place = places.get(str(span["block"]))
        if place is None:
            raise ValueError("its place is not on this page")
        if place.subject != kind.subject:
            where = "problem" if kind.subject == "instance" else "answer"
            raise ValueError(f"“{kind.words}” is about the {where}; mark text there")
        start, end = int(span["start"]), int(span["end"])
        if not 0 <= start < end <= len(place.source):
            raise ValueError("its offsets lie outside its block or mark nothing")
        spans.append(CheckedSpan(place.block, start, end, place.source[start:end]))
    link = http_address(str(raw.get("link", "")))
    note = str(raw.get("note", "")).strip()
    if kind.needs_link and not link:
        raise ValueError("say where it is public, with an http or https address")
    if not kind.needs_link and not spans:
        raise ValueError("mark the text that gives the solution away")
    if len(note) > MAX_NOTE:
        raise ValueError(f"its note is longer than {MAX_NOTE} characters")
    sides = {places[span.block].side for span in spans}
    if len(sides) > 1:
        raise ValueError("it marks text in both proofs; make one flag for each")
    return CheckedFlag(kind.key, tuple(spans), link, note, next(iter(sides), ""))


def http_address(text: str) -> str:
    """The address if it is a plain http or https one, "" for none; raises ValueError otherwise. Never fetched."""
    text = text.strip()
    if not text:
        return ""
    parts = urlsplit(text)
    plain = text.isprintable() and not any(mark in text for mark in " <>\"'`\\")
    if len(text) > MAX_LINK or parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        raise ValueError(f"{text[:60]!r} is not an http or https address of at most {MAX_LINK} characters")
    if parts.username is not None or parts.password is not None:
        raise ValueError("its address contains a user name or a password")
    return text
