"""Pages of candidates: the list, one with its source and history, and what people decide about it."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, row_number, told
from construction.builds.actions import review, withdraw_review
from construction.builds.funnels import stage_titles
from construction.builds.queries import CHOICES, candidates_of, neighbours, steps_about
from construction.builds.showing import ShownLine, excerpts, shown_lines
from construction.models import Build, Candidate, Decision, Review

PAGE = 100


@staff_only
@require_GET
def candidates(request: HttpRequest, name: str) -> HttpResponse:
    """The candidates of a build in order, narrowed by the names in CHOICES."""
    row = get_object_or_404(Build, name=name)
    chosen = _chosen(request)
    page = Paginator(candidates_of(row, chosen), PAGE).get_page(request.GET.get("page"))
    codes = Candidate.objects.filter(paper__run=row).exclude(code="").order_by("code")
    context = {
        "build": row,
        "page": page,
        "chosen": chosen,
        "query": urlencode(chosen),
        "stages": stage_titles(row).items(),
        "states": Candidate.State.choices,
        "decisions": Decision.choices,
        "codes": list(codes.values_list("code", flat=True).distinct()),
    }
    return render(request, "construction/builds/candidates.html", context)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def candidate(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """One candidate; a POST drops it or repairs its strings, and shows what is wrong with a repair."""
    found = get_object_or_404(_complete(), pk=pk, paper__run__name=name)
    build = found.paper.run
    chosen = _chosen(request)
    status, refusal = 200, None
    typed: dict[str, str] = {}
    after: dict[str, str] = {}
    if request.method == "POST":
        decision = request.POST.get("decision", "")
        reason = request.POST.get("reason", "")
        live = _live(found)
        lines = shown_lines(found, live)
        typed = {
            # A text area sends line ends as CR LF.
            string.name: request.POST[f"after-{string.name}"].replace("\r\n", "\n")
            for line in lines
            for string in line.strings
            if string.can_be_repaired and f"after-{string.name}" in request.POST
        }
        before = {string.name: string.text for line in lines for string in line.strings}
        after = {key: text for key, text in typed.items() if text != before[key]}
        try:
            if decision not in Decision.values:
                raise Refused(f"A candidate is dropped or repaired, not {decision[:80]!r}.", field="decision")
            if decision == Decision.REPAIR and not after:
                raise Refused("No text was changed.", field="after")
            review(
                actor=request.user, candidate=found, decision=Decision(decision), reason=reason,
                after=after if decision == Decision.REPAIR else None,
            )  # fmt: skip
        except Refused as refused:
            refusal, status = refused, 409
        else:
            messages.success(request, "Repaired." if decision == Decision.REPAIR else "Dropped.")
            return redirect(_address(found, chosen))
    live = _live(found)
    lines = shown_lines(found, live)
    can_review = found.state == Candidate.State.MADE and build.release_id is None
    before_, after_ = neighbours(found, candidates_of(build, chosen))
    context = {
        "build": build,
        "candidate": found,
        "stage": stage_titles(build).get(found.stage, found.stage),
        "lines": lines,
        "excerpts": excerpts(found, lines),
        "live": live,
        "changes": [(key, live.before[key], text) for key, text in live.after.items()] if live else [],
        "reviews": found.reviews.select_related("by").order_by("-pk"),
        "steps": steps_about(found),
        "can_review": can_review,
        # there is no form any more that could keep what was typed
        "unsaved": () if can_review and not live else after.items(),
        "refusal": refusal,
        "typed": typed,
        "fields": _fields(lines, typed),
        "reason": request.POST.get("reason", ""),
        "previous": before_ and reverse("build-candidate", args=[name, before_]),
        "next": after_ and reverse("build-candidate", args=[name, after_]),
        "query": urlencode(chosen),
    }
    return render(request, "construction/builds/candidate.html", context, status=status)


@staff_only
@require_POST
def withdraw(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Undo what was decided about a candidate."""
    found = get_object_or_404(_complete(), pk=pk, paper__run__name=name)
    with told(request, "The decision is withdrawn."):
        seen = row_number(request.POST.get("seen", ""))
        withdraw_review(actor=request.user, candidate=found, seen=seen)
    return redirect(_address(found, _chosen(request)))


def _complete() -> QuerySet[Candidate]:
    return Candidate.objects.select_related("paper__source", "paper__run__release")


def _live(found: Candidate) -> Review | None:
    return found.reviews.filter(withdrawn_at=None).select_related("by").first()


def _chosen(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in CHOICES if request.GET.get(name)}


def _address(found: Candidate, chosen: dict[str, str]) -> str:
    address = reverse("build-candidate", args=[found.paper.run.name, found.pk])
    return f"{address}?{urlencode(chosen)}" if chosen else address


def _fields(lines: list[ShownLine], typed: dict[str, str]) -> list[tuple[str, str, str]]:
    """The strings that can be repaired: name, words for it, text as it is or was typed."""
    many = len(lines) > 1
    return [
        (
            string.name,
            f"{string.path} of line {line.number + 1}" if many else string.path,
            typed.get(string.name, string.text),
        )
        for line in lines
        for string in line.strings
        if string.can_be_repaired
    ]
