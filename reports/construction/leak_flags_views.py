"""What experts flagged as leaks: a page and a download. Neither names a system."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Release
from reports.construction.leak_flags import flag_table, flagged_instances
from reports.core.access import explains_refusals, staff_only
from reports.core.choosing import only_known
from reports.core.downloads import table_download

PAGE = 50


@staff_only
@require_GET
@explains_refusals
def leak_flags(request: HttpRequest, name: str) -> HttpResponse:
    """Flagged instances: what experts say next to what the program found."""
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, "page")
    page = Paginator(flagged_instances(release), PAGE).get_page(request.GET.get("page"))
    rows = []
    for row in page:
        # (words, graders who raised it, whether the program found it) by kind
        both = [
            (kind.words, row.experts.get(key, 0), key in row.program)
            for key, kind in FLAG_KINDS.items()
            if key in row.experts or key in row.program
        ]
        rows.append((row, both))
    context = {"release": release, "page": page, "rows": rows}
    return render(request, "reports/construction/leak_flags.html", context)


@staff_only
@require_GET
@explains_refusals
def leak_flags_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """Every flag of the experts, one row per marked span; outputs under opaque names."""
    only_known(request.GET)
    release = get_object_or_404(Release, name=name)
    return table_download(flag_table(release), f"leak-flags-{name}.csv")
