"""The page where the study's staff decide about outputs that may reveal who wrote them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from annotation.quarantine import actions
from annotation.quarantine.reading import held, with_findings
from benchmark.identities.actions import TASK, add_identity_word, remove_identity_word, scan_identities
from benchmark.models import IdentityVerdict, IdentityWord, Output, OutputState
from benchmark.releases.queries import quarantined, release_or_404, scanned_with_all_words
from benchmark.rendering.stored import call_worker
from stats.core.text import counted

PAGE = 25
PATIENCE = 10  # seconds


@staff_only
@require_GET
def quarantine(request: SignedInRequest, name: str) -> HttpResponse:
    """Outputs with findings, those waiting for a decision first."""
    release = release_or_404(name)
    answered = Output.objects.filter(run__release=release, state=OutputState.ANSWERED)
    page = Paginator(with_findings(release), PAGE).get_page(request.GET.get("page"))
    context = {
        "release": release,
        "page": page,
        "rows": list(held(release, list(page.object_list))),
        "words": release.identity_words.filter(removed_at=None).order_by("word"),
        "waiting": quarantined(release).count(),
        "answered": answered.count(),
        "unscanned": answered.exclude(scanned_with_all_words(release)).count(),
    }
    return render(request, "annotation/quarantine/quarantine.html", context)


@staff_only
@require_POST
def scan(request: SignedInRequest, name: str) -> HttpResponse:
    """Scan what this version of the scan has not read, for as long as a person waits; a worker scans the rest."""
    release = release_or_404(name)
    counts = scan_identities(release=release, seconds=PATIENCE)
    certain = counted(counts["certain"], "has", "have")
    told = f"{counted(counts['scanned'], 'output')} scanned; {certain} a certain finding."
    if counts["left"]:
        call_worker(TASK, release.pk)
        told += f" A worker scans the other {counts['left']}; reload this page to see how far it is."
    messages.success(request, told)
    return redirect("quarantine", name=name)


@staff_only
@require_POST
def word_add(request: SignedInRequest, name: str) -> HttpResponse:
    """Look for one more word."""
    with told(request):
        row = add_identity_word(
            actor=request.user, release=release_or_404(name), word=request.POST.get("word", "")
        )
        messages.success(
            request,
            f"“{row}” has been added. A worker looks for it in the outputs; reload this page to see how far it is.",
        )
    return redirect("quarantine", name=name)


@staff_only
@require_POST
def word_remove(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Stop looking for a word."""
    row = get_object_or_404(IdentityWord, pk=pk, release__name=name)
    with told(request, f"“{row}” has been removed."):
        remove_identity_word(actor=request.user, word=row)
    return redirect("quarantine", name=name)


@staff_only
@require_POST
def redact_all(request: SignedInRequest, name: str) -> HttpResponse:
    """Redact what is waiting, by one rule, for as long as a person waits."""
    counts = actions.redact_release(actor=request.user, release=release_or_404(name), seconds=PATIENCE)
    told = f"{counted(counts['redacted'], 'output')} redacted."
    if counts["untried"]:
        told += f" {counted(counts['untried'], 'is', 'are')} still to do: press the button again."
    messages.success(request, told)
    if counts["left"]:
        messages.warning(
            request,
            f"{counted(counts['left'], 'output')} would still reveal the author, or had been drawn already: decide "
            "about each of them.",
        )
    return redirect("quarantine", name=name)


@staff_only
@require_POST
def decide(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """One decision about one output, or its withdrawal."""
    output = get_object_or_404(Output, pk=pk, run__release__name=name)
    verdict = request.POST.get("verdict", "")
    try:
        if verdict == "withdraw":
            actions.withdraw_decision(actor=request.user, output=output)
            messages.success(request, "The decision has been withdrawn.")
        else:
            reason = request.POST.get("reason", "")
            actions.decide_identity(actor=request.user, output=output, verdict=verdict, reason=reason)
            messages.success(request, f"Decided: {IdentityVerdict(verdict).label.lower()}.")
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("quarantine", name=name)
