"""A source as its page shows it: one file at a time, in parts, with what was found in it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from construction.reading.pairs import BY_HAND, begins

PART = 60_000  # characters of a file on one page
# The rules of latex.structure.pairing, in words; those that are not here are words already.
_EVIDENCE = {
    "named": "its title names the statement",
    "proves": "it says which statement it proves",
    "another proof": "another proof of the statement before",
    "titled": "its title is that of the statement",
    "adjacent": "right after the statement",
    "restated": "a macro right before it prints the statement again",
    "announced": "the words before it name the statement",
    "heading": "the heading above names the statement",
    "same proof": "it continues the proof before",
    "near": "shortly after the statement",
    "inside": "inside the statement",
    "none": "no statement is before it",
    BY_HAND: "paired by hand",
}


@dataclass(frozen=True)
class Entry:
    """Something found in a file: what it is called, a remark, and its range there."""

    name: str
    remark: str
    start: int
    end: int
    proofs: tuple["Entry", ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Part:
    """A piece of a file: what is before the marked range, the range, what is after; and which piece it is."""

    before: str
    marked: str
    after: str
    number: int
    of: int
    first_line: int
    starts: tuple[int, ...] = field(repr=False, default=())


@dataclass(frozen=True)
class ProofAt:
    """A proof, the statements that it may prove as (place, name), and which of them it does; `by_hand` if a person
    says so. Places are START:FILE."""

    place: str
    end: int
    statement: str
    statements: tuple[tuple[str, str], ...]
    evidence: str
    by_hand: bool


@dataclass(frozen=True)
class Contents:
    """What was found in one file. Proofs whose statement is in another file, or unknown, are `alone`."""

    statements: list[Entry]
    alone: list[Entry]
    unresolved: list[Entry]
    unmatched: list[Entry]


def part_of(text: str, *, start: int, end: int, number: int) -> Part:
    """The piece of a file with the range from `start` to `end`; without a range, the piece of that number."""
    starts = [0]
    while len(text) - starts[-1] > PART:
        cut = text.rfind("\n", starts[-1] + 1, starts[-1] + PART) + 1
        starts.append(cut or starts[-1] + PART)
    start, end = max(0, start), min(end, len(text))
    has_range = start < end
    if has_range:
        number = max(index for index, at in enumerate(starts) if at <= start)
    number = min(max(number, 0), len(starts) - 1)
    low = starts[number]
    high = starts[number + 1] if number + 1 < len(starts) else len(text)
    if has_range and end > high:  # a range is shown whole, up to another piece
        high = min(end, low + 2 * PART)
    left, right = (start, min(end, high)) if has_range else (low, low)
    return Part(
        text[low:left], text[left:right], text[right:high], number, len(starts), text.count("\n", 0, low) + 1,
        tuple(starts),
    )  # fmt: skip


def contents_of(outline: Mapping[str, Any], file: str) -> Contents:
    """What was found in a file of a source."""
    proofs_of: dict[int, list[Entry]] = {}
    alone = []
    named = outline["statements"]
    for proof in outline["proofs"]:
        place = _in_file(proof["places"], file)
        if place is None:
            continue
        evidence = _EVIDENCE.get(proof["evidence"], proof["evidence"])
        title = f"Proof ({proof['title']})" if proof["title"] else "Proof"
        form = ", recognised by its words" if proof["form"] == "text" else ""
        entry = Entry(title, evidence + form, *place)
        target = proof["statement"]
        if target is not None and _in_file(named[target]["places"], file) is not None:
            proofs_of.setdefault(target, []).append(entry)
        else:
            about = f"of {_name(named[target])} in another file; " if target is not None else "of nothing: "
            alone.append(Entry(title, about + evidence + form, *place))
    statements = []
    for index, one in enumerate(named):
        if (place := _in_file(one["places"], file)) is not None:
            remark = ", ".join(part for part in (one["title"], *one["labels"]) if part)
            statements.append(Entry(_name(one), remark, *place, tuple(proofs_of.get(index, ())), one["text"]))
    return Contents(
        statements, alone, _names(outline["unresolved"], file), _names(outline["unmatched"], file)
    )


def proof_at(outline: Mapping[str, Any], file: str, start: int) -> ProofAt | None:
    """The proof that begins there, with what it may prove."""
    proof = next((one for one in outline["proofs"] if begins(one) == (file, start)), None)
    if proof is None:
        return None
    named = outline["statements"]
    choices = []
    for one in named:
        place = begins(one)
        remark = ", ".join(part for part in (one["title"], *one["labels"][:1], place[0]) if part)
        choices.append((_place(place), f"{_name(one)} ({remark})"))
    proved = "" if proof["statement"] is None else _place(begins(named[proof["statement"]]))
    evidence = _EVIDENCE.get(proof["evidence"], proof["evidence"])
    return ProofAt(
        _place((file, start)),
        proof["places"][0][2],
        proved,
        tuple(choices),
        evidence,
        proof["evidence"] == BY_HAND,
    )


def _place(place: tuple[str, int]) -> str:
    return f"{place[1]}:{place[0]}"


def statements_by_file(outline: Mapping[str, Any]) -> dict[str, int]:
    """How many statements begin in each file."""
    counts: dict[str, int] = {}
    for one in outline["statements"]:
        if one["places"]:
            counts[one["places"][0][0]] = counts.get(one["places"][0][0], 0) + 1
    return counts


def _in_file(places: Iterable[Sequence[Any]], file: str) -> tuple[int, int] | None:
    return next(((start, end) for name, start, end in places if name == file), None)


def _name(statement: Mapping[str, Any]) -> str:
    head = statement["head"] or statement["kind"]
    return f"{head} {statement['number']}".strip()


def _names(rows: Iterable[Mapping[str, Any]], file: str) -> list[Entry]:
    found = [(", ".join(row["names"]), _in_file(row["places"], file)) for row in rows]
    return [Entry(name, "", *place) for name, place in found if place is not None]
