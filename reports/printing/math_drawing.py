"""A piece of a formula as PDF drawing instructions, in em, with y upwards from its baseline."""

from collections.abc import Mapping
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
    steps = []
    for op in piece.ops:
        colour = parse_color(op["color"]) if op["color"] else None
        if colour is None or isinstance(colour, str):
            steps += _steps(op)
        else:
            red, green, blue = colour.to("srgb").coordinates[:3]
            amounts = f"{red:.3f} {green:.3f} {blue:.3f}"
            steps += [f"q {amounts} rg {amounts} RG", *_steps(op), "Q"]
    spoken = ("\ufeff" + source).encode("utf-16-be", "replace").hex()
    return "\n".join([f"/Span << /ActualText <{spoken}> >> BDC", *steps, "EMC"]).encode()


def fonts_of(piece: Piece) -> set[str]:
    return {op["font"] for op in piece.ops if op["t"] == "g"}


def _steps(op: Mapping[str, Any]) -> list[str]:
    """What draws glyphs (g), a rule (r), a line (l) or a path (p)."""
    x, y = op["x"], -op["y"]
    if op["t"] == "g":
        text = math_font(op["font"]).hexadecimal(op["text"])
        return [f"BT /{op['font']} {op['size']:.4f} Tf 1 0 0 1 {x:.4f} {y:.4f} Tm <{text}> Tj ET"]
    if op["t"] == "l":
        ends = f"{x:.4f} {y:.4f} m {x + op['dx']:.4f} {y - op['dy']:.4f} l"
        return [f"q {op['stroke']:.4f} w {ends} S Q"]
    if op["t"] == "p":
        clip = op["clip"]
        return [
            f"q 1 0 0 -1 {x:.4f} {y:.4f} cm 0 0 {clip['w']:.4f} {clip['h']:.4f} re W n",
            f"{op['sx']:.7f} 0 0 {op['sy']:.7f} {op['tx']:.4f} 0 cm",
            outline(op["d"]),
            "f Q",
        ]
    width, height = op["w"], op["h"]
    bottom = y - height
    if not op["dashed"]:
        return [f"{x:.4f} {bottom:.4f} {width:.4f} {height:.4f} re f"]
    if width >= height:
        middle = bottom + height / 2
        line = f"{x:.4f} {middle:.4f} m {x + width:.4f} {middle:.4f} l S"
    else:
        middle = x + width / 2
        line = f"{middle:.4f} {bottom:.4f} m {middle:.4f} {bottom + height:.4f} l S"
    return [f"q {min(width, height):.4f} w [{DASH}] 0 d {line} Q"]


@lru_cache(maxsize=1000)
def outline(path: str) -> str:
    """The data of an SVG path as PDF path instructions."""
    pen = DecomposingRecordingPen({})
    parse_path(path, pen)
    signs = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "closePath": "h", "endPath": ""}
    lines, here = [], (0.0, 0.0)
    for name, points in pen.value:
        if name == "qCurveTo":  # PDF knows no quadratic curves: raise their degree
            (bend, end) = points
            first = tuple(a + 2 / 3 * (b - a) for a, b in zip(here, bend, strict=True))
            second = tuple(a + 2 / 3 * (b - a) for a, b in zip(end, bend, strict=True))
            name, points = "curveTo", (first, second, end)
        numbers = " ".join(f"{number:.3f}" for point in points for number in point)
        lines.append(f"{numbers} {signs[name]}")
        here = points[-1] if points else here
    return "\n".join(lines)
