"""The analyses of a label file by name: what the command, the page and the worker share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from stats.agreement.bundle import LEVELS, Level
from stats.analyses import as_text, audit_text
from stats.analyses.agreement import agreement_document
from stats.analyses.audit import audit_document
from stats.analyses.calibration import calibration_document
from stats.analyses.corrected import corrected_document
from stats.analyses.difference import difference_document
from stats.analyses.errors import errors_document, errors_text
from stats.analyses.gold import gold_document
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.analyses.retrieval import CHECKS as RANK_CHECKS
from stats.analyses.retrieval import DEFAULT_KS, read_ranks, retrieval_document
from stats.analyses.systems import systems_document
from stats.tables.columns import Form, Table
from stats.tables.label_pairs import ORDER_RULES, OrderRule
from stats.tables.labels import COLUMNS, read_labels

Document = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """Everything that an analysis may be asked; `Analysis.takes` says which analysis reads what.

    `renaming` maps the file's columns to ours, "" drops one.
    """

    analysis: str
    options: Options = field(default_factory=Options)
    positive: str = ""
    level: Level | None = None
    systems: tuple[str, ...] = ()
    ks: tuple[int, ...] = DEFAULT_KS
    renaming: Mapping[str, str] = field(default_factory=dict)
    by: str = ""
    exchangeable: bool = False
    orders: OrderRule = "agree"
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.analysis not in ANALYSES:
            raise ValueError(f"there is no analysis {self.analysis!r}: {', '.join(ANALYSES)}")
        if ANALYSES[self.analysis].needs_positive and not self.positive:
            raise ValueError("say which value counts as success")
        if self.level is not None and self.level not in LEVELS:
            raise ValueError(f"unknown level {self.level!r}: {', '.join(LEVELS)}")
        if self.by not in BY:
            raise ValueError(f"nothing is split by {self.by!r}: {', '.join(BY[1:])}")
        if self.orders not in ORDER_RULES:
            raise ValueError(f"unknown rule {self.orders!r} for two orders: {', '.join(ORDER_RULES)}")
        if ANALYSES[self.analysis].needs_groups and not (self.first and self.second):
            raise ValueError("name two groups of raters, first and second")
        if self.score_range is not None and not self.score_range[0] < self.score_range[1]:
            raise ValueError("a range of scores goes from a lower to a higher number, like 0,5")


@dataclass(frozen=True)
class Analysis:
    """One analysis: a line about it, what it makes of the table, the columns it can read and how it reads them.

    `takes` names the options that it reads besides COMMON, as REST and the page call them.
    """

    line: str
    document: Callable[[Table, Request], Document]
    text: Callable[[Document], str]
    takes: Sequence[str]
    columns: Sequence[str] = COLUMNS
    read: Callable[..., Table] = read_labels
    needs_positive: bool = False
    needs_groups: bool = False


BY = ("", "system")
COMMON = ("confidence", "seed", "renaming")
_RATERS = ("question", "rater_kind")
_AUDIT = ("question", "positive", "order")
ANALYSES: Mapping[str, Analysis] = {
    "agreement": Analysis(
        "how far raters agree, per question",
        lambda table, asked: agreement_document(
            table, level=asked.level, options=asked.options, exchangeable=asked.exchangeable
        ),
        as_text.agreement_text,
        takes=(*_RATERS, "level", "order", "exchangeable"),
    ),
    "difference": Analysis(
        "do raters of one group agree more than those of another",
        lambda table, asked: difference_document(
            table, first=asked.first, second=asked.second, level=asked.level, options=asked.options
        ),
        as_text.difference_text,
        takes=(*_RATERS, "level", "order", "first", "second"),
        needs_groups=True,
    ),
    "systems": Analysis(
        "mean, majority and unanimous outputs of each system",
        lambda table, asked: systems_document(
            table, positive=asked.positive, level=asked.level, options=asked.options
        ),
        as_text.systems_text,
        takes=(*_RATERS, "level", "order", "positive"),
    ),
    "audit": Analysis(
        "a judge against experts, in sample and weighted by the design",
        lambda table, asked: audit_document(
            table, positive=asked.positive, options=asked.options, by=asked.by
        ),
        audit_text.audit_text,
        takes=(*_AUDIT, "by"),
        needs_positive=True,
    ),
    "corrected": Analysis(
        "the judge's score corrected by the experts' audit",
        lambda table, asked: corrected_document(
            table, positive=asked.positive, options=asked.options, by=asked.by
        ),
        audit_text.corrected_text,
        takes=(*_AUDIT, "by"),
        needs_positive=True,
    ),
    "calibration": Analysis(
        "a judge's graded scores against the experts' yes or no",
        lambda table, asked: calibration_document(
            table, positive=asked.positive, options=asked.options, score_range=asked.score_range
        ),
        audit_text.calibration_text,
        takes=(*_AUDIT, "score_range"),
        needs_positive=True,
    ),
    "pairs": Analysis(
        "win, loss, tie; strengths, ranks and position bias",
        lambda table, asked: pairs_document(
            table, options=asked.options, systems=asked.systems, orders=asked.orders
        ),
        as_text.pairs_text,
        takes=(*_RATERS, "systems", "orders"),
    ),
    "gold": Analysis(
        "a judge's choices between two outputs against the experts'",
        lambda table, asked: gold_document(table, options=asked.options),
        audit_text.gold_text,
        takes=("question",),
    ),
    "errors": Analysis(
        "raters' errors and severities, and what the labels say without them",
        lambda table, asked: errors_document(table, positive=asked.positive, options=asked.options),
        errors_text,
        takes=(*_RATERS, "positive", "order"),
    ),
    "retrieval": Analysis(
        "P@k, Hit@k and MRR@k of ranked lists",
        lambda table, asked: retrieval_document(table, ks=asked.ks, options=asked.options),
        as_text.retrieval_text,
        takes=("k",),
        columns=tuple(RANK_CHECKS),
        read=read_ranks,
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
    """`1,10,20` as numbers from 1 to 10^9. Raises ValueError."""
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1 or max(numbers) > 10**9:
        raise ValueError(f"must be whole numbers from 1 like 1,10,20, not {text[:60]!r}")
    return numbers


def words(text: str) -> tuple[str, ...]:
    """`a, b` as words; "" is none."""
    return tuple(part.strip() for part in text.split(",")) if text.strip() else ()


def two_numbers(text: str) -> tuple[float, float]:
    """`0,5` as numbers. Raises ValueError."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"must be two numbers like 0,5, not {text!r}") from None
    if not math.isfinite(low) or not math.isfinite(high):
        raise ValueError(f"must be two numbers like 0,5, not {text!r}")
    return low, high


def renaming(text: str) -> tuple[str, str]:
    """`other=canonical` as a pair; nothing after the sign drops the column. Raises ValueError."""
    name, sign, canonical = text.partition("=")
    if not sign or not name:
        raise ValueError(f"must be other=canonical, not {text!r}")
    return name, canonical
