"""The page on which a person settles what the source matcher leaves open. No system is named on it."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, told
from benchmark.models import Settlement
from benchmark.protocols import get_protocol
from benchmark.releases.queries import release_or_404
from benchmark.settling.actions import settle, withdraw_settlement
from benchmark.settling.queue import questions

PAGE = 20
SHOWN = {"open": "Open", "settled": "Settled"}


@staff_only
@require_http_methods(["GET", "POST"])
def settling(request: SignedInRequest, name: str) -> HttpResponse:
    """Every open case with its answers; POST answers one or withdraws an answer."""
    release = release_or_404(name)
    if not get_protocol(release.benchmark.protocol).has_open_cases:
        raise Http404(f"Outputs of {release.benchmark.protocol} have no sources to settle.")
    if request.method == "POST":
        sent = request.POST
        with told(request):
            if "withdraw" in sent:
                asked = sent["withdraw"] if sent["withdraw"].isdecimal() else "0"
                row = get_object_or_404(Settlement, pk=int(asked[:18]), release=release)
                withdraw_settlement(actor=request.user, settlement=row)
                messages.success(request, "The answer has been withdrawn.")
            else:
                said = {name: sent.get(name, "") for name in ("pair", "verdict", "note")}
                row = settle(actor=request.user, release=release, **said)
                messages.success(request, f"Settled: {row.get_verdict_display().lower()}.")
        query = urlencode({name: sent[name] for name in ("show", "page") if name in sent})
        place = f"#case-{sent['next']}" if sent.get("next", "").isalnum() else ""
        return redirect(f"{reverse('settling', args=[release.name])}?{query}{place}")
    shown = request.GET.get("show", "open")
    if shown not in SHOWN:
        raise Http404(f"Choose {' or '.join(SHOWN)}.")
    found = questions(release)
    settled = [question for question in found if question.answer]
    listed = settled if shown == "settled" else [question for question in found if not question.answer]
    page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
    following = [*(question.case.pair for question in page), ""][1:]  # where to go once a case is settled
    mine = release.settlements.filter(decided_by=request.user.pk, withdrawn_at=None)
    context = {
        "release": release,
        "page": page,
        "cases": list(zip(page, following, strict=True)),
        "shown": shown,
        "tabs": SHOWN,
        "settled": len(settled),
        "total": len(found),
        "mine": mine.order_by("-pk").first(),  # the answer that "undo" withdraws
    }
    return render(request, "benchmark/settling/settling.html", context)
