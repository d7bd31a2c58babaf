"""Formulas as images that WeasyPrint places in lines: each is drawn once in a PDF, however often it occurs.

WeasyPrint finds them in its documented image cache under addresses of the form `formula:7`, which nothing
ever fetches. Their fonts join the PDF at its end. The cache is public; what an object in it must offer, and the stream
that it draws on, are private to WeasyPrint 70, which is therefore pinned (docs/latex.md).
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import pydyf

from latex import FormulaError, Piece, Typeset, typeset
from reports.printing.math_drawing import drawing, fonts_of
from reports.printing.math_fonts import embed, math_font

SIZE = 1.08  # of a formula's em against the text around it, as on the pages
STEP = 0.05  # em: images reach below the line by multiples of it, so that they share a few styles
DEPTHS = 80  # steps that have a style of their own
BREAKABLE = 6.0  # em: shorter formulas, and parts of longer ones, stay on one line
BREAKABLE_DISPLAY = 40.0
_SLACK = 2.0  # em that glyphs may reach beyond their piece

SHEET = "img { overflow: visible }\n" + "\n".join(
    f"img.d{steps} {{ vertical-align: {-steps * STEP * SIZE:.3f}em }}" for steps in range(DEPTHS)
)


class MathImage:
    """One piece of a formula as WeasyPrint asks for an image; it reaches `steps` below the baseline."""

    def __init__(self, name: str, piece: Piece) -> None:
        self.id = name
        self.piece = piece
        self.source = ""
        self.steps = math.ceil(max(piece.depth, 0) / STEP - 1e-9)
        self.width = max(piece.width, 0.001)
        self.height = max(piece.height + self.steps * STEP, 0.001)
        self.made: Any = None

    def get_intrinsic_size(self, resolution: float, font_size: float) -> tuple[float, float, float]:
        return self.width * font_size * SIZE, self.height * font_size * SIZE, self.width / self.height

    @property
    def html(self) -> str:
        """The element that asks for this image."""
        depth = f'class="d{self.steps}"'
        if self.steps >= DEPTHS:
            depth = f'style="vertical-align:{-self.steps * STEP * SIZE:.3f}em"'
        return f'<img src="formula:{self.id}" {depth}>'

    def draw(self, stream: Any, width: float, height: float, style: Any) -> None:
        scale = width / self.width
        name = stream.add_image(self, False, 1)
        stream.transform(a=scale, d=-scale, f=height - self.steps * STEP * scale)
        stream.draw_x_object(name)

    def get_x_object(self, interpolate: bool, ratio: float) -> Any:
        box = (-_SLACK, -self.height - _SLACK, self.width + _SLACK, self.height + _SLACK)
        extra = pydyf.Dictionary({"Type": "/XObject", "Subtype": "/Form", "BBox": pydyf.Array(box)})
        self.made = pydyf.Stream([drawing(self.piece, self.source)], extra, compress=True)
        return self.made


class MathImages:
    """The formulas of one document: as HTML with images, in WeasyPrint's cache, and at last in the PDF."""

    def __init__(self) -> None:
        self._images: list[MathImage] = []
        self._html: dict[tuple[str, bool, str], str] = {}

    def html(self, latex: str, display: bool, source: str) -> str:
        """The formula as HTML; one that cannot be placed is shown as source."""
        key = (latex, display, source)
        if key not in self._html:
            try:
                self._html[key] = self._placed(typeset(latex, display), display, source)
            except FormulaError as error:
                shown = f'<code class="math-source" title="{escape(str(error))}">{escape(source)}</code>'
                self._html[key] = shown
        return self._html[key]

    def _placed(self, made: Typeset, display: bool, source: str) -> str:
        least = BREAKABLE_DISPLAY if display else BREAKABLE
        lines = [self._line(line, least, source) for line in made.lines]
        if not display:
            return "<br>".join(lines)
        body = "".join(f'<div class="line">{line}</div>' for line in lines)
        if made.tag is None:
            return body
        number = self._image(made.tag).html
        return f'<table class="numbered"><tr><td>{body}</td><td class="tag">{number}</td></tr></table>'

    def _line(self, pieces: Sequence[Piece], least: float, source: str) -> str:
        images = [self._image(piece) for piece in together(pieces, least)]
        for image in images[:1]:
            image.source = source
        return "".join(image.html for image in images)

    def _image(self, piece: Piece) -> MathImage:
        self._images.append(MathImage(f"formula{len(self._images)}", piece))
        return self._images[-1]

    def cache(self) -> dict[str, MathImage]:
        """WeasyPrint's image cache, which it adds its own finds to."""
        return {f"formula:{image.id}": image for image in self._images}

    def finish(self, document: Any, pdf: Any) -> None:
        """WeasyPrint's finisher: give the drawn formulas their fonts."""
        drawn = [image for image in self._images if image.made is not None]
        names = sorted({name for image in drawn for name in fonts_of(image.piece)})
        fonts = pydyf.Dictionary({name: embed(pdf, math_font(name)) for name in names})
        resources = pydyf.Dictionary({"Font": fonts})
        pdf.add_object(resources)
        for image in drawn:
            image.made.extra["Resources"] = resources.reference


def together(pieces: Sequence[Piece], least: float) -> list[Piece]:
    """The pieces joined from the left so that all but the last are at least `least` em wide."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and sum(part.width for part in groups[-1]) < least:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    if len(groups) > 1 and sum(part.width for part in groups[-1]) < least:
        last = groups.pop()
        groups[-1] += last
    joined = []
    for group in groups:
        start, ops = 0.0, []
        for piece in group:
            ops += [{**op, "x": op["x"] + start} for op in piece.ops]
            start += piece.width
        height, depth = max(piece.height for piece in group), max(piece.depth for piece in group)
        several = Piece(width=start, height=height, depth=depth, ops=tuple(ops))
        joined.append(several if len(group) > 1 else group[0])
    return joined
