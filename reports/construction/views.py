"""The construction audit of a release and what experts flagged as leaks: pages, the request to run it, downloads."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Release
from judging.programs.construction import audit_construction
from reports.construction.document import (
    FILTERS,
    VALUES,
    chosen_findings,
    construction,
    finding_rows,
    marked,
    newest_audit,
)
from reports.construction.leak_flags import flag_rows, flag_table, flagged_instances
from reports.construction.raters import FILTERS as RATER_FILTERS
from reports.construction.raters import STANDINGS, BothAnswers, Raters, chosen_rows, raters, rows_of_both
from reports.core.cells import number_cell, percent_cell
from reports.core.choosing import only_known
from reports.core.downloads import table_download
from reports.core.requests import explains_refusals, paged, release_or_404, staff_page

PAGE = 50


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def construction_audit(request: SignedInRequest, name: str) -> HttpResponse:
    """Items, counts and findings, narrowed by FILTERS; POST runs the program where verdicts are missing."""
    release = release_or_404(name)
    if request.method == "POST":
        report = audit_construction(actor=request.user, release=release)
        said = f"{report.new} new verdicts." if report.new else "Every instance had its verdicts already."
        messages.success(request, f"{report.judge}: {said}")
        return redirect("construction-audit", name=release.name)
    only_known(request.GET, "page", *FILTERS)
    document, judge = construction(release), newest_audit(release)
    page = paged(request, chosen_findings(release, judge, request.GET), PAGE)
    titles = {item.key: item.title for item in document.items}
    context = {
        "release": release,
        "document": document,
        "items": [(item, percent_cell(item.passed), percent_cell(item.fault)) for item in document.items],
        "page": page,
        "findings": [(row, titles[row.predicate], marked(row)) for row in page],
        "chosen": {key: request.GET.get(key, "") for key in FILTERS},
        "values": (*VALUES, "unavailable"),
        "domains": release.instances.order_by("domain").values_list("domain", flat=True).distinct(),
    }
    return render(request, "reports/construction/construction.html", context)


@staff_page
def construction_raters(request: HttpRequest, name: str) -> HttpResponse:
    """Program, judge and experts side by side: how far they agree by item, and where they do not."""
    found, rows = _chosen(request, name)
    page = paged(request, rows, PAGE)
    titles = {item.key: item.title for item in found.items}
    # by item: counts by rater, how answers compare, every two raters with common items
    sections, compared = [], False
    for item in found.agreement().items:
        answers = []
        for counts in item.answers.values():
            without = counts["abstain"] + counts["unavailable"]
            decided = "\u00a0/\u00a0".join(str(counts[value]) for value in VALUES)
            said = f"{decided}, {without} without" if without else decided
            answers.append(said if any(counts.values()) else "")
        passed = [percent_cell(share) if share.n else None for share in item.passed.values()]
        pairs = [
            {**vars(pair), "percent": percent_cell(pair.percent), "kappa": number_cell(pair.cohen_kappa)}
            for pair in item.pairs
            if pair.compared
        ]
        compared = compared or bool(pairs)
        sections.append({**vars(item), "answers": answers, "passed": passed, "pairs": pairs})
    context = {
        "release": found.release,
        "found": found,
        "sections": sections,
        "compared": compared,
        "page": page,
        "rows": [(row, titles[row.item]) for row in page],
        "standings": STANDINGS,
        "chosen": {key: request.GET.get(key, "") for key in RATER_FILTERS},
        "domains": sorted({instance.domain for instance in found.instances}),
    }
    return render(request, "reports/construction/construction_raters.html", context)


@staff_page
def construction_raters_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The rows of the page as CSV."""
    found, rows = _chosen(request, name)
    return table_download(rows_of_both(found, rows), f"construction-raters-{name}.csv")


def _chosen(request: HttpRequest, name: str) -> tuple[Raters, list[BothAnswers]]:
    release = release_or_404(name)
    only_known(request.GET, "page", *RATER_FILTERS)
    found = raters(release, request.GET.get("judge", ""))
    return found, chosen_rows(found, request.GET)


@staff_page
def construction_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The findings as CSV, one row per flag, narrowed as on the page."""
    release = release_or_404(name)
    only_known(request.GET, *FILTERS)
    judge = newest_audit(release)
    if judge is None:
        raise Refused("This release has no construction audit yet.", code="no_audit")
    found = chosen_findings(release, judge, request.GET)  # refuses before anything is sent
    return table_download(finding_rows(release, judge, found), f"construction-{name}.csv")


@staff_page
def leak_flags(request: HttpRequest, name: str) -> HttpResponse:
    """Flagged instances: what experts say next to what the program found."""
    release = release_or_404(name)
    only_known(request.GET, "page")
    page = paged(request, flagged_instances(release), PAGE)
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
    return table_download(flag_table(flag_rows(release)), f"leak-flags-{name}.csv")
