"""KaTeX's fonts as PDF objects: whole fonts, addressed by glyph, with the characters they stand for."""

import io
from dataclasses import dataclass
from functools import cache
from typing import Any

import pydyf
from fontTools.ttLib import TTFont

from latex.formulas.typeset import font_file


@dataclass(frozen=True)
class MathFont:
    """What a PDF needs of a font; lengths in thousandths of an em. `glyphs` maps a character to its index."""

    name: str
    program: bytes
    glyphs: dict[str, int]
    widths: tuple[int, ...]
    box: tuple[int, int, int, int]
    ascent: int
    descent: int

    def hexadecimal(self, text: str) -> str:
        """The text as a PDF string of glyph indices."""
        return "".join(f"{self.glyphs[character]:04x}" for character in text)


@cache
def math_font(name: str) -> MathFont:
    """A font by the name that latex.formulas.typeset uses, for example Math-Italic."""
    with TTFont(font_file(name)) as font:
        scale = 1000 / font["head"].unitsPerEm
        characters = font.getBestCmap()
        head, line = font["head"], font["hhea"]
        widths = [round(font["hmtx"][glyph][0] * scale) for glyph in font.getGlyphOrder()]
        glyphs = {chr(code): font.getGlyphID(glyph) for code, glyph in characters.items()}
        plain = io.BytesIO()
        font.flavor = None  # PDF takes the font without the web's compression
        font.save(plain)
        box = tuple(round(side * scale) for side in (head.xMin, head.yMin, head.xMax, head.yMax))
        ascent, descent = round(line.ascent * scale), round(line.descent * scale)
    return MathFont(f"KaTeX_{name}", plain.getvalue(), glyphs, tuple(widths), box, ascent, descent)


def embed(pdf: Any, font: MathFont) -> bytes:
    """Add the font to a pydyf PDF; returns the reference under which pages may name it."""
    file = pydyf.Stream([font.program], pydyf.Dictionary({"Length1": len(font.program)}), compress=True)
    pdf.add_object(file)
    descriptor = pydyf.Dictionary(
        {
            "Type": "/FontDescriptor",
            "FontName": f"/{font.name}",
            "Flags": 4,
            "FontBBox": pydyf.Array(font.box),
            "ItalicAngle": 0,
            "Ascent": font.ascent,
            "Descent": font.descent,
            "CapHeight": font.ascent,
            "StemV": 80,
            "FontFile2": file.reference,
        }
    )
    pdf.add_object(descriptor)
    described = pydyf.Dictionary(
        {
            "Type": "/Font",
            "Subtype": "/CIDFontType2",
            "BaseFont": f"/{font.name}",
            "CIDSystemInfo": pydyf.Dictionary(
                {
                    "Registry": pydyf.String("Adobe"),
                    "Ordering": pydyf.String("Identity"),
                    "Supplement": 0,
                }
            ),
            "CIDToGIDMap": "/Identity",
            "W": pydyf.Array([0, pydyf.Array(font.widths)]),
            "FontDescriptor": descriptor.reference,
        }
    )
    pdf.add_object(described)
    characters = pydyf.Stream([_to_unicode(font)], compress=True)
    pdf.add_object(characters)
    whole = pydyf.Dictionary(
        {
            "Type": "/Font",
            "Subtype": "/Type0",
            "BaseFont": f"/{font.name}",
            "Encoding": "/Identity-H",
            "DescendantFonts": pydyf.Array([described.reference]),
            "ToUnicode": characters.reference,
        }
    )
    pdf.add_object(whole)
    return bytes(whole.reference)


def _to_unicode(font: MathFont) -> bytes:
    """The map from glyphs back to characters that viewers copy and search by."""
    lines = [f"<{glyph:04x}> <{text.encode('utf-16-be').hex()}>" for text, glyph in font.glyphs.items()]
    parts = [lines[start : start + 100] for start in range(0, len(lines), 100)]
    tables = [f"{len(part)} beginbfchar\n{chr(10).join(part)}\nendbfchar" for part in parts]
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
            "/CMapName /Characters def /CMapType 2 def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *tables,
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ]
    ).encode()
