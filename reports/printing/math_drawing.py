"""A piece of a formula as PDF drawing instructions, in em, with y upwards from its baseline."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.svgLib.path import parse_path
from tinycss2.color4 import parse_color

from latex import Piece
from reports.printing.math_fonts import math_font

DASH = 0.15  # em, of dashed rules


def drawing(piece: Piece, source: str) -> bytes:
    """The instructions; copying from the page gives `source`."""
    steps = [line for op in piece.ops for line in _DRAW[op["t"]](op)]
    spoken = ("\ufeff" + source).encode("utf-16-be", "replace").hex()
    return "\n".join([f"/Span << /ActualText <{spoken}> >> BDC", *steps, "EMC"]).encode()


def fonts_of(piece: Piece) -> set[str]:
    """The fonts that the instructions name."""
    return {op["font"] for op in piece.ops if op["t"] == "g"}


def _glyphs(op: Mapping[str, Any]) -> Iterator[str]:
    text = math_font(op["font"]).hexadecimal(op["text"])
    place = f"1 0 0 1 {op['x']:.4f} {-op['y']:.4f} Tm"
    yield from _coloured(op, [f"BT /{op['font']} {op['size']:.4f} Tf {place} <{text}> Tj ET"])


def _rule(op: Mapping[str, Any]) -> Iterator[str]:
    bottom = -op["y"] - op["h"]
    if not op["dashed"]:
        yield from _coloured(op, [f"{op['x']:.4f} {bottom:.4f} {op['w']:.4f} {op['h']:.4f} re f"])
        return
    across = op["w"] >= op["h"]
    x, y = op["x"] + (0 if across else op["w"] / 2), bottom + (op["h"] / 2 if across else 0)
    to_x, to_y = (x + op["w"], y) if across else (x, y + op["h"])
    width = min(op["w"], op["h"])
    line = f"{x:.4f} {y:.4f} m {to_x:.4f} {to_y:.4f} l S"
    yield from _coloured(op, [f"q {width:.4f} w [{DASH}] 0 d {line} Q"])


def _line(op: Mapping[str, Any]) -> Iterator[str]:
    ends = f"{op['x']:.4f} {-op['y']:.4f} m {op['x'] + op['dx']:.4f} {-op['y'] - op['dy']:.4f} l"
    yield from _coloured(op, [f"q {op['stroke']:.4f} w {ends} S Q"])


def _path(op: Mapping[str, Any]) -> Iterator[str]:
    clip = op["clip"]
    yield from _coloured(
        op,
        [
            f"q 1 0 0 -1 {op['x']:.4f} {-op['y']:.4f} cm 0 0 {clip['w']:.4f} {clip['h']:.4f} re W n",
            f"{op['sx']:.7f} 0 0 {op['sy']:.7f} {op['tx']:.4f} 0 cm",
            outline(op["d"]),
            "f Q",
        ],
    )


_DRAW = {"g": _glyphs, "r": _rule, "l": _line, "p": _path}


def _coloured(op: Mapping[str, Any], steps: list[str]) -> list[str]:
    if not op["color"]:
        return steps
    colour = parse_color(op["color"])
    if colour is None or isinstance(colour, str):
        return steps
    red, green, blue = colour.to("srgb").coordinates[:3]
    amounts = f"{red:.3f} {green:.3f} {blue:.3f}"
    return [f"q {amounts} rg {amounts} RG", *steps, "Q"]


@lru_cache(maxsize=1000)
def outline(path: str) -> str:
    """The data of an SVG path as PDF path instructions."""
    pen = DecomposingRecordingPen({})
    parse_path(path, pen)
    signs = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "closePath": "h", "endPath": ""}
    return "\n".join(
        " ".join(f"{number:.3f}" for point in points for number in point) + " " + signs[name]
        for name, points in _cubic(pen.value)
    )


def _cubic(steps: Any) -> Iterator[tuple[str, tuple[tuple[float, float], ...]]]:
    """PDF knows no quadratic curves: raise their degree."""
    here = (0.0, 0.0)
    for name, points in steps:
        if name == "qCurveTo":
            (bend, end) = points
            first = tuple(a + 2 / 3 * (b - a) for a, b in zip(here, bend, strict=True))
            second = tuple(a + 2 / 3 * (b - a) for a, b in zip(end, bend, strict=True))
            name, points = "curveTo", (first, second, end)
        yield name, points
        here = points[-1] if points else here
