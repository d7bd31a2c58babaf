"""Pictures that a text shows: what it calls them, numbers in place of these names, and pictures in its HTML. Pure.

The name of a picture's file can tell who made it. Before a text is read blind, names of known pictures become circled
numbers: the text keeps its length, and rendering it says nothing about files. A page puts the pictures where the
numbers are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape

from latex.visible import visible

NUMBERS = "".join(
    [*map(chr, range(0x2460, 0x2474)), *map(chr, range(0x3251, 0x3260)), *map(chr, range(0x32B1, 0x32C0))]
)
COLUMN = 640  # pixels of a line of text
_SHOWN = re.compile(r"(\\includegraphics\s*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{)([^{}\n]+)\}")
_PLACE = re.compile(rf'<span class="image-name"(?: data-source="([^"]*)")?>\[picture ([{NUMBERS}])\]</span>')
_CAPTION = re.compile(r'<p class="caption">(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_LENGTH = re.compile(
    r"\b(width|height|totalheight|scale)\s*=\s*(\d*\.?\d*)\s*(\\(?:text|line|column|h)(?:width|size)|[a-z]{2})?"
)
_UNITS = {
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "pt": 96 / 72.27,
    "bp": 96 / 72,
    "px": 1.0,
    "em": 16.0,
    "ex": 7.0,
}


@dataclass(frozen=True)
class Picture:
    """A picture as a page shows it: its width and height in pixels, and `title` for one without a caption."""

    address: str
    size: tuple[float, ...]
    title: str


def picture_names(text: str, text_format: str) -> list[str]:
    """What a text calls the pictures that it shows, in their order."""
    return (
        []
        if text_format == "plain"
        else [found[2].strip() for found in _SHOWN.finditer(visible(text, text_format))]
    )


def with_numbers(text: str, numbers: Mapping[str, int]) -> str:
    """The text, as long as it was, with numbers of 1 to 50 in place of the names that have one."""

    def numbered(found: re.Match[str]) -> str:
        number = numbers.get(found[2].strip())
        return found[0] if number is None else f"{found[1]}{NUMBERS[number - 1]:<{len(found[2])}}}}"

    return _SHOWN.sub(numbered, text) if numbers else text


def with_pictures(html: str, pictures: Mapping[int, Picture]) -> str:
    """The HTML of a block with the pictures that it names by number; others stay as they are."""

    def shown(found: re.Match[str]) -> str:
        picture = pictures.get(NUMBERS.index(found[2]) + 1)
        if picture is None:
            return found[0]
        # Width and height in pixels, as the options of the picture say; never wider than the column.
        natural, height = picture.size
        ratio, width = height / max(natural, 1), natural
        for name, number, unit in _LENGTH.findall(unescape(found[1] or "")):
            factor = float(number) if number.strip(".") else 1.0
            length = factor * (COLUMN if unit.startswith("\\") else _UNITS.get(unit, 0.0))
            if name == "scale":
                width = natural * factor
            elif length and name == "width":
                width = length
                break
            elif length:
                width = length / max(ratio, 0.01)
        width = min(max(width, 16.0), COLUMN)
        caption = _CAPTION.search(html, found.end())
        words = " ".join(unescape(_TAG.sub("", caption[1])).split()) if caption else ""
        address, alt = escape(picture.address), escape(words or picture.title)
        size = f'width="{round(width)}" height="{max(1, round(width * ratio))}"'
        image = f'<img class="picture" src="{address}" {size} loading="lazy" alt="{alt}">'
        return f'<a class="picture-link" href="{address}" target="_blank" rel="noopener">{image}</a>'

    return _PLACE.sub(shown, html)
