"""Calibration: the discussion of an item for those who answered it blind, and the rounds for the campaign's staff."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, row_number, told
from annotation.calibration import actions
from annotation.calibration.reading import current_round, discussed_or_404, discussion, round_values
from annotation.campaigns.forms import CalibrationForm, content_from_post
from annotation.core.queries import live_grade
from annotation.grading.answers import Incomplete
from annotation.grading.drafting import later_draft
from annotation.grading.sheets import sheet
from annotation.models import Assignment, CalibrationItem, Campaign, Occasion
from benchmark.rubrics import rubric_from_content


@login_required
@require_http_methods(["GET", "POST"])
def discussion_page(request: SignedInRequest, handle: str) -> HttpResponse:
    """All blind answers side by side, the remarks, and the form of second answers; POST adds a remark."""
    place, subject = discussed_or_404(request.user, handle)
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            actions.discuss(author=request.user, item=place.item, text=text)
        except Refused as refusal:
            return _page(request, place, subject, refusal=refusal, remark=text)
        return redirect("discussion", handle=handle)
    return _page(request, place, subject)


@login_required
@require_POST
def again(request: SignedInRequest, handle: str) -> HttpResponse:
    """Second answers after the discussion."""
    place, subject = discussed_or_404(request.user, handle)
    content = content_from_post(rubric_from_content(place.item.campaign.rubric.content), request.POST)
    reason = request.POST.get("reason", "")
    try:
        actions.answer_again(reviewer=request.user, assignment=place, content=content, reason=reason)
    except Refused as refusal:
        return _page(request, place, subject, refusal=refusal, content=content, reason=reason)
    messages.success(request, "Your second answers are stored; the blind ones stay as they are.")
    return redirect("discussion", handle=handle)


def _page(
    request: SignedInRequest,
    place: Assignment,
    subject: CalibrationItem,
    *,
    refusal: Refused | None = None,
    content: dict[str, object] | None = None,
    reason: str = "",
    remark: str = "",
) -> HttpResponse:
    context = {
        **later_form(place, Occasion.DISCUSSION, refusal, content, reason),
        "discussion": discussion(subject, place),
        "grade": live_grade(place),
        "remark": remark,
    }
    return render(request, "annotation/calibration/discussion.html", context, status=409 if refusal else 200)


def later_form(
    place: Assignment,
    occasion: Occasion,
    refusal: Refused | None,
    content: dict[str, object] | None,
    reason: str,
) -> dict[str, object]:
    """What a form of later answers prints: what was sent and refused, else what is kept of it."""
    problems = refusal.problems if isinstance(refusal, Incomplete) else {}
    draft = later_draft(place, occasion)
    content = draft.content if content is None else {**content, "note": reason}
    return {
        "draft": draft,
        "content": content,
        "sheet": sheet(place, content=content, problems=problems),
        "refusal": refusal.reason if refusal else "",
        "no_reason": refusal is not None and refusal.code == "no_reason",
        "reason": content.get("note", ""),
    }


@staff_only
@require_http_methods(["GET", "POST"])
def rounds(request: SignedInRequest, slug: str) -> HttpResponse:
    """The rounds of a campaign; POST creates, reveals or ends the current one."""
    row = get_object_or_404(Campaign.objects.select_related("rubric"), slug=slug)
    form = CalibrationForm(request.POST if request.POST.get("verb") == "make" else None)
    if request.method == "POST":
        with told(request):
            verb, seen = request.POST.get("verb", ""), row_number(request.POST.get("seen", ""))
            if verb == "reveal":
                actions.reveal_calibration(actor=request.user, campaign=row, seen=seen)
            elif verb == "end":
                actions.end_calibration(actor=request.user, campaign=row, seen=seen)
            elif verb == "make" and form.is_valid():
                actions.make_calibration(actor=request.user, campaign=row, **form.cleaned_data)
            else:
                raise Refused("Enter how many items the round takes.", field="items")
            return redirect("calibration", slug=slug)
    context = {
        "campaign": row,
        "rounds": round_values(row),
        "present": current_round(row),
        "form": form,
    }
    return render(request, "annotation/calibration/calibration.html", context)
