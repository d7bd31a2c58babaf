"""The outputs behind a number of the score page, each with a link to where it can be read."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.case_columns import case_columns
from benchmark.models import Release
from benchmark.protocols import get_protocol
from reports.core.access import explains_refusals, staff_only
from reports.core.choosing import PARAMETERS, choose, only_known
from reports.core.wording import in_words
from reports.scores.inputs import collect_chosen
from reports.scores.output_rows import behind, scored_outputs

PAGE = 100
_FILTERS = ("system", "bucket", "domain")


@staff_only
@require_GET
@explains_refusals
def outputs_behind(request: HttpRequest, name: str) -> HttpResponse:
    """Outputs of a track, by `system`, `bucket` and `domain` if asked, with what judge and experts say."""
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, *PARAMETERS, "page", *_FILTERS)
    chosen = choose(release, request.GET)
    wanted = {key: request.GET.get(key, "") for key in _FILTERS}
    inputs = collect_chosen(chosen)
    found = behind(scored_outputs(inputs), **wanted)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "chosen": chosen,
        "has_case_study": bool(case_columns(get_protocol(release.benchmark.protocol))),
        "page": page,
        "wanted": [in_words(value) for value in wanted.values() if value],
        "predicates": sorted({key for output in found for key in output.judge}),
        "questions": sorted({key for output in found for key in output.experts}),
        "query": query.urlencode(),
    }
    return render(request, "reports/scores/outputs_behind.html", context)
