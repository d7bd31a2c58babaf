"""The list of studies, and the hub of one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.core.queries import campaigns_with_totals
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.published import published_protocols
from benchmark.releases.queries import releases_with_counts
from reports.core.requests import staff_page
from reports.hub.facts import facts_of, last_events
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
