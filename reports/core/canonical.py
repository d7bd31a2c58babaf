"""Canonical JSON of documents with numbers that were computed: floats at 12 significant digits."""

import math
from typing import Any

from canonical import canonical_json, sha256_of

_SIGNIFICANT_DIGITS = 12


def canonical(document: Any) -> bytes:
    """Canonical bytes with floats at 12 significant digits.

    Twelve digits are far below any error in our figures and above the last-bit differences between processors.
    Raises ValueError for NaN or infinity.
    """
    return canonical_json(rounded(document))


def sha256(document: Any) -> str:
    return sha256_of(rounded(document))


def rounded(value: Any) -> Any:
    """The value with all floats as canonical JSON has them. Raises ValueError for NaN or infinity."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no place in canonical JSON")
        return float(f"{value:.{_SIGNIFICANT_DIGITS}g}") + 0.0
    if isinstance(value, dict):
        return {str(key): rounded(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(member) for member in value]
    return value
