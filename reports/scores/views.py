"""The list of what is scored, the score of one track, and the outputs behind a number of it."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.text import slugify

from benchmark.case_columns import case_columns
from benchmark.protocols import get_protocol
from canonical.documents import as_json
from reports.comparison.paired import chosen_between
from reports.core.choosing import Chosen, votes_awaited
from reports.core.requests import chosen_of, paged, staff_page
from reports.core.wording import in_words
from reports.printing.pages import own_sheet, print_html, require_pdf
from reports.scores.inputs import collect_chosen
from reports.scores.kept import kept_score
from reports.scores.output_rows import behind, scored_outputs
from reports.scores.overview import tracks_overview
from reports.scores.page import score_sections
from reports.scores.shape import Score

PAGE = 100
_FILTERS = ("system", "bucket", "domain")


@staff_page
def scores(request: HttpRequest) -> HttpResponse:
    """Every track of every release that has outputs."""
    return render(request, "reports/scores/scores.html", {"tracks": tracks_overview()})


@staff_page
def numbers(request: HttpRequest, name: str) -> HttpResponse:
    """All numbers of one track under one judge."""
    chosen, document = _chosen_score(request, name)
    return render(request, "reports/scores/numbers.html", page_context(chosen, document))


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
    context = {**page_context(chosen, document), "compared": chosen_between(chosen)}
    response = HttpResponse(score_pdf(context), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(chosen)}.pdf"'
    return response


def page_context(chosen: Chosen, document: Score) -> dict[str, object]:
    """Template context of a score, for the page and for the PDF alike."""
    judge = document.judge.sha256 if document.judge else ""
    awaited = votes_awaited(chosen.release, chosen.track, chosen.condition, judge)
    return {"chosen": chosen, "document": document, "awaited": awaited, **score_sections(document)}


def _chosen_score(request: HttpRequest, name: str) -> tuple[Chosen, Score]:
    chosen = chosen_of(request, name)
    return chosen, kept_score(chosen)


def _file_name(chosen: Chosen) -> str:
    condition = f"-{chosen.condition}" if chosen.condition else ""
    named = f"-{slugify(chosen.frozen_tuple)}" if chosen.frozen_tuple else ""
    return f"score-{chosen.release.name}-{chosen.track}{condition}{named}"


@staff_page
def outputs_behind(request: HttpRequest, name: str) -> HttpResponse:
    """Outputs of a track, by `system`, `bucket` and `domain` if asked, with what judge and experts say."""
    chosen = chosen_of(request, name, "page", *_FILTERS)
    wanted = {key: request.GET.get(key, "") for key in _FILTERS}
    inputs = collect_chosen(chosen)
    found = behind(scored_outputs(inputs), **wanted)
    page = paged(request, found, PAGE)
    context = {
        "chosen": chosen,
        "has_case_study": bool(case_columns(get_protocol(inputs.protocol))),
        "page": page,
        "wanted": [in_words(value) for value in wanted.values() if value],
        "predicates": sorted({key for output in found for key in output.judge}),
        "questions": sorted({key for output in found for key in output.experts}),
    }
    return render(request, "reports/scores/outputs_behind.html", context)


def score_pdf(context: dict[str, object]) -> bytes:
    """The report of a score page's context. Raises Refused when this machine lacks pango."""
    require_pdf()
    return print_html(render_to_string("reports/scores/report.html", context), [own_sheet("pdf.css")]).content
