"""The list of studies, and the hub of one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.core.queries import campaigns_with_totals
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.published import published_protocols
from benchmark.releases.queries import releases_with_counts
from reports.core.requests import staff_page
from reports.hub.actions import copy_study, rename_campaigns
from reports.hub.facts import facts_of, last_events
from reports.hub.forms import CopyForm, NamesForm
from reports.hub.steps import next_of, steps_of
from reports.status.state import troubles


@staff_page
def studies(request: HttpRequest) -> HttpResponse:
    """All studies, newest first, each with its campaigns."""
    rows = list(releases_with_counts())
    rounds: dict[int, list[object]] = {}
    for campaign in campaigns_with_totals():
        rounds.setdefault(campaign.release_id, []).append(campaign)
    return render(
        request, "reports/hub/studies.html", {"studies": [(row, rounds.get(row.pk, [])) for row in rows]}
    )


@staff_page
def study(request: HttpRequest, name: str) -> HttpResponse:
    """The hub: eight steps with their states, what comes next, and what happened."""
    release = get_object_or_404(Release.objects.select_related("benchmark", "description"), name=name)
    facts, rules = facts_of(release), get_protocol(release.benchmark.protocol)
    context = {
        "release": release,
        "facts": facts,
        "steps": steps_of(facts),
        "next": next_of(facts),
        "events": last_events(release),
        "troubles": troubles(),
        "has_published": release.benchmark.protocol in published_protocols(),
        "compares_releases": rules.compare_releases is not None,
        "construction_items": rules.construction_items,
        "compares_sources": any(
            "citing_paper_source" in program.predicates for program in rules.program_judges
        ),
        "has_open_cases": rules.has_open_cases,
    }
    return render(request, "reports/hub/study.html", context)


@staff_only
@require_http_methods(["GET", "POST"])
def copy(request: SignedInRequest, name: str) -> HttpResponse:
    """Copy the study as a new one: problems always, description and campaigns as chosen."""
    release = get_object_or_404(Release.objects.select_related("benchmark", "description"), name=name)
    form = CopyForm(request.POST or None, release=release)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        with refusals_in(form, "name"):
            made = copy_study(
                actor=request.user,
                release=release,
                name=said["name"],
                described=said.get("described", False),
                campaigns=said.get("campaigns", ()),
                due_on=said.get("due_on"),
            )
            messages.success(request, f"{made.name} has the problems of {name}. Outputs come next.")
            return redirect("study", name=made.name)
    context = {"release": release, "form": form, "problems": release.instances.count()}
    return render(request, "reports/hub/copy.html", context, status=422 if form.errors else 200)


@staff_only
@require_http_methods(["GET", "POST"])
def names(request: SignedInRequest, name: str) -> HttpResponse:
    """Names and due dates of the study's campaigns."""
    release = get_object_or_404(Release, name=name)
    campaigns = list(release.campaigns.order_by("created_at", "pk"))
    form = NamesForm(request.POST or None, campaigns=campaigns)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            rename_campaigns(actor=request.user, wanted=form.wanted)
            messages.success(request, "Saved.")
            return redirect("study", name=name)
    context = {"release": release, "form": form, "campaigns": campaigns}
    return render(request, "reports/hub/names.html", context, status=422 if form.errors else 200)
