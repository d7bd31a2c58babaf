"""HTML to PDF by WeasyPrint, which may fetch nothing: style sheets come as text, formulas from their cache.

WeasyPrint is imported on use: it needs the system's pango, which a bare machine may lack.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from importlib import import_module
from typing import Any

from django.conf import settings

from accounts.refusal import Refused
from reports.printing.math_images import SHEET, MathImages

_NO_PANGO = (
    "PDF needs the system library pango, which is not installed here. "
    "On Debian: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0."
)
PICTURE = "data:image/webp;base64,"
_FORMULA = re.compile(
    r'([(\[]?)<(span|div) class="math" data-display="(true|false)" data-source="([^"]*)">([^<]*)</\2>([,.;:!?)\]]*)'
)


@dataclass(frozen=True)
class Printed:
    """A PDF and where things are in it: the page on which every element with an id begins, counted from 1."""

    content: bytes
    pages: int
    places: dict[str, int]


@cache
def pdf_problem() -> str:
    """Why no PDF can be made on this machine, with the command that fixes it; empty when it can."""
    try:
        import_module("weasyprint")
    except OSError:  # its bindings load pango when the module is imported
        return _NO_PANGO
    return ""


def require_pdf() -> None:
    """Raise Refused when this machine lacks pango."""
    if pdf_problem():
        raise Refused(pdf_problem(), code="pdf_unavailable")


def own_sheet(name: str) -> str:
    """One of our own style sheets as text."""
    return (settings.BASE_DIR / "static" / "css" / name).read_text("utf-8")


def print_html(html: str, sheets: Sequence[str]) -> Printed:
    """Print HTML; marked formulas are set, and whatever else it or a sheet refers to is not fetched."""
    from weasyprint import HTML

    images = MathImages()

    def formula(found: re.Match[str]) -> str:
        """The formula as an image; brackets and stops stay on its line."""
        before, _, display, source, latex, after = found.groups()
        if display == "true":
            return f'{before}<div class="display">{images.html(unescape(latex), True, unescape(source))}</div>{after}'
        set_formula = images.html(unescape(latex), False, unescape(source))
        if not before and not after:
            return set_formula
        head, image, tail = set_formula.rpartition("<img ")
        opening, first = (before, "") if head else ("", before)
        return f'{opening}{head}<span class="together">{first}{image}{tail}{after}</span>'

    styles = [_style(sheet) for sheet in (*sheets, *([SHEET] if "math" in html else []))]
    source = HTML(string=_FORMULA.sub(formula, html), url_fetcher=_deny_all(), base_url=None)
    document = source.render(stylesheets=styles, cache=images.cache())
    # from the end, for an element is on every page that it reaches
    numbered = reversed(list(enumerate(document.pages, 1)))
    places = {name: number for number, page in numbered for name in page.anchors}
    content = bytes(document.write_pdf(finisher=images.finish))
    return Printed(content, len(document.pages), places)


@lru_cache(maxsize=16)
def _style(sheet: str) -> Any:
    """A style sheet as WeasyPrint reads it, kept because reading those of a report takes an eighth of a second."""
    from weasyprint import CSS

    return CSS(string=sheet, url_fetcher=_deny_all())


def _deny_all() -> Any:
    from weasyprint.urls import URLFetcher

    class DenyAll(URLFetcher):
        """Refuses every address, local files included, but for the bytes of a picture that the report itself has."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if url.startswith(PICTURE):
                return super().fetch(url, headers)
            raise ValueError(f"a report fetches nothing, not {url[:80]!r}")

    return DenyAll()
