"""Rounding for people: decimal HALF_UP on the exact ratio, as the published tables do.

`round(0.25, 1)` gives 0.2 and 57/160 is not representable as a float; so a percentage that is shown is
computed from its integers.
"""

import re
from decimal import Decimal
from fractions import Fraction

_NEGATIVE = re.compile(r"(?<!\w)-(?=\d)")


def minus(text: str) -> str:
    """With U+2212 as the sign of negative numbers: for pages and printed reports, never for files and commands."""
    return _NEGATIVE.sub("\N{MINUS SIGN}", text)


def signed(shown: str) -> str:
    """A difference as it was rounded, with its sign on pages and in printed reports; none before 0."""
    return f"+{shown}" if float(shown) > 0 else minus(shown)


def ratio(numerator: int, denominator: int, *, places: int = 1, scale: int = 1) -> str:
    """`scale * numerator / denominator` with `places` decimals, HALF_UP (halves go away from zero).

    Raises ValueError for a zero denominator or negative places.
    """
    if denominator == 0:
        raise ValueError("a ratio over zero has no display: show the reason instead")
    return _fixed(Fraction(numerator * scale, denominator), places)


def percent(numerator: int, denominator: int, *, places: int = 1) -> str:
    """`percent(14, 200)` is `"7.0"`."""
    return ratio(numerator, denominator, places=places, scale=100)


def rounded(value: float, *, places: int = 3) -> str:
    """A float (an interval's end, a kappa) by HALF_UP on its shortest decimal form."""
    return _fixed(Fraction(Decimal(repr(float(value)))), places)


def rounded_percent(value: float, *, places: int = 1) -> str:
    """A proportion held as a float, in percent: `rounded_percent(0.0755)` is `"7.6"`."""
    return _fixed(Fraction(Decimal(repr(float(value)))) * 100, places)


def _fixed(exact: Fraction, places: int) -> str:
    if places < 0:
        raise ValueError(f"places must be 0 or more, got {places}")
    doubled = 2 * abs(exact) * 10**places
    units = (doubled.numerator // doubled.denominator + 1) // 2
    whole, rest = divmod(units, 10**places)
    shown = f"{whole}.{rest:0{places}}" if places else f"{whole}"
    return f"-{shown}" if exact < 0 and units else f"{shown}"
