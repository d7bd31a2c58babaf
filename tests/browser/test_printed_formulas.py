"""Printed formulas look as they do in Chromium: the same ink in the same places, picture against picture."""

import io
from collections.abc import Iterator

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageFilter
from playwright.sync_api import Browser, Page

from reports.printing.math_images import SIZE
from reports.printing.pages import print_html
from tests.browser.math_pages import formula_page
from tests.latex.kinds_of_formulas import KINDS

pytestmark = pytest.mark.browser
SHEET = "@page { size: 600mm 200mm; margin: 20mm } html { font-size: 40pt }"
EM = 57.6  # pixels
BLUR = 2.5  # pixels: a hair's breadth does not count
LEAST = 0.93


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    with formula_page(chromium, EM, 2400) as page:
        page.add_style_tag(content="#formula { background: white; color: black; padding: 20px }")
        yield page


def in_chromium(page: Page, latex: str) -> Image.Image:
    page.evaluate(
        "latex => katex.render(latex, document.getElementById('formula'), {displayMode: true, strict: 'ignore'})",
        latex,
    )
    page.evaluate("() => document.fonts.ready")
    return Image.open(io.BytesIO(page.locator("#formula").screenshot()))


def on_paper(latex: str) -> Image.Image:
    escaped = latex.replace("&", "&amp;").replace("<", "&lt;")
    html = f'<div class="math" data-display="true" data-source="">{escaped}</div>'
    pdf = pypdfium2.PdfDocument(print_html(html, [SHEET]).content)
    picture = pdf[0].render(scale=EM / (40 * SIZE)).to_pil()
    pdf.close()
    return picture


def ink(picture: Image.Image) -> np.ndarray:
    """How dark each pixel is, cut to where there is any ink."""
    dark = 255 - np.asarray(picture.convert("L"), dtype=float)
    rows, columns = np.flatnonzero(dark.max(1) > 40), np.flatnonzero(dark.max(0) > 40)
    return dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Correlation of two blurred pictures, the second brought to the size of the first; 1 for the same picture."""
    size = (one.shape[1], one.shape[0])
    blurred = [
        Image.fromarray(np.pad(picture, 8).astype("uint8"))
        .resize((size[0] + 16, size[1] + 16))
        .filter(ImageFilter.GaussianBlur(BLUR))
        for picture in (one, other)
    ]
    first, second = (np.asarray(picture, dtype=float).ravel() for picture in blurred)
    return float(np.corrcoef(first, second)[0, 1])


@pytest.mark.parametrize("latex", [latex for latex in KINDS if r"\\[1em]" not in latex])
def test_a_printed_formula_looks_as_in_chromium(page: Page, latex: str) -> None:
    theirs, ours = ink(in_chromium(page, latex)), ink(on_paper(latex))
    assert ours.shape == pytest.approx(theirs.shape, rel=0.03, abs=4)
    alike = likeness(theirs, ours)
    assert alike >= LEAST


@pytest.mark.slow
def test_a_lost_stroke_would_be_seen(page: Page) -> None:
    """The control of the test above: an equals sign is not an inequality sign."""
    assert likeness(ink(in_chromium(page, r"a\ne b")), ink(on_paper("a=b"))) < LEAST
