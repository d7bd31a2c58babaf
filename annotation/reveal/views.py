"""After the answer is locked: what a judge said, its claims marked one by one, and an amendment to the answer."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from annotation.calibration.views import later_form
from annotation.campaigns.forms import content_from_post
from annotation.core.places import place_or_404
from annotation.models import Assignment, AssignmentState, Mark, Occasion
from annotation.reveal import actions
from annotation.reveal.rules import is_to_mark, read_verdict
from benchmark.rubrics import rubric_from_content


def _locked_or_404(request: SignedInRequest, handle: str) -> Assignment:
    place = place_or_404(request.user, handle)
    if place.state != AssignmentState.SUBMITTED or read_verdict(place) is None:
        raise Http404
    return place


@login_required
@require_http_methods(["GET", "POST"])
def verdict(request: SignedInRequest, handle: str) -> HttpResponse:
    """The verdict and its claims; POST stores the marks and goes on."""
    place = _locked_or_404(request, handle)
    if request.method == "GET":
        return _page(request, place)
    marks = {
        name.removeprefix("mark-"): str(request.POST[name])
        for name in request.POST
        if name.startswith("mark-")
    }
    try:
        actions.mark_claims(reviewer=request.user, assignment=place, marks=marks)
    except Refused as refusal:
        return _page(request, place, refusal=refusal)
    return redirect("submitted", handle=handle)


@login_required
@require_POST
def amend(request: SignedInRequest, handle: str) -> HttpResponse:
    """Record an amendment to the locked answers."""
    place = _locked_or_404(request, handle)
    content = content_from_post(rubric_from_content(place.item.campaign.rubric.content), request.POST)
    reason = request.POST.get("reason", "")
    try:
        actions.amend_after_verdict(reviewer=request.user, assignment=place, content=content, reason=reason)
    except Refused as refusal:
        return _page(request, place, refusal=refusal, content=content, reason=reason)
    messages.success(request, "The amendment has been recorded; your locked answers stay as they are.")
    return redirect("verdict", handle=handle)


def _page(
    request: SignedInRequest,
    place: Assignment,
    *,
    refusal: Refused | None = None,
    content: dict[str, object] | None = None,
    reason: str = "",
) -> HttpResponse:
    context = {
        **later_form(place, Occasion.VERDICT, refusal, content, reason),
        "marked": not is_to_mark(place),
        "marks": Mark.choices,
    }
    return render(request, "annotation/reveal/verdict.html", context, status=409 if refusal else 200)
