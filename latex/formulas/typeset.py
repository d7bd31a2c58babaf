"""Formulas as placed glyphs, rules and paths, for paper: KaTeX's own layout without a browser.

A printing engine that has to lay out KaTeX's nested elements itself needs 30 ms a formula; this needs 2 ms.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from latex.formulas.katex import KATEX, FormulaError, Program, ask

FONTS = KATEX.parent / "fonts"
_SCRIPT = Path(__file__).with_name("typeset.js")
_PREFIX = "KaTeX_"
_LINE_HEIGHT = 1.2  # of KaTeX's style sheet, in em


class Unplaced(FormulaError):
    """KaTeX accepts the formula, but a glyph or a construct of it is not known here."""


@dataclass(frozen=True)
class Piece:
    """A part of a formula between two possible line breaks, in em of the formula's font.

    `ops` draw it, with x from its left edge and y down from its baseline; their kinds `t` are g (glyphs),
    r (rule), l (line) and p (path), see typeset.js.
    """

    width: float
    height: float
    depth: float
    ops: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Typeset:
    """A formula in lines of pieces, and its number if it has one."""

    lines: tuple[tuple[Piece, ...], ...]
    tag: Piece | None


def typeset(latex: str, display: bool) -> Typeset:
    """Place a formula. Raises FormulaError when KaTeX refuses it and Unplaced when it cannot be placed."""
    reply = ask(_PLACE, latex, display)
    if "unknown" in reply:
        raise Unplaced(str(reply["unknown"])[:200])
    lines: list[list[Piece]] = [[]]
    for piece in reply["pieces"]:
        if "newline" in piece:
            lines.append([])
        else:
            lines[-1].append(_piece(piece))
    tag = _piece(reply["tag"]) if reply["tag"] else None
    return Typeset(tuple(tuple(line) for line in lines), tag)


def _piece(values: Mapping[str, Any]) -> Piece:
    return Piece(values["width"], values["height"], values["depth"], tuple(values["ops"]))


def font_file(name: str) -> Path:
    """The file of a font by the name that glyph ops use, for example Main-Regular."""
    return FONTS / f"{_PREFIX}{name}.woff2"


@cache
def font_metrics() -> str:
    """JSON for typeset.js: advances of all characters of all fonts, and how far their lines reach down."""
    advances: dict[str, dict[str, float]] = {}
    below: dict[str, float] = {}
    for path in sorted(FONTS.glob(f"{_PREFIX}*.woff2")):
        with TTFont(path, lazy=True) as font:
            em = font["head"].unitsPerEm
            widths, header = font["hmtx"], font["hhea"]
            name = path.stem.removeprefix(_PREFIX)
            advances[name] = {chr(code): widths[glyph][0] / em for code, glyph in font.getBestCmap().items()}
            below[name] = (_LINE_HEIGHT * em - header.ascent - header.descent) / 2 / em
    return json.dumps({"advances": advances, "below": below})


_PARSED = "(function (factory, fonts) { return factory(JSON.parse(fonts)); })"
_PLACE = Program(
    "place",
    lambda context: context.eval(_PARSED)(context.eval(_SCRIPT.read_text(encoding="utf-8")), font_metrics()),
)
