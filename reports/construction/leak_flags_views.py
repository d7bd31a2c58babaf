"""What experts flagged as leaks: a page and a download. Neither names a system."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Release
from reports.construction.leak_flags import flag_table, flagged_instances
from reports.core.access import staff_page
from reports.core.addresses import paged, release_or_404
from reports.core.choosing import only_known
from reports.core.downloads import table_download

PAGE = 50


@staff_page
def leak_flags(request: HttpRequest, name: str) -> HttpResponse:
    """Flagged instances: what experts say next to what the program found."""
    release = release_or_404(name)
    only_known(request.GET, "page")
    page, _ = paged(request, flagged_instances(release), PAGE)
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


@staff_page
def leak_flags_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """Every flag of the experts, one row per marked span; outputs under opaque names."""
    only_known(request.GET)
    release = get_object_or_404(Release, name=name)
    return table_download(flag_table(release), f"leak-flags-{name}.csv")
