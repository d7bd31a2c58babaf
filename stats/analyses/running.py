"""The analyses of a label file by name: what the command, the page and the worker share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from stats.agreement import LEVELS, Level
from stats.analyses import as_text
from stats.analyses.agreement import agreement_document
from stats.analyses.audit import audit_document
from stats.analyses.corrected import corrected_document
from stats.analyses.errors import errors_document, errors_text
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.analyses.retrieval import CHECKS as RANK_CHECKS
from stats.analyses.retrieval import DEFAULT_KS, read_ranks, retrieval_document
from stats.labels import COLUMNS, read_labels
from stats.tables import Form, Table

Document = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """Everything that an analysis may be asked. `positive` is needed by audit and corrected only.

    `renaming` maps the file's columns to ours, "" drops one.
    """

    analysis: str
    options: Options = field(default_factory=Options)
    positive: str = ""
    level: str | None = None
    systems: tuple[str, ...] = ()
    ks: tuple[int, ...] = DEFAULT_KS
    renaming: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.analysis not in ANALYSES:
            raise ValueError(f"there is no analysis {self.analysis!r}: {', '.join(ANALYSES)}")
        if ANALYSES[self.analysis].needs_positive and not self.positive:
            raise ValueError("say which value counts as success")
        if self.level is not None and self.level not in LEVELS:
            raise ValueError(f"unknown level {self.level!r}: {', '.join(LEVELS)}")


@dataclass(frozen=True)
class Analysis:
    """One analysis: a line about it, the columns it can read, how it reads and what it makes of the table."""

    line: str
    columns: Sequence[str]
    read: Callable[..., Table]
    document: Callable[[Table, Request], Document]
    text: Callable[[Document], str]
    needs_positive: bool = False


def _agreement(table: Table, asked: Request) -> Document:
    return agreement_document(table, level=cast("Level | None", asked.level), options=asked.options)


def _audit(table: Table, asked: Request) -> Document:
    return audit_document(table, positive=asked.positive, options=asked.options)


def _corrected(table: Table, asked: Request) -> Document:
    return corrected_document(table, positive=asked.positive, options=asked.options)


def _pairs(table: Table, asked: Request) -> Document:
    return pairs_document(table, options=asked.options, systems=asked.systems)


def _errors(table: Table, asked: Request) -> Document:
    return errors_document(table, positive=asked.positive, options=asked.options)


def _retrieval(table: Table, asked: Request) -> Document:
    return retrieval_document(table, ks=asked.ks, options=asked.options)


ANALYSES: Mapping[str, Analysis] = {
    "agreement": Analysis(
        "how far raters agree, per question", COLUMNS, read_labels, _agreement, as_text.agreement_text
    ),
    "audit": Analysis(
        "a judge against experts, in sample and weighted by the design",
        COLUMNS,
        read_labels,
        _audit,
        as_text.audit_text,
        needs_positive=True,
    ),
    "corrected": Analysis(
        "the judge's score corrected by the experts' audit",
        COLUMNS,
        read_labels,
        _corrected,
        as_text.corrected_text,
        needs_positive=True,
    ),
    "pairs": Analysis(
        "win, loss, tie; strengths, ranks and position bias", COLUMNS, read_labels, _pairs, as_text.pairs_text
    ),
    "errors": Analysis(
        "raters' errors and severities, and what the labels say without them",
        COLUMNS,
        read_labels,
        _errors,
        errors_text,
    ),
    "retrieval": Analysis(
        "P@k, Hit@k and MRR@k of ranked lists",
        tuple(RANK_CHECKS),
        read_ranks,
        _retrieval,
        as_text.retrieval_text,
    ),
}


def run(stream: BinaryIO, form: Form, asked: Request) -> Document:
    """The document of one analysis of an open file.

    Raises TableError naming line and column for the file, ValueError for what was asked.
    """
    analysis = ANALYSES[asked.analysis]
    table = analysis.read(stream, form=form, renaming=asked.renaming)
    return analysis.document(table, asked)


def text(asked: str, document: Document) -> str:
    """The document for the terminal."""
    return ANALYSES[asked].text(document)


def whole_numbers(text: str) -> tuple[int, ...]:
    """`1,10,20` as numbers from 1. Raises ValueError."""
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise ValueError(f"must be whole numbers from 1 like 1,10,20, not {text!r}")
    return numbers


def renaming(text: str) -> tuple[str, str]:
    """`other=canonical` as a pair; nothing after the sign drops the column. Raises ValueError."""
    name, sign, canonical = text.partition("=")
    if not sign or not name:
        raise ValueError(f"must be other=canonical, not {text!r}")
    return name, canonical
