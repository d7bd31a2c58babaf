"""Pages of those who run the study: releases, their runs and instances. Systems are named here."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from benchmark.case_columns import case_columns
from benchmark.models import Instance, Release
from benchmark.protocols import get_protocol
from benchmark.releases import queries
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import release_or_404
from benchmark.releases.repeated import overlaps_of
from benchmark.releases.showing import show_instance
from benchmark.variants import related_instances

PAGE = 50


@staff_only
@require_GET
def releases(request: HttpRequest) -> HttpResponse:
    """The old address of the list."""
    return redirect("studies")


@staff_only
@require_GET
def release(request: HttpRequest, name: str) -> HttpResponse:
    """A release: domains, runs by system, and its instances, by domain if asked."""
    row = get_object_or_404(Release.objects.select_related("benchmark", "description"), name=name)
    domains = queries.domain_counts(row)
    domain = request.GET.get("domain", "")
    instances = queries.instances_of(row, domain)
    rules = get_protocol(row.benchmark.protocol)
    context: dict[str, object] = {
        "release": row,
        "domains": domains,
        "instance_count": sum(entry["instances"] for entry in domains),
        "runs": queries.runs_with_states(row),
        "domain": domain,
        "overlaps": overlaps_of(row),
        "description": getattr(row, "description", None),
        "has_published_format": rules.published_line is not None,
        "page": Paginator(instances, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "benchmark/releases/release.html", context)


@staff_only
@require_http_methods(["GET", "POST"])
def freeze(request: HttpRequest, name: str) -> HttpResponse:
    """Ask for confirmation, then freeze the release."""
    row = release_or_404(name)
    if request.method == "GET":
        return render(request, "benchmark/releases/freeze.html", {"release": row})
    try:
        frozen = freeze_release(actor=request.user, release=row)  # type: ignore[arg-type]
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"{name} has been frozen." if frozen else f"{name} was already frozen.")
    return redirect("release", name=name)


@staff_only
@require_GET
def instance(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """An instance with every system's outputs side by side."""
    row = get_object_or_404(
        Instance.objects.select_related("release__benchmark", "paper"), release__name=name, key=key
    )
    shown = show_instance(row, queries.outputs_of(row))
    has_case_study = bool(case_columns(get_protocol(row.release.benchmark.protocol)))
    context = {
        "instance": row,
        "shown": shown,
        "unreleased": queries.unreleased_of(row),
        "related": related_instances(row),
        "has_case_study": has_case_study,
    }
    return render(request, "benchmark/releases/instance.html", context)
