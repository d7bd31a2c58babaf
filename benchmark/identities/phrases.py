"""Phrases of a model that speaks of itself, of a conversation or an agent's run, of a refusal or of a failed call."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from benchmark.identities.findings import EXCERPT, Finding, Kind
from benchmark.identities.needed import Sought, lowered
from benchmark.identities.patterns import folded, table, with_fragments
from latex.folding import Reading

_NEAR = 300  # characters between two signs that tell only together
QUOTES = str.maketrans("‘’“”", "''\"\"")


@cache
def _patterns() -> tuple[tuple[Kind, bool, bool, Sought], ...]:
    """(kind, certain, whether it asks for the start of a line, pattern) of every phrase, of whatever language."""
    found = []
    for kind, by_certainty in table()["phrases"].items():
        for certainty, by_language in by_certainty.items():
            for phrase in (phrase for phrases in by_language.values() for phrase in phrases):
                sought = Sought(folded(with_fragments(phrase)))
                found.append((Kind(kind), certainty == "certain", "{START}" in phrase, sought))
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
def _signs() -> tuple[tuple[Sought, Sought], ...]:
    def either(patterns: list[str]) -> Sought:
        return Sought("|".join(folded(with_fragments(row)) for row in patterns))

    return tuple((either(pair["one"]), either(pair["other"])) for pair in table()["signs"])


def phrases(reading: Reading) -> Iterator[Finding]:
    """Findings of kinds SELF, TRANSCRIPT and REFUSAL."""
    # A line end inside a sentence is a blank, but "at the start of a line" must stay visible: two readings.
    plain = reading.text.translate(QUOTES)
    joined = plain.replace("\n", " ")
    in_lower_case = lowered(joined)
    for kind, certain, at_start, sought in _patterns():
        if not sought.may_match(in_lower_case):
            continue
        for found in sought.pattern.finditer(plain if at_start else joined):
            first, last = reading.span(found.start(), found.end())
            yield Finding(kind, first, last, " ".join(found[0].split())[:EXCERPT], certain)
    # signs of two kinds that are near each other, in any order
    for one, other in _signs():
        if not (one.may_match(in_lower_case) and other.may_match(in_lower_case)):
            continue
        ones = list(one.pattern.finditer(joined))
        others = list(other.pattern.finditer(joined)) if ones else []
        signs = [(found, True) for found in ones] + [(found, False) for found in others]
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
