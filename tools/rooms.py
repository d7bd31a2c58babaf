"""The rooms of the house in docs/architecture.md, from the packages' own docstrings: python -m tools.rooms.

tests/test_docs.py fails when the document and the docstrings differ; this command writes the docstrings into it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "architecture.md"
NOT_PRODUCT = {"bench", "tests", "tools"}
NOT_ROOMS = {"management", "migrations", "templatetags"}  # folders that Django prescribes
_PLACE = re.compile(r"(?<=<!-- rooms -->\n).*(?=<!-- end of rooms -->)", re.DOTALL)


def rooms() -> Iterator[tuple[str, str]]:
    """(folder, first line of its docstring) of every package and of the rooms in it."""
    for package in sorted(file.parent for file in ROOT.glob("*/__init__.py")):
        if package.name in NOT_PRODUCT:
            continue
        yield package.name, _first_line(package)
        for file in sorted(package.glob("*/__init__.py")):
            if file.parent.name not in NOT_ROOMS:
                yield f"{package.name}/{file.parent.name}", _first_line(file.parent)


def with_rooms(text: str) -> str:
    """The document with the table of rooms as the docstrings have it; raises ValueError without a place for it."""
    table = ["| folder | what it is for |", "|---|---|"]
    table += [f"| `{folder}` | {line} |" for folder, line in rooms()]
    written, places = _PLACE.subn(lambda _: "\n" + "\n".join(table) + "\n\n", text)
    if places != 1:
        raise ValueError(f"{DOCUMENT.name} needs one place for the rooms, it has {places}")
    return written


def _first_line(folder: Path) -> str:
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    if not doc:
        raise ValueError(f"{folder.relative_to(ROOT)} is a room without a docstring")
    return doc.partition("\n")[0]


if __name__ == "__main__":
    DOCUMENT.write_text(with_rooms(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
