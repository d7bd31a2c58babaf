"""Every bound on hostile input, in one place. All are counts, so the same text always gives the same page; a clock
stops only what would keep a worker from others' work, and what it stops is shown as plain text."""

import time
from dataclasses import dataclass

MAX_SOURCE = 2_500_000  # characters; a longer text is shown as plain text
MAX_FORMULA = 20_000  # characters given to KaTeX
MAX_FORMULA_DEPTH = 150  # nested groups in one formula; KaTeX recurses
MAX_MACRO_CALLS_PER_FORMULA = 5_000
MAX_MACRO_BODY = 5_000  # tokens
MAX_ARGUMENT = 20_000  # tokens in one macro argument
MAX_INLINE_DEPTH = 24  # nested inline elements; deeper text keeps its words and loses its style
MAX_CONTAINER_DEPTH = 24  # nested lists, theorems, quotes
MAX_NAME = 200  # characters of a label, key, environment or file name
MAX_HTML = 12_000_000  # characters of HTML; what would go beyond is shown as plain text
SECONDS_PER_DOCUMENT = 9.0  # of processor time, in a worker; a book of 1.5 MB takes 5
SECONDS_FOR_FORMULAS = 3.0  # of that, to try the formulas of a document with KaTeX
UNTRIED = 1_000  # characters; a longer formula is shown as source when no time was left to try it
MAX_NOTES = 60  # lines in the report
MAX_MACRO_DEPTH = 200  # macro calls, each in the expansion of the one before
MAX_RELATIONS = 200  # counters that a document makes restart within others
MAX_NUMBER = 100  # characters of a number that references print


class OutOfTime(Exception):
    """The time for a document is over."""


class Clock:
    """Processor time that the thread may still use; None for any."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else time.thread_time() + seconds

    @property
    def is_over(self) -> bool:
        return self._end is not None and time.thread_time() > self._end

    def check(self) -> None:
        """Raise OutOfTime if the time is up."""
        if self.is_over:
            raise OutOfTime


class LimitReached(Exception):
    """A bound was hit; the message says which, in words for the report."""


class ShownAsSource(LimitReached):
    """A diagram or picture that a formula can't show; the message is its kind."""


@dataclass
class Budget:
    """Work allowed beyond reading the source once: a stock, and more for every character that was read.

    The sum is in proportion to the source, so time stays linear. What a passage uses up is used up for the
    passages around it, and not for the rest of the document.
    """

    expanded: int = 0  # tokens that macros produced
    reread: int = 0  # tokens that were read twice (arguments that never close, formulas that never end)

    def spend_expansion(self, tokens: int, position: int) -> None:
        if self.expanded + tokens >= 100_000 + 4 * position:
            raise LimitReached("the macros here expand to more than the document may hold")
        self.expanded += tokens + 1

    def may_reread(self, position: int) -> int:
        """How many tokens may be read twice, now that reading has come to `position`."""
        return 50_000 + 2 * position - self.reread
