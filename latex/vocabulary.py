"""The words of vocabulary.toml: commands with the arguments they take, and plain lists of names."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


def signatures(area: str, table: str) -> dict[str, str]:
    """Every name of a table with the letters of the arguments that follow it."""
    return {name: letters for letters, names in _file()[area][table].items() for name in names.split()}


def words(key: str) -> frozenset[str]:
    """One list of names."""
    return frozenset(_file()["words"][key].split())
