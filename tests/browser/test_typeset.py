"""Every glyph of a printed formula is where Chromium puts it, and has its font and size."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from latex import Piece, Unplaced, render, typeset
from latex.formulas.typeset import FONTS
from tests.browser.math_pages import formula_page
from tests.latex.kinds_of_formulas import KINDS
from tests.latex.real_data import machine_proofs, papers

pytestmark = pytest.mark.browser
WITH_WINDOWS = True
Formula = tuple[str, bool]
Glyph = tuple[str, float, float, float]  # text, and in em: x, baseline, size
EM = 100  # px in which Chromium sets them
TOLERANCE = 0.025  # em: Chromium rounds ascents to pixels, and widens hair lines to one
READ = (Path(__file__).parent / "read_glyphs.js").read_text("utf-8")


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    with formula_page(chromium, EM, 3000) as page:
        page.add_style_tag(content="#formula { width: 100000px }")
        yield page


def ours(piece: Piece) -> list[Glyph]:
    return [(op["text"], op["x"], op["y"], op["size"]) for op in piece.ops if op["t"] == "g"]


def differences(page: Page, formulas: list[Formula]) -> list[str]:
    """What differs between our places and Chromium's, formula by formula."""
    made = []
    for latex, display in formulas:
        try:
            made.append((latex, display, typeset(latex, display)))
        except Unplaced:
            continue
    shown = page.evaluate(READ, [json.dumps([latex, display]) for latex, display, _ in made])
    found = []
    for (latex, display, placed), theirs in zip(made, shown, strict=True):
        pieces = [piece for line in placed.lines for piece in line]
        pieces += [placed.tag] if placed.tag else []
        wrong = [complaint for pair in zip(pieces, theirs, strict=True) for complaint in compared(*pair)]
        if wrong:
            found.append(f"{latex} (display {display}): {'; '.join(wrong[:3])}")
    return found


def compared(piece: Piece, theirs: dict[str, Any]) -> Iterator[str]:
    if abs(piece.width - theirs["width"]) > TOLERANCE:
        yield f"width {piece.width:.3f}, Chromium {theirs['width']:.3f}"
    left = ours(piece)
    if len(left) != len(theirs["glyphs"]):
        yield f"{len(left)} glyphs, Chromium {len(theirs['glyphs'])}"
        return
    for text, x, y, size in map(tuple, theirs["glyphs"]):
        same = [glyph for glyph in left if glyph[0] == text and abs(glyph[3] - size) < 0.01]
        if not same:
            yield f"{text!r} is not there in size {size:.2f}"
            continue
        nearest = min(same, key=lambda glyph: abs(glyph[1] - x) + abs(glyph[2] - y))
        left.remove(nearest)
        if max(abs(nearest[1] - x), abs(nearest[2] - y)) > TOLERANCE:
            yield f"{text!r} at {nearest[1]:.3f} {nearest[2]:.3f}, Chromium {x:.3f} {y:.3f}"


@pytest.mark.slow
def test_every_kind_of_formula_is_set_as_chromium_sets_it(page: Page) -> None:
    both = [(latex, display) for latex in KINDS for display in (True, False)]
    assert differences(page, [one for one in both if one[1] or "{CD}" not in one[0]]) == []


@pytest.mark.slow
@pytest.mark.real_data
def test_the_formulas_of_papers_and_machine_proofs_are_set_as_chromium_sets_them(page: Page) -> None:
    texts = [(text, "markdown") for text in list(machine_proofs().values())[::12]]
    texts += [(text, "latex") for text in list(papers().values())[::5]]
    formulas = {(one.latex, one.display) for text, form in texts for one in render(text, form).formulas}  # type: ignore[arg-type]
    chosen = sorted(one for one in formulas if "array}" not in one[0] and not several_numbers(one[0]))
    assert len(chosen) > 500
    assert differences(page, chosen) == []


def several_numbers(latex: str) -> bool:
    """Numbers of several lines are a table, which Chromium's strut does not let us measure."""
    return "\\tag" in latex and "{align" in latex


@pytest.mark.slow
def test_the_fonts_are_those_of_the_style_sheet() -> None:
    sheet = (FONTS.parent / "katex.min.css").read_text("utf-8")
    assert all(path.name in sheet for path in FONTS.glob("*.woff2"))
