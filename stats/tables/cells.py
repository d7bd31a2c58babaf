"""Text in CSV cells that a spreadsheet would run as a formula.

A cell that starts with = + - @ (also full-width, as East Asian keyboards write them), TAB, CR or LF (after any
apostrophes) gets one apostrophe in front when it is written and loses it when it is read. Every other text, also
one that starts with apostrophes, stays as it is, so `unquote_cell(quote_cell(text)) == text` for all texts.
"""

import math
import re

_STARTS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_WOULD_RUN = re.compile(f"'*[{re.escape(_STARTS)}]")
SUSPECT = frozenset(
    "'" + _STARTS
)  # what such a cell can begin with; most cells are passed over by this alone
_WAS_QUOTED = re.compile(f"'+[{re.escape(_STARTS)}]")


def quote_cell(text: str) -> str:
    """Text for a CSV file that a spreadsheet shows and does not run."""
    return f"'{text}" if text[:1] in SUSPECT and _WOULD_RUN.match(text) else text


def unquote_cell(cell: str) -> str:
    """The text that `quote_cell` was given."""
    return cell[1:] if _WAS_QUOTED.match(cell) else cell


# Not 1_0, which Python reads. No two parts match the same characters, so that a long cell takes no longer than it is.
_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
LARGEST = 1e60  # sums of fourth powers of what is no larger are finite


def number_in(text: str) -> float:
    """The number that a text writes; nan for every other text, and beyond LARGEST."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if abs(number) <= LARGEST else math.nan


def is_too_large(text: str) -> bool:
    """Whether a text writes a finite number that `number_in` does not take."""
    return _NUMBER.fullmatch(text) is not None and abs(float(text)) > LARGEST
