"""A public record on paper."""

import io

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from reports.records.site import style_sheet

pytestmark = [pytest.mark.browser]


@pytest.mark.slow
def test_a_long_list_begins_on_the_page_on_which_there_is_room(page: Page) -> None:
    rows = "".join(f"<li>Problem {number}</li>" for number in range(1, 41))
    page.set_content(
        f"<style>{style_sheet().decode()}</style><body class=public><section><h2>Limitations</h2></section>"
        f"<p style='height:9rem'></p><section><h2>Problems</h2><ul>{rows}</ul></section>"
    )
    first, *others = PdfReader(io.BytesIO(page.pdf(format="A5"))).pages
    assert others
    assert "Problem 1\n" in first.extract_text()
