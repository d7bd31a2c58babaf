"""The score of a track as a PDF report."""

from django.template.loader import render_to_string

from reports.printing.pages import own_sheet, print_html, require_pdf


def score_pdf(context: dict[str, object]) -> bytes:
    """The report of a score page's context. Raises Refused when this machine lacks pango."""
    require_pdf()
    return print_html(render_to_string("reports/scores/report.html", context), [own_sheet("pdf.css")]).content
