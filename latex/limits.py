"""Every bound on hostile input, in one place. All are counts, never clocks, so the same text always gives
the same page."""

from dataclasses import dataclass

MAX_SOURCE = 2_000_000  # characters; a longer text is shown as plain text
MAX_FORMULA = 20_000  # characters given to KaTeX
MAX_FORMULA_DEPTH = 150  # nested groups in one formula; KaTeX recurses
MAX_MACRO_CALLS_PER_FORMULA = 5_000
MAX_MACRO_BODY = 5_000  # tokens
MAX_ARGUMENT = 20_000  # tokens in one macro argument
MAX_INLINE_DEPTH = 24  # nested inline elements; deeper text keeps its words and loses its style
MAX_CONTAINER_DEPTH = 24  # nested lists, theorems, quotes
MAX_NAME = 200  # characters of a label, key, environment or file name
MAX_HTML = 12_000_000  # characters of HTML; what would go beyond is shown as plain text
MAX_NOTES = 60  # lines in the report
LOOPING = 5_000  # macro calls in a row that consume nothing of the source


class LimitReached(Exception):
    """A bound was hit; the message says which, in words for the report."""


@dataclass
class Budget:
    """Work allowed beyond reading the source once; proportional to its size, so time stays linear."""

    expansion: int  # tokens that macros may produce
    rescan: int  # tokens that may be read twice (arguments that never close, formulas that never end)

    @classmethod
    def for_source(cls, size: int) -> "Budget":
        return cls(expansion=100_000 + 4 * size, rescan=50_000 + 2 * size)

    def spend_expansion(self, tokens: int) -> None:
        self.expansion -= tokens + 1
        if self.expansion < 0:
            raise LimitReached("the macros of this document expand without end")

    def may_rescan(self, tokens: int) -> bool:
        self.rescan -= tokens + 1
        return self.rescan >= 0
