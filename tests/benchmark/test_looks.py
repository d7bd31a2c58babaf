"""Cleaning changes no page: every page of documents made by lot is the same picture before and after."""

import pypdfium2 as pdfium
import pytest

from benchmark.files.pdf import clean_pdf
from tests.benchmark.made_pdfs import FEATURES, made_pdf

MOST_CHANGED = 0.0001  # of the bytes of a picture at 72 dpi


def changed(one: bytes, other: bytes) -> list[float]:
    """Of each page, the share of bytes that differ by more than 40 of 255."""
    before, after = pdfium.PdfDocument(one), pdfium.PdfDocument(other)
    assert len(before) == len(after)
    shares = []
    for old, new in zip(before, after, strict=True):
        here, there = (bytes(page.render(draw_annots=False).buffer) for page in (old, new))
        differ = 0 if here == there else sum(abs(a - b) > 40 for a, b in zip(here, there, strict=True))
        shares.append(differ / len(here))
    return shares


def words(data: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pdfium.PdfDocument(data)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [range(20), *(pytest.param(range(at, at + 20), marks=pytest.mark.night) for at in range(20, 200, 20))],
)
def test_every_page_looks_and_reads_as_before(seeds: range) -> None:
    for seed in seeds:
        told = made_pdf(seed)
        copy = clean_pdf(told).data
        assert max(changed(told, copy)) <= MOST_CHANGED, seed
        assert words(copy) == words(told), seed


@pytest.mark.slow
def test_the_documents_are_not_empty_and_not_alike() -> None:
    shown = set()
    for seed in range(20):
        for page in pdfium.PdfDocument(made_pdf(seed)):
            pixels = bytes(page.render(draw_annots=False).buffer)
            assert sum(value != 255 for value in pixels) > len(pixels) // 20
            shown.add(pixels)
    assert len(shown) > 30
    assert len(set(FEATURES)) == 13
    assert set(changed(made_pdf(3), made_pdf(3))) == {0}  # its bytes hold the second in which they were made
