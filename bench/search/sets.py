"""The developers' sets: statements, and queries of which it is known what they should find.

Everything is derived from published texts when it is run; nothing is copied. A title is a query where the author put it
into the brackets of an environment, and is then removed from the statement; a section's title finds the section's
statements, and is then not indexed. Re2Math's anchors and last blocks find the tool that the gap needs.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retrieval.formulas import formulas, tokens
from retrieval.index import Entry

# Folder of the sources by the name of the file with offsets, and what its names of documents begin with there.
SOURCES = {
    "openlogic": ("openlogic/content", "openlogic/"),
    "hott": ("construction/sources/book", ""),
    "pfr": ("construction/sources/pfr", ""),
    "flt": ("construction/sources/FLT", ""),
}
FORMULA_QUERIES, SHORTEST, LONGEST = 400, 12, 160

_OPENING = re.compile(r"\\begin\{[A-Za-z*]+\}\s*(?:\[((?:[^\[\]]|\[[^\]]*\])*)\])?")
_CLOSING = re.compile(r"\\end\{[A-Za-z*]+\}\s*$")
_LABEL = re.compile(r"\\(?:ol)?label\{[^}]*\}")
_SECTION = re.compile(r"\\olsection(?:\[[^\]]*\])?\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
# Open Logic's names of things: \usetoken{P}{formula} prints "Formulas", \article{formula} "a formula".
_TOKEN = re.compile(r"\\(?:use|print)token\{\w+\}\{([^{}]*)\}|\\article\{([^{}]*)\}")


@dataclass(frozen=True)
class Query:
    """What is asked for, as words or as a formula, and the keys that are right."""

    text: str
    right: frozenset[str]


@dataclass(frozen=True)
class Statement:
    """A statement as its author wrote it, in parts."""

    key: str
    body: str
    title: str = ""
    section: str = ""
    part: str = ""

    def entry(self, *context: str) -> Entry:
        """For an index, without the title, with these texts as context."""
        return Entry(self.key, self.body, context=". ".join(filter(None, context)))


def statements(data: Path, name: str) -> list[Statement]:
    """All statements of a source but its remarks."""
    folder, prefix = SOURCES[name]
    found = []
    texts: dict[str, str] = {}
    for row in _rows(data / "construction" / f"{name}.jsonl"):
        if row["type"] != "statement" or row["kind"] == "remark":
            continue
        document = row["doc"].removeprefix(prefix)
        if document not in texts:
            # Offsets count the line ends as they are.
            texts[document] = (data / folder / document).read_bytes().decode()
        text = texts[document]
        source = text[row["start"] : row["end"]]
        opening = _OPENING.match(source)
        if opening is None:
            raise ValueError(f"{document}: statement {row['n']} begins with no environment")
        section = _SECTION.search(text)
        heading = _TOKEN.sub(lambda name: name[1] or name[2], section[1]) if section else ""
        part = " ".join(document.split("/")[:2]).replace("-", " ") if name == "openlogic" else ""
        body = _LABEL.sub(" ", _CLOSING.sub("", source[opening.end() :]))
        found.append(Statement(f"{name}/{document}#{row['n']}", body, opening[1] or "", heading, part))
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def developers_sets(data: Path) -> dict[str, tuple[list[Entry], list[Query]]]:
    """(entries, queries) of the four sets of words, over Open Logic's statements and the tools of Re2Math."""
    logic = statements(data, "openlogic")
    gaps = list(_rows(data / "re2math" / "benchmark_dataset_eval200.jsonl"))
    tools = [Entry(gap["instance_id"], gap["y"]["reference_tool_latex"]) for gap in gaps]
    everything = [one.entry(one.section, one.part) for one in logic] + tools
    without_sections = [one.entry(one.part) for one in logic] + tools
    titles = ((re.sub(r"\s+", " ", one.title).lower(), one.key) for one in logic if one.title)
    sections = (
        (one.section, one.key) for one in logic if one.section and "introduction" not in one.section.lower()
    )
    anchors = ((gap["x"]["anchor_hint"], gap["instance_id"]) for gap in gaps)
    blocks = ((gap["x"]["local_context"][-1:] or [""])[0] for gap in gaps)
    last = zip(blocks, (gap["instance_id"] for gap in gaps), strict=True)
    return {
        "titles": (everything, [q for q in _grouped(titles) if len(q.text) > 3 and len(q.right) <= 3]),
        "sections": (without_sections, [q for q in _grouped(sections) if len(q.right) <= 10]),
        "anchors": (everything, _grouped(anchors)),
        "last block": (everything, _grouped(last)),
    }


def formula_sets(data: Path) -> tuple[list[Entry], dict[str, list[Query]]]:
    """(entries, the 400 longest formulas of 12 to 160 characters, as they are and with their variables renamed).

    The right statements are those with an equal formula, token by token.
    """
    entries = [one.entry() for name in SOURCES for one in statements(data, name)]
    written: dict[tuple[str, ...], str] = {}
    having: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for entry in entries:
        for formula in formulas(entry.body):
            source = " ".join(formula.split())
            if SHORTEST <= len(source) <= LONGEST:
                row = tuple(tokens(source))
                written.setdefault(row, source)
                having[row].add(entry.key)
    longest = sorted(written, key=lambda row: (-len(written[row]), written[row]))[:FORMULA_QUERIES]
    exact = [Query(written[row], frozenset(having[row])) for row in longest]
    chance = random.Random(18)
    return entries, {"exact": exact, "renamed": [replace(q, text=renamed(q.text, chance)) for q in exact]}


def renamed(formula: str, chance: random.Random) -> str:
    """The formula with its letters exchanged: capitals by capitals, small ones by small ones, no letter by itself."""
    others: dict[str, str] = {}
    for alphabet in ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        shift = chance.randrange(1, 26)
        others |= {letter: alphabet[(at + shift) % 26] for at, letter in enumerate(alphabet)}
    # Names of commands stay, and words in the text of a formula.
    return re.sub(
        r"\\(?:text\w*|mathrm|mathsf|operatorname|label|fn)\*?\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z]",
        lambda found: others.get(found[0], found[0]),
        formula,
    )


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[Query]:
    """Equal texts are one query, with all that is right for them."""
    right: dict[str, set[str]] = defaultdict(set)
    for text, key in pairs:
        if text:
            right[text].add(key)
    return [Query(text, frozenset(keys)) for text, keys in right.items()]


def measured(rankings: Mapping[str, list[str]], queries: list[Query]) -> tuple[float, float]:
    """(Hit@20, mean reciprocal rank within 20) of ranked keys by the text of the query."""
    hits, reciprocal = 0, 0.0
    for query in queries:
        ranks = [rank for rank, key in enumerate(rankings[query.text][:20], 1) if key in query.right]
        if ranks:
            hits += 1
            reciprocal += 1 / ranks[0]
    return hits / len(queries), reciprocal / len(queries)
