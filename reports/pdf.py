"""A score as a PDF report by WeasyPrint, which may fetch nothing: its style sheet comes as text.

WeasyPrint is imported on use: it needs the system's pango, which a bare machine may lack.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from accounts.refusal import Refused

_NO_PANGO = (
    "PDF needs the system library pango, which is not installed here. "
    "On Debian: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0."
)


@cache
def pdf_problem() -> str:
    """Why no PDF can be made on this machine, with the command that mends it; empty when it can."""
    try:
        import_module("weasyprint")
    except OSError:  # its bindings load pango when the module is imported
        return _NO_PANGO
    return ""


def score_pdf(context: Mapping[str, Any]) -> bytes:
    """The report of a score page's context. Raises Refused when this machine lacks pango."""
    if pdf_problem():
        raise Refused(pdf_problem(), code="pdf_unavailable")
    html = render_to_string("reports/report.html", dict(context))
    sheet = (settings.BASE_DIR / "static" / "css" / "pdf.css").read_text("utf-8")
    return html_to_pdf(html, sheet)


def html_to_pdf(html: str, sheet: str) -> bytes:
    """Print HTML with one style sheet; whatever either of them refers to is not fetched."""
    from weasyprint import CSS, HTML
    from weasyprint.text.fonts import FontConfiguration

    fetcher, fonts = _deny_all(), FontConfiguration()
    styles = CSS(string=sheet, url_fetcher=fetcher, font_config=fonts)
    page = HTML(string=html, url_fetcher=fetcher, base_url=None)
    return bytes(page.write_pdf(stylesheets=[styles], font_config=fonts))


def _deny_all() -> Any:
    from weasyprint.urls import URLFetcher

    class DenyAll(URLFetcher):
        """Refuses every address, local files and data: included."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            raise ValueError(f"a report fetches nothing, not {url[:80]!r}")

    return DenyAll()
