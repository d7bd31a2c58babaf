"""The PDF report: it says what the page says, and nothing can make it fetch anything."""

import http.server
import re
import shutil
import subprocess
import threading

import pytest

from accounts.refusal import Refused
from reports.core.choosing import choose
from reports.printing import pages
from reports.scores.document import score
from reports.scores.inputs import collect
from reports.scores.views import page_context, score_pdf


def text_of(document: bytes, tmp_path) -> str:
    path = tmp_path / "report.pdf"
    path.write_bytes(document)
    return subprocess.run(
        ["pdftotext", "-layout", path, "-"], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def listener():
    """(address, asked): a server on loopback that remembers what was asked of it."""
    asked: list[str] = []

    class Remember(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Remember) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


def test_nothing_in_the_report_or_its_styles_is_fetched(listener, tmp_path):
    address, asked = listener
    secret = tmp_path / "secret.txt"
    secret.write_text("do not embed me")
    html = f"""
      <link rel=stylesheet href="{address}/link.css"><link rel=attachment href="file://{secret}">
      <style>@import url({address}/import.css); body {{ background: url({address}/style.png) }}</style>
      <img src="{address}/img.png"><object data="{address}/object.svg"></object><embed src="{address}/embed.svg">
      <svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="{address}/svg.png"/>
        <use href="{address}/use.svg#x"/></svg>
      <a rel=attachment href="file://{secret}">a</a>
      <p style="list-style-image: url({address}/list.png); cursor: url({address}/cursor.png)">text</p>
    """
    sheet = f"""
      @import url({address}/sheet.css);
      @font-face {{ font-family: far; src: url({address}/font.woff2) }}
      p {{ font-family: far; background: url({address}/sheet.png); content: url({address}/content.png) }}
    """
    document = pages.print_html(html, [sheet]).content
    assert document.startswith(b"%PDF")
    assert asked == []
    assert b"do not embed me" not in document
    assert b"/EmbeddedFile" not in document


def test_the_listener_would_notice_a_request(listener):
    """The control of the test above: the same style sheet without our fetcher does go out."""
    from weasyprint import CSS

    address, asked = listener
    CSS(string=f"@import url({address}/sheet.css);")
    assert asked == ["/sheet.css"]


@pytest.mark.django_db
def test_the_report_holds_the_numbers_of_the_page(gaps, tmp_path):
    assert shutil.which("pdftotext"), "poppler-utils is needed to read a PDF back"
    found = score(collect(release=gaps))
    text = text_of(score_pdf(page_context(choose(gaps, {}), found)), tmp_path)
    squeezed = re.sub(r"\s+", " ", text)
    assert "sample-re2math, track raw" in squeezed
    assert "Sample data" in squeezed
    assert "53.3 [36.1, 69.8]" in squeezed  # in the forest plot
    assert "52.0 % 50.0 to 60.0" in squeezed  # aurora corrected: 15.6 of 30
    assert "false negative" in squeezed
    assert "Definitions" in squeezed


def test_a_machine_without_pango_gets_the_command_that_mends_it(monkeypatch):
    def refuse(name: str) -> None:
        raise OSError("cannot load library 'libpango-1.0-0'")

    pages.pdf_problem.cache_clear()
    monkeypatch.setattr(pages, "import_module", refuse)
    try:
        with pytest.raises(Refused, match="apt install libpango"):
            score_pdf({})
    finally:
        pages.pdf_problem.cache_clear()
