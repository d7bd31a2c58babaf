"""Canonical JSON: equal content gives equal bytes, on every machine."""

import hashlib
import json
import math
from typing import Any

_SIGNIFICANT_DIGITS = 12


def canonical(document: Any) -> bytes:
    """UTF-8 JSON with sorted keys, no blanks, and floats at 12 significant digits.

    Twelve digits are far below any error in our figures and above the last-bit differences between processors.
    Raises ValueError for NaN or infinity.
    """
    plain = _rounded(document)
    return json.dumps(
        plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode()


def sha256(document: Any) -> str:
    """SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no place in canonical JSON")
        return float(f"{value:.{_SIGNIFICANT_DIGITS}g}") + 0.0
    if isinstance(value, dict):
        return {str(key): _rounded(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(member) for member in value]
    return value
