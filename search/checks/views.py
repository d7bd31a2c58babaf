"""The page of a release's checks, for coordinators and owners: ask, read, decide, download."""

from itertools import chain

from django import forms
from django.db.models import Case, Count, F, Q, QuerySet, When
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import staff_only
from accounts.site.downloads import csv_reply
from accounts.site.pages import SignedInRequest, told
from benchmark.models import Release
from search.checks.actions import ask_for_check, decide
from search.models import Corpus, Decision, Finding, ReleaseCheck

SHOWN = 100
COLUMNS = ("instance", "field", "kind", "common", "statement", "document", "decision", "note")


class DecisionForm(forms.Form):
    """What a finding is."""

    decision = forms.ChoiceField(choices=Decision.choices, required=False)
    note = forms.CharField(max_length=1000, required=False)


@staff_only
@require_GET
def checks(request: HttpRequest, name: str) -> HttpResponse:
    """The newest check of the release against each corpus, and the findings of the one that is chosen."""
    release = get_object_or_404(Release, name=name)
    rows = (
        ReleaseCheck.objects.filter(release=release)
        .select_related("corpus")
        .annotate(n_found=Count("findings"), n_open=Count("findings", filter=Q(findings__decision="")))
        .order_by("-asked_at", "-pk")
    )
    chosen = (
        get_object_or_404(rows, pk=request.GET["check"])
        if request.GET.get("check", "").isdecimal()
        else rows.first()
    )
    findings = _findings(chosen)[:SHOWN] if chosen else []
    context = {
        "release": release,
        "checks": rows[:20],
        "chosen": chosen,
        "findings": findings,
        "shown": SHOWN,
        "corpora": Corpus.objects.order_by("slug"),
        "decisions": Decision.choices,
    }
    return render(request, "search/checks.html", context)


@staff_only
@require_POST
def ask(request: SignedInRequest, name: str) -> HttpResponse:
    """Compare the release with a corpus; a worker does."""
    release = get_object_or_404(Release, name=name)
    corpus = get_object_or_404(Corpus, slug=request.POST.get("corpus", ""))
    with told(request, "The comparison waits for a worker. Reload the page in a moment."):
        ask_for_check(actor=request.user, release=release, corpus=corpus)
    return redirect("release-checks", name=name)


@staff_only
@require_POST
def decide_finding(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Decide what a finding is; an empty choice withdraws the decision."""
    rows = Finding.objects.select_related("instance", "statement")
    finding = get_object_or_404(rows, pk=pk, check_of__release__name=name)
    form = DecisionForm(request.POST)
    if form.is_valid():
        decide(actor=request.user, finding=finding, **form.cleaned_data)
    return redirect(f"/search/checks/{name}/?check={finding.check_of_id}#finding-{finding.pk}")


@staff_only
@require_GET
def download(request: HttpRequest, name: str, pk: int) -> StreamingHttpResponse:
    """Every finding of a check as CSV."""
    check = get_object_or_404(ReleaseCheck, pk=pk, release__name=name)
    rows = (
        (
            row.instance.key, row.field, row.kind, f"{row.permille / 1000:.3f}", row.statement.key,
            row.statement.document.key, row.decision, row.note,
        )
        for row in _findings(check).iterator(chunk_size=500)
    )  # fmt: skip
    return csv_reply(chain([COLUMNS], rows), f"{name}-in-{check.corpus.slug}.csv")


def _findings(check: ReleaseCheck) -> QuerySet[Finding]:
    """The findings of a check, undecided ones first, then the most alike."""
    order = Case(When(kind="identical", then=0), When(kind="near", then=1), default=2)
    rows = check.findings.select_related(
        "instance", "statement__document__source", "statement__corpus", "decided_by"
    )
    return rows.order_by(Case(When(decision="", then=0), default=1), order, F("permille").desc(), "pk")
