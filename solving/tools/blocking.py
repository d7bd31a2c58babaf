"""Block lists: sources that a run must not read, told by identifier, title, host or a phrase of their text. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from benchmark.citations.folding import words
from benchmark.citations.identifiers import arxiv_id, arxiv_ids_in, dois_in
from benchmark.citations.titles import TitleMatch, compare_titles

PHRASE_WORDS = 8  # a shorter phrase is common property
MOST_RULES = 10_000  # each is held against every source that is found
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


class BlockRules(BaseModel):
    """The content of a block list. A rule that could block nothing, or nearly everything, is refused."""

    model_config = ConfigDict(strict=True, extra="forbid")

    identifiers: list[str] = []
    titles: list[str] = []
    hosts: list[str] = []
    phrases: list[str] = []

    @model_validator(mode="after")
    def _each_rule_works(self) -> "BlockRules":
        for one in self.identifiers:
            if not identifiers_in(one):
                raise ValueError(f"{one[:100]!r} is neither a DOI nor an arXiv number")
        for one in self.titles:
            if not words(one):
                raise ValueError(f"the title {one[:100]!r} has no words")
        for one in self.hosts:
            if not _HOST.fullmatch(one):
                raise ValueError(f"{one[:100]!r} is not a host, such as solutions.example.org")
        for one in self.phrases:
            if len(words(one)) < PHRASE_WORDS:
                raise ValueError(f"the phrase {one[:100]!r} has fewer than {PHRASE_WORDS} words")
        if (count := sum(map(len, (self.identifiers, self.titles, self.hosts, self.phrases)))) > MOST_RULES:
            raise ValueError(f"there are {count:,} rules, and at most {MOST_RULES:,} are allowed")
        if not count:
            raise ValueError("there is no rule in it")
        return self


@dataclass(frozen=True)
class Blocker:
    """Says why a source is blocked. Identifiers are compared without the version of a preprint."""

    identifiers: frozenset[str]
    titles: tuple[str, ...]
    hosts: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]

    def of_source(self, source: Mapping[str, Any]) -> str:
        """Why a result is blocked, "" if it is not."""
        told = [str(source.get(name) or "") for name in ("key", "paper", "identifier", "url", "venue")]
        if hit := sorted(self.identifiers & frozenset().union(*map(identifiers_in, told))):
            return f"identifier {hit[0]}"
        title = str(source.get("title") or "")
        for blocked in self.titles:
            if title and compare_titles(title, blocked) in (TitleMatch.EQUAL, TitleMatch.CLOSE):
                return f"title {blocked}"
        for host in self.hosts:
            if any(host.lower() in one.lower() for one in told):
                return f"host {host}"
        return self.of_text(str(source.get("snippet") or ""))

    def of_text(self, text: str) -> str:
        """Why a text is blocked: it is headed by a blocked title or identifier, or quotes a phrase."""
        folded = tuple(words(text))
        head = folded[:60]
        for blocked in self.titles:
            title = tuple(words(blocked))
            if len(title) >= 3 and _holds(head, title):
                return f"title {blocked}"
        if hit := sorted(self.identifiers & identifiers_in(text[:4_000])):
            return f"identifier {hit[0]}"
        for phrase in self.phrases:
            if _holds(folded, phrase):
                return f"phrase {' '.join(phrase[:PHRASE_WORDS])}"
        return ""


def blocker(content: Mapping[str, Any] | None) -> Blocker:
    """The rules of a block list, ready to be asked; without a list nothing is blocked."""
    rules = BlockRules.model_construct(**(content or {}))
    found = frozenset().union(*(identifiers_in(one) for one in rules.identifiers))
    phrases = tuple(tuple(words(one)) for one in rules.phrases)
    return Blocker(found, tuple(rules.titles), tuple(rules.hosts), phrases)


@lru_cache(maxsize=10_000)
def identifiers_in(text: str) -> frozenset[str]:
    """DOIs and numbers of preprints in a text, without versions. A bare number counts only if it is all of the text."""
    return (dois_in(text) | arxiv_ids_in(text) | {arxiv_id(text)}) - {""}


def _holds(text: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    if not phrase:
        return False
    size = len(phrase)
    return any(text[at : at + size] == phrase for at in range(len(text) - size + 1))
