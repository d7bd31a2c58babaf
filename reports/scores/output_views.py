"""The outputs behind a number of the score page, each with a link to where it can be read."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from benchmark.case_columns import case_columns
from benchmark.protocols import get_protocol
from reports.core.access import staff_page
from reports.core.addresses import chosen_of, paged
from reports.core.wording import in_words
from reports.scores.inputs import collect_chosen
from reports.scores.output_rows import behind, scored_outputs

PAGE = 100
_FILTERS = ("system", "bucket", "domain")


@staff_page
def outputs_behind(request: HttpRequest, name: str) -> HttpResponse:
    """Outputs of a track, by `system`, `bucket` and `domain` if asked, with what judge and experts say."""
    chosen = chosen_of(request, name, "page", *_FILTERS)
    wanted = {key: request.GET.get(key, "") for key in _FILTERS}
    inputs = collect_chosen(chosen)
    found = behind(scored_outputs(inputs), **wanted)
    page, query = paged(request, found, PAGE)
    context = {
        "chosen": chosen,
        "has_case_study": bool(case_columns(get_protocol(inputs.protocol))),
        "page": page,
        "wanted": [in_words(value) for value in wanted.values() if value],
        "predicates": sorted({key for output in found for key in output.judge}),
        "questions": sorted({key for output in found for key in output.experts}),
        "query": query,
    }
    return render(request, "reports/scores/outputs_behind.html", context)
