"""What the page of a text says about who wrote it, where its source does not: names that macros with arguments, cells,
formulas and elements of a line put together. Linear in the text, as rendering is."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

from benchmark.identities import naming
from benchmark.identities.findings import Finding, Kind
from benchmark.identities.phrases import QUOTES, phrases
from latex import Block, render_in_time
from latex.folding import Reading, read
from latex.render import Format
from latex.shown import read_shown
from latex.visible import visible

_AHEAD = 2_000  # characters of the source in which a line of the page is looked for
_AROUND = 80  # characters of what is near a line, which may say whose name is in it
Pages = Callable[[str, str], Iterable[Block]]


def render_page(text: str, text_format: str) -> Iterable[Block]:
    """The blocks of a text, rendered on the spot."""
    return render_in_time(text, cast(Format, text_format)).blocks


def scan_shown(
    source: str,
    text_format: str,
    systems: Iterable[str] = (),
    words: Iterable[str] = (),
    pages: Pages = render_page,
) -> list[Finding]:
    """Certain findings of kind SHOWN, each thing once; the place of one is the source of its block.

    Lines that the source has as they are were scanned there and are only read for what is near them.
    """
    page = read_shown(pages(visible(source, text_format), text_format))
    reading = _unread(page, read(source, text_format))
    found = [*naming.named(reading, systems, words), *phrases(reading)] if reading.text else []
    certain = {
        squeezed(one.evidence): replace(one, kind=Kind.SHOWN) for one in reversed(found) if one.certain
    }
    return sorted(certain.values(), key=lambda one: (one.start, one.end))


def squeezed(words: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(filter(str.isalnum, words)).casefold()


def _unread(page: Reading, source: Reading) -> Reading:
    """The lines of the page that are not lines of the source, each with what is near it."""
    text = f"\n{source.text}\n".translate(QUOTES)
    flat, symbol = text.replace("\n", " "), [False, *source.symbol]
    kept, parts = Reading(), []
    at = done = cursor = 0
    for line in page.text.translate(QUOTES).split("\n")[:-1]:
        end = at + len(line)
        cursor = max(cursor, bisect_left(source.starts, page.starts[at]))
        found = flat.find(line, cursor, cursor + len(line) + _AHEAD)
        behind = found + len(line)
        if found > 0:
            cursor = behind
        if (
            found < 1
            or text[found - 1] != "\n"
            or text[behind : behind + 1].isalnum()  # the page can have a blank more at the end
            or symbol[found:behind] != page.symbol[at:end]
        ):
            first, last = max(done, at - _AROUND), end + 1 + _AROUND
            if first > done:  # from a blank to a blank
                blank = page.text.find(" ", first, at)
                first = blank if blank >= 0 else at - 1
            if last < len(page.text):
                last = max(page.text.rfind(" ", end, last), end) + 1
            parts.append(page.text[first:last])
            kept.starts += page.starts[first:last]
            kept.ends += page.ends[first:last]
            kept.symbol += page.symbol[first:last]
            done = last
        at = end + 1
    kept.text = "".join(parts)
    return kept
