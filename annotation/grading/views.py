"""What a reviewer sees: the queue, an item, own finished work. Nothing here knows about systems."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require_role
from accounts.models import RoleName
from accounts.refusal import NotAllowed, Refused
from accounts.site.pages import SignedInRequest, told
from annotation.assigning import actions as assigning_actions
from annotation.assigning import taking
from annotation.calibration.reading import is_revealed, own_discussions
from annotation.campaigns.forms import content_from_post
from annotation.campaigns.progress import free_words, own_progress
from annotation.comments.bank import bank_of
from annotation.core import queries
from annotation.core.material import problem_title
from annotation.core.own_data import own_data
from annotation.core.phases import Phase
from annotation.core.places import is_locked, place_or_404, waits_elsewhere
from annotation.core.proof_names import proof_names
from annotation.grading import actions
from annotation.grading.answers import Incomplete
from annotation.grading.remarks import Remark
from annotation.grading.sheets import first_answers, own_answers, sheet
from annotation.guessing.guesses import is_asked
from annotation.models import Assignment, AssignmentState, ShownVerdict
from annotation.reveal.rules import next_to_mark, reveal_of
from annotation.training.reading import TrainingFirst, unfinished
from benchmark.rubrics import rubric_from_content


@require_role(RoleName.REVIEWER)
@require_GET
def queue(request: SignedInRequest) -> HttpResponse:
    """The reviewer's waiting items and progress, campaign by campaign."""
    progress = own_progress(request.user)
    free = sum(row.free for row in progress)
    reopened = list(queries.reopened(queries.own_assignments(request.user)))
    names = proof_names(request.user, reopened)
    context = {
        "reopened": [
            {
                "handle": place.handle,
                "title": problem_title(place.item.instance.payload, place.item.instance.key),
                "name": names.get(place.pk, ""),
            }
            for place in reopened
        ],
        "progress": progress,
        "discussions": own_discussions(request.user),
        "waiting": sum(len(row.waiting) for row in progress),
        "free": free,
        "free_words": free_words(free),
        "done": sum(row.done for row in progress),
        "every": all(row.every for row in progress),
    }
    return render(request, "annotation/grading/queue.html", context)


@require_role(RoleName.REVIEWER)
@require_POST
def grade_next(request: SignedInRequest) -> HttpResponse:
    """Go to the first waiting item; with none waiting, take a free one of an open campaign."""
    try:
        place = queries.waiting(request.user).first() or taking.take_anywhere(reviewer=request.user)
    except TrainingFirst as training:
        return redirect("training", slug=training.campaign.slug)
    except Refused as refusal:
        if refusal.code not in ("nothing_left", "conflicts_undecided"):
            raise
        messages.info(request, refusal.reason)
        return redirect("queue")
    return redirect("grade", handle=place.handle)


@login_required
@require_GET
def signed_in(request: SignedInRequest) -> HttpResponse:
    """The end of signing in again in a small window: tells the grading page and closes itself."""
    return render(request, "annotation/grading/signed_in.html")


@login_required
@require_http_methods(["GET", "POST"])
def grade(request: SignedInRequest, handle: str) -> HttpResponse:
    """One item: the form while it is open, the own grade once it is locked; POST submits without scripts."""
    place = place_or_404(request.user, handle)
    if request.method == "POST":
        content = content_from_post(rubric_from_content(place.item.campaign.rubric.content), request.POST)
        try:
            actions.submit_or_revise(
                reviewer=request.user,
                handle=handle,
                sent=actions.Sent(
                    content=content,
                    idempotency_key=request.POST.get("idempotency_key", ""),
                    rubric_sha256=request.POST.get("rubric_sha256", ""),
                    shown_sha256=request.POST.get("shown_sha256", ""),
                ),
            )
        except Refused as refusal:
            problems: Mapping[str, str] = refusal.problems if isinstance(refusal, Incomplete) else {}
            page = sheet(place, content=content, problems=problems)
            return _form(request, page, status=409, refusal=refusal.reason)
        return redirect("submitted", handle=handle)
    if is_locked(place) or place.item.campaign.phase != Phase.OPEN:
        page, grade = sheet(place), queries.live_grade(place, "flags__spans", "unjudged", "seen_where")
        discussed, is_open = is_revealed(place.item), place.item.campaign.phase == Phase.OPEN
        hides_verdict = page.verdict is None and ShownVerdict.objects.filter(item=place.item_id).exists()
        context = {
            "sheet": page,
            "name": _proof_name(place),
            "grade": grade,
            "questions": own_answers(page, grade.answers.order_by("pk")) if grade else [],
            "remarks": [Remark(row.block, row) for row in grade.comments.order_by("pk")] if grade else [],
            "is_open": is_open,
            "lapsed": grade is not None and not is_locked(place),
            "may_reopen": is_open and not discussed and reveal_of(place.item.campaign) is None,
            "discussed": discussed,
            "waits": waits_elsewhere(place) if grade and (discussed or hides_verdict) else "",
        }
        return render(request, "annotation/grading/own_grade.html", context)
    if unfinished(request.user, place.item.campaign).exists():
        return redirect("training", slug=place.item.campaign.slug)
    page = sheet(place)
    try:
        actions.open_item(reviewer=request.user, assignment=place, shown_sha256=page.shown.sha256)
    except NotAllowed as refusal:  # no longer a reviewer
        raise PermissionDenied from refusal
    return _form(request, page)


def _proof_name(place: Assignment) -> str:
    return proof_names(place.reviewer, [place]).get(place.pk, "")


def _form(request: SignedInRequest, page: Any, *, status: int = 200, refusal: str = "") -> HttpResponse:
    context = {
        "sheet": page,
        "name": _proof_name(page.place),
        "bank": bank_of(page.place),
        "refusal": refusal,
        "idempotency_key": uuid.uuid4().hex,
    }
    return render(request, "annotation/grading/grade.html", context, status=status)


@login_required
@require_GET
def submitted(request: SignedInRequest, handle: str) -> HttpResponse:
    """After submitting: say so, offer a link to reopen, and go on to the next waiting item."""
    place = place_or_404(request.user, handle)
    if place.state == AssignmentState.SUBMITTED:
        title = problem_title(place.item.instance.payload, place.item.instance.key)
        address = reverse("grade", args=[place.handle])
        messages.success(
            request,
            format_html('Submitted: {}. <a href="{}">Read or reopen it</a>', title, address),
        )
    to_mark = next_to_mark(place)
    if to_mark is not None:
        return redirect("verdict", handle=to_mark.handle)
    if is_asked(place):
        return redirect("guess", handle=place.handle)
    following = queries.waiting(request.user).first()
    return redirect("grade", handle=following.handle) if following else redirect("queue")


@require_role(RoleName.REVIEWER)
@require_GET
def finished(request: SignedInRequest) -> HttpResponse:
    """The reviewer's own submitted items, latest first, each of which opens to be read or reopened."""
    places = list(queries.finished(request.user))
    names, answers = proof_names(request.user, places), first_answers(places)
    rows = [
        {
            "place": place,
            "title": problem_title(place.item.instance.payload, place.item.instance.key),
            "name": names.get(place.pk, ""),
            "answer": answers.get(place.pk, ""),
            "reopened": not is_locked(place),
        }
        for place in places
    ]
    return render(request, "annotation/grading/finished.html", {"rows": rows})


@login_required
@require_POST
def reopen(request: SignedInRequest, handle: str) -> HttpResponse:
    """Unlock an own grade for revision."""
    place = place_or_404(request.user, handle)
    with told(request):
        actions.reopen_grade(reviewer=request.user, assignment=place)
    return redirect("grade", handle=place.handle)


@login_required
@require_POST
def out_of_field(request: SignedInRequest, handle: str) -> HttpResponse:
    """Give up the place: it is not in this reviewer's field."""
    place = place_or_404(request.user, handle)
    with told(request, "Thank you. The item is free for another reviewer."):
        assigning_actions.say_out_of_field(
            reviewer=request.user, assignment=place, note=request.POST.get("note", "")[:1000]
        )
        return redirect("queue")
    return redirect("grade", handle=place.handle)


@login_required
@require_GET
def download_own_data(request: SignedInRequest) -> JsonResponse:
    """Everything stored about the signed-in person, as a file."""
    reply = JsonResponse(own_data(request.user), json_dumps_params={"ensure_ascii": False, "indent": 2})
    reply["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return reply
