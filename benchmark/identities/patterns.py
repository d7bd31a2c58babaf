"""The one data file of the scan, and how its patterns are brought into the form in which texts are read."""

import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from latex.folding import LOOK_ALIKES


@cache
def table() -> dict[str, Any]:
    """patterns.toml as it is."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def with_fragments(pattern: str) -> str:
    """A pattern with {NAME} replaced by the fragment of that name."""
    for name, fragment in table()["fragments"].items():
        pattern = pattern.replace(f"{{{name}}}", fragment)
    return pattern


def folded(pattern: str) -> str:
    """A pattern for texts whose letters have lost their accents and whose Cyrillic look-alikes became Latin.

    A Cyrillic letter of which only the capital looks Latin may have been read either way.
    """
    signs = []
    for sign in unicodedata.normalize("NFKD", pattern):
        capital = LOOK_ALIKES.get(sign.upper())
        if sign in LOOK_ALIKES and not sign.isascii():
            signs.append(LOOK_ALIKES[sign])
        elif not sign.isascii() and capital:
            signs.append(f"[{sign}{capital}]")
        elif unicodedata.category(sign) != "Mn":
            signs.append(sign)
    return "".join(signs)
