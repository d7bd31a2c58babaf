"""Phrases of a model that speaks of itself, of a conversation or an agent's run, of a refusal or of a failed call."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from benchmark.identities.findings import EXCERPT, Finding, Kind
from benchmark.identities.patterns import folded, table, with_fragments
from latex.folding import Reading

_NEAR = 300  # characters between two signs that tell only together
_QUOTES = str.maketrans("‘’“”", "''\"\"")


@cache
def _patterns() -> tuple[tuple[Kind, bool, bool, re.Pattern[str]], ...]:
    """(kind, certain, whether it asks for the start of a line, pattern) of every phrase, of whatever language."""
    found = []
    for kind, by_certainty in table()["phrases"].items():
        for certainty, by_language in by_certainty.items():
            for phrase in (phrase for phrases in by_language.values() for phrase in phrases):
                compiled = re.compile(folded(with_fragments(phrase)), re.IGNORECASE)
                found.append((Kind(kind), certainty == "certain", "{START}" in phrase, compiled))
    return tuple(found)


def templates(source: str) -> Iterator[Finding]:
    """Findings of kind TRANSCRIPT: marks of templates and tools, which the reading of Markdown leaves out as tags."""
    for found in re.finditer("|".join(table()["templates"]["certain"]), source):
        yield Finding(Kind.TRANSCRIPT, found.start(), found.end(), " ".join(found[0].split())[:EXCERPT], True)


@cache
def _dialogues() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    start = table()["fragments"]["START"]

    def speaking(parties: str) -> re.Pattern[str]:
        return re.compile(rf"{start}[*【_]{{0,3}}(?:{folded(parties)})[*】_]{{0,3}} ?[:：]", re.IGNORECASE)

    return tuple((speaking(pair["one"]), speaking(pair["other"])) for pair in table()["dialogue"])


@cache
def _signs() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    def either(patterns: list[str]) -> re.Pattern[str]:
        return re.compile("|".join(folded(with_fragments(row)) for row in patterns), re.IGNORECASE)

    return tuple((either(pair["one"]), either(pair["other"])) for pair in table()["signs"])


def phrases(reading: Reading) -> Iterator[Finding]:
    """Findings of kinds SELF, TRANSCRIPT and REFUSAL."""
    # A line end inside a sentence is a blank, but "at the start of a line" must stay visible: two readings.
    plain = reading.text.translate(_QUOTES)
    joined = plain.replace("\n", " ")
    for kind, certain, at_start, pattern in _patterns():
        for found in pattern.finditer(plain if at_start else joined):
            first, last = reading.span(found.start(), found.end())
            yield Finding(kind, first, last, " ".join(found[0].split())[:EXCERPT], certain)
    # signs of two kinds that are near each other, in any order
    for one, other in _signs():
        signs = [(found, pattern is one) for pattern in (one, other) for found in pattern.finditer(joined)]
        signs.sort(key=lambda sign: sign[0].start())
        for (before, of_one), (behind, of_one_too) in pairwise(signs):
            if of_one != of_one_too and behind.start() - before.end() <= _NEAR:
                for found in (before, behind):
                    first, last = reading.span(found.start(), found.end())
                    yield Finding(Kind.TRANSCRIPT, first, last, " ".join(found[0].split())[:EXCERPT], True)
    for pair in _dialogues():
        turns = [party.search(plain) for party in pair]
        for turn in turns if all(turns) else ():
            first, last = reading.span(turn.start(), turn.end())  # type: ignore[union-attr]  # all are found
            yield Finding(Kind.TRANSCRIPT, first, last, " ".join(turn[0].split()), True)  # type: ignore[index]
