"""A result as readers get it: named, rendered, cut where its licence asks for it, with the reason why it was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import latex
from benchmark.describing.licences import OPEN, class_of
from retrieval import words
from retrieval.duplicates import Likeness
from retrieval.index import Hit
from search.corpora.licences import SHOWN_OTHERWISE
from search.models import Slogan, Statement
from search.searching.marking import marked
from search.slogans.queries import newest_slogans

SHOWN = 6_000  # characters of a statement in a list of results
_IN_WORDS = {"words": "words", "meaning": "meaning", "formula": "formulas"}


@dataclass(frozen=True)
class Result:
    """One statement that was found. `likeness` says how like it is to the statement that was asked about, if one was.

    Its HTML is made when it is asked for: most of the time of a search would go into it.
    """

    key: str
    rank: int
    score: int
    parts: Mapping[str, int]
    name: str
    kind: str
    number: str
    document: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    section: str
    body: str
    is_cut: bool
    url: str
    source: str
    licence: str
    attribution: str
    slogan: str = ""
    """What a model wrote about it."""
    slogan_by: str = ""
    likeness: Likeness | None = None
    looked_for: frozenset[str] = frozenset()  # terms, as retrieval.words makes them
    prefix: str = ""  # of the identifiers in its HTML

    @cached_property
    def html(self) -> str:
        """The body, rendered."""
        return "".join(block.section for block in latex.render(self.body, "latex", prefix=self.prefix).blocks)

    @cached_property
    def marked_html(self) -> str:
        """The same with the words that were looked for marked."""
        return marked(self.html, self.looked_for)

    @property
    def why(self) -> str:
        """ "words 1, formulas 4": its place in each ranking that has it."""
        return ", ".join(f"{_IN_WORDS.get(name, name)} {rank}" for name, rank in self.parts.items())

    @property
    def citation(self) -> str:
        """How to cite it in a comment: authors, title, year and the statement's name."""
        people = ", ".join(self.authors[:3]) + (" et al." if len(self.authors) > 3 else "")
        work = ", ".join(part for part in (people, self.title, str(self.year or "")) if part)
        return f"[{work or self.document}, {self.name}]"


def results_of(
    hits: Sequence[Hit],
    statements: Sequence[Statement],
    text: str,
    *,
    whole: bool,
    likenesses: Mapping[str, Likeness] | None = None,
) -> list[Result]:
    """The hits with their statements. `whole`: the text of every licence is shown, for the staff.

    `text` is what was looked for; its words are marked. `likenesses` are those of the statements, by key.
    """
    by_key = {statement.key: statement for statement in statements}
    terms = frozenset(words.terms(text))
    slogans = newest_slogans([statement.pk for statement in statements])
    return [
        _result(
            by_key[hit.key],
            hit,
            whole=whole,
            looked_for=terms,
            likeness=(likenesses or {}).get(hit.key),
            slogans=slogans.get(by_key[hit.key].pk, ()),
        )
        for hit in hits
        if hit.key in by_key
    ]


def result_of(statement: Statement, *, whole: bool) -> Result:
    """A statement that was asked for by its key."""
    slogans = newest_slogans([statement.pk]).get(statement.pk, ())
    return _result(statement, None, whole=whole, slogans=slogans)


def _result(
    statement: Statement,
    hit: Hit | None,
    *,
    whole: bool,
    looked_for: frozenset[str] = frozenset(),
    likeness: Likeness | None = None,
    slogans: Sequence[Slogan],
) -> Result:
    """A statement with the newest of its slogans; with a hit, if it was searched for."""
    slogan = max(slogans, key=lambda one: one.pk, default=None)
    document, source = statement.document, statement.document.source
    licence = statement.licence or source.licence
    limit = SHOWN if whole or class_of(licence) == OPEN else SHOWN_OTHERWISE
    body = statement.body if len(statement.body) <= limit else cut(statement.body, limit)
    return Result(
        key=statement.key,
        rank=hit.position if hit else 0,
        score=hit.score if hit else 0,
        parts=dict(hit.ranks) if hit else {},
        name=statement.name,
        kind=statement.kind,
        number=statement.number,
        document=document.key,
        title=document.title,
        authors=tuple(document.authors),
        year=document.year,
        section=statement.section,
        body=body,
        is_cut=body != statement.body,
        url=statement.url or source.url,
        source=source.name or statement.corpus.title,
        licence=licence or "unstated",
        attribution=source.attribution,
        slogan=slogan.text if slogan else "",
        slogan_by=slogan.model if slogan else "",
        likeness=likeness,
        looked_for=looked_for,
        prefix=f"r{hit.position}-" if hit else "",
    )


def cut(body: str, limit: int) -> str:
    """The beginning of a text, not in the middle of a word or a formula."""
    kept = body[:limit].rsplit(" ", 1)[0]
    if kept.count("$") % 2:
        kept = kept[: kept.rindex("$")]
    return kept.rstrip() + " …"
