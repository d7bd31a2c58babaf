"""How a referee report is written, for people."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from annotation.models import CommentKind, Severity
from reports.labels.comment_reading import USUAL_SEVERITY
from reports.referees.report import ABSTAINED

EXAMPLES = Path(__file__).parent / "examples"


@staff_only
@require_GET
def report_format(request: HttpRequest) -> HttpResponse:
    """Both formats with an example of each."""
    context = {
        "examples": [
            ("In Markdown", "report.md", (EXAMPLES / "report.md").read_text("utf-8")),
            ("In LaTeX", "report.tex", (EXAMPLES / "report.tex").read_text("utf-8")),
        ],
        "severities": [label.lower() for label in Severity.labels],
        "kinds": [label.lower() for label in CommentKind.labels],
        "usual": USUAL_SEVERITY,
        "abstained": ABSTAINED,
    }
    return render(request, "reports/referees/format.html", context)
