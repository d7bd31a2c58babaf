"""A query with the theorems that answer it, and a ranked list of results. Our format: strict.

A target or result names a paper and, within it, a statement by its number ("Theorem 3.2"). A result without a
statement names the paper alone.
"""

from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from benchmark.citations.identifiers import arxiv_id, doi
from benchmark.importing.keys import Key, Short, Split, Strict

MAX_RESULTS = 1000  # of one query
Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Level = Literal["theorem", "paper"]


class Statement(Strict):
    """A theorem (or a paper) with what is known of it in words; `text` is LaTeX."""

    paper: Key
    """The paper, by its arXiv number, DOI or a name."""
    statement: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    """The statement within it, such as Theorem 3.2."""
    title: str = ""
    """The paper's title."""
    text: str = ""
    """The statement in LaTeX."""

    @property
    def paper_key(self) -> str:
        """The paper under one name: arXiv number without version, DOI, or its own name in lower case."""
        return _paper_key(self.paper)

    @property
    def statement_key(self) -> str:
        """The statement's name with its number; case and spacing do not count, another number is another one."""
        return _folded(self.statement)


class Query(Strict):
    """The payload of an instance's row.

    `paper_ranks` says how papers are ranked in a list of theorems: by the position of the paper's first result
    ("listed"), or by its place in the list of distinct papers ("distinct").
    """

    query: Text
    """What is searched for, in words."""
    targets: Annotated[list[Statement], Field(min_length=1, max_length=100)]
    """The theorems that answer it, each with paper, statement, title and text."""
    paper_ranks: Literal["listed", "distinct"] = "listed"
    """How papers are ranked in a list of theorems."""

    @model_validator(mode="after")
    def _targets_differ(self) -> Self:
        named = [(target.paper_key, target.statement_key) for target in self.targets]
        if len(set(named)) != len(named):
            raise ValueError("a target appears twice")
        return self


class QueryLine(Query):
    """One line of a release file."""

    instance_id: Key
    """The name of the problem within the release; outputs and labels refer to it."""
    domain: Short = "unstated"
    """The field of mathematics: campaigns draw and assign by it."""
    split: Split = ""
    """The part of the release that it belongs to, if there are several."""


class Result(Statement):
    """One result of a ranked list; its rank is its position."""

    score: float | None = None


class Ranking(Strict):
    """The payload of an output's row. `level` is paper where the system cannot return statements."""

    level: Level = "theorem"
    """Whether results are theorems, or papers alone."""
    results: Annotated[list[Result], Field(max_length=MAX_RESULTS)] = []
    """The results in their order, each with paper, statement, title, text and score."""

    @model_validator(mode="after")
    def _each_result_once(self) -> Self:
        if self.level == "paper" and any(result.statement for result in self.results):
            raise ValueError("a list of papers contains a result with a statement")
        seen: set[tuple[str, str]] = set()
        for rank, result in enumerate(self.results, start=1):
            name = (result.paper_key, result.statement_key)
            if name in seen and (self.level == "paper" or result.statement):
                raise ValueError(f"the result of rank {rank} already appears higher up")
            seen.add(name)
        return self


class RankingLine(Ranking):
    """One line of an outputs file in JSON Lines."""

    instance_id: Key
    """The problem that this is an output for, by its name in the release."""
    state: Literal["answered", "abstained", "failed"] = "answered"
    """Abstained and failed outputs count against the system and are shown to nobody."""

    @model_validator(mode="after")
    def _answered_means_results(self) -> Self:
        if self.state == "answered" and not self.results:
            raise ValueError("an answered output needs results; with none it abstained")
        if self.state != "answered" and self.results:
            raise ValueError("only an answered output may have results")
        return self


@lru_cache(maxsize=2**15)
def _paper_key(paper: str) -> str:
    """Kept: the same few papers are named in many lists, and each of ten measures reads a list again."""
    return arxiv_id(paper) or doi(paper) or _folded(paper)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
