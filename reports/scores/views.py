"""The list of what is scored, the score of one track, and the data behind its pictures."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from benchmark.protocols import get_protocol
from benchmark.published import published_protocols
from canonical.documents import as_json
from reports.core.access import staff_only, staff_page
from reports.core.addresses import chosen_of
from reports.core.choosing import Chosen
from reports.printing.pages import pdf_problem
from reports.scores.kept import kept_score
from reports.scores.overview import tracks_overview
from reports.scores.page import score_sections
from reports.scores.pdf import score_pdf
from reports.scores.shape import Score


@staff_only
@require_GET
def scores(request: HttpRequest) -> HttpResponse:
    """Every track of every release that has outputs."""
    return render(request, "reports/scores/scores.html", {"tracks": tracks_overview()})


@staff_page
def score_of(request: HttpRequest, name: str) -> HttpResponse:
    """All numbers of one track under one judge."""
    chosen, document = _chosen_score(request, name)
    context = {
        **page_context(chosen, document),
        "pdf_problem": pdf_problem(),
        "has_published": document.protocol in published_protocols(),
        "has_conditions": bool(get_protocol(document.protocol).condition_tables),
    }
    return render(request, "reports/scores/score.html", context)


@staff_page
def score_json(request: HttpRequest, name: str) -> HttpResponse:
    """The score document, as `manage.py score --json` prints it."""
    chosen, document = _chosen_score(request, name)
    response = JsonResponse(as_json(document), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{_file_name(chosen)}.json"'
    return response


@staff_page
def score_report(request: HttpRequest, name: str) -> HttpResponse:
    """The same as a PDF file."""
    chosen, document = _chosen_score(request, name)
    response = HttpResponse(score_pdf(page_context(chosen, document)), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(chosen)}.pdf"'
    return response


def page_context(chosen: Chosen, document: Score) -> dict[str, object]:
    """Template context of a score, for the page and for the PDF alike."""
    return {"chosen": chosen, "document": document, **score_sections(document)}


def _chosen_score(request: HttpRequest, name: str) -> tuple[Chosen, Score]:
    chosen = chosen_of(request, name)
    return chosen, kept_score(chosen)


def _file_name(chosen: Chosen) -> str:
    condition = f"-{chosen.condition}" if chosen.condition else ""
    named = f"-{slugify(chosen.frozen_tuple)}" if chosen.frozen_tuple else ""
    return f"score-{chosen.release.name}-{chosen.track}{condition}{named}"
