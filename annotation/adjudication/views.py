"""Pages on which differences between graders are settled, and the two steps of an unblinding."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, row_number, told
from annotation.adjudication import actions
from annotation.adjudication import unblinding as adjudication_unblinding
from annotation.adjudication.page import adjudication_page, commented_file
from annotation.adjudication.reading import queue, state_counts
from annotation.core.files import copy_or_404
from annotation.core.identities import is_unblinded, item_systems, sees_identities
from annotation.core.item_names import is_turned, item_called
from annotation.core.material import item_material
from annotation.core.phases import Verb, allows
from annotation.models import Campaign, Item
from benchmark.files.sending import send_commented, send_copy

PAGE = 50


def _campaign(slug: str) -> Campaign:
    return get_object_or_404(Campaign.objects.select_related("release__benchmark", "rubric"), slug=slug)


def _item(campaign: Campaign, name: str) -> Item:
    try:
        return item_called(campaign, name)
    except Refused as refusal:
        raise Http404 from refusal


@staff_only
@require_GET
def adjudication(request: SignedInRequest, slug: str) -> HttpResponse:
    """Items that are split, agreed, incomplete or settled, those that need a decision first."""
    campaign = _campaign(slug)
    rows = queue(campaign)
    context = {
        "campaign": campaign,
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "counts": state_counts(rows),
        "may_decide": allows(campaign.phase, Verb.ADJUDICATE),
        "unblinded": is_unblinded(campaign),
    }
    return render(request, "annotation/adjudication/adjudication.html", context)


@staff_only
@require_http_methods(["GET", "POST"])
def adjudicate(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """One item: what its graders saw and said; a POST decides one question."""
    campaign = _campaign(slug)
    item = _item(campaign, name)
    problem: dict[str, object] = {}
    sent = request.POST
    if request.method == "POST":
        try:
            actions.adjudicate(
                actor=request.user,
                item=item,
                question=sent.get("question", ""),
                step=sent.get("step", ""),
                value=sent.get("value", ""),
                cause=sent.get("cause", ""),
                note=sent.get("note", ""),
                supersedes=row_number(sent.get("supersedes", "")),
            )
            messages.success(request, "The decision has been stored.")
            decided = "-".join(filter(None, (sent.get("question"), sent.get("step"))))
            return redirect(f"{reverse('adjudicate', args=[slug, name])}#q-{decided}")
        except Refused as refusal:
            problem = {
                "question": sent.get("question", ""),
                "step": sent.get("step", ""),
                "reason": refusal.reason,
                "sent": sent,
            }
    unblinded, graded_it = is_unblinded(campaign), actions.has_graded(request.user, item)
    context = {
        "campaign": campaign,
        "name": name,
        "systems": item_systems(item) if unblinded and sees_identities(request.user, campaign) else [],
        "page": adjudication_page(item),
        "problem": problem,
        "may_decide": allows(campaign.phase, Verb.ADJUDICATE) and not graded_it,
        "graded_it": actions.GRADED_IT if graded_it else "",
        "unblinded": unblinded,
    }
    return render(request, "annotation/adjudication/adjudicate.html", context, status=409 if problem else 200)


@staff_only
@require_GET
def item_file(request: SignedInRequest, slug: str, name: str, number: int) -> HttpResponse:
    """The file with this number on the page of an item; its own number would tell when it came, and so whose it is."""
    item = _item(_campaign(slug), name)
    files = item_material(item, swapped=is_turned(item)).files
    return send_copy(request, copy_or_404(files, number))


@staff_only
@require_GET
def commented(request: SignedInRequest, slug: str, name: str, number: int) -> HttpResponse:
    """A PDF of an item with its graders' comments as annotations, to be saved."""
    return send_commented(commented_file(_item(_campaign(slug), name), number))


@staff_only
@require_POST
def unblinding(request: SignedInRequest, slug: str) -> HttpResponse:
    """Request the unblinding, confirm someone else's request, or withdraw a request."""
    campaign = _campaign(slug)
    verb = request.POST.get("verb", "")
    with told(request):
        if verb == "request":
            adjudication_unblinding.request_unblinding(
                actor=request.user, campaign=campaign, reason=request.POST.get("reason", "")
            )
            messages.success(request, "Requested. A second person has to confirm before systems are shown.")
        elif verb == "confirm":
            adjudication_unblinding.confirm_unblinding(actor=request.user, campaign=campaign)
            messages.success(request, "The campaign has been unblinded.")
        else:
            adjudication_unblinding.withdraw_unblinding(actor=request.user, campaign=campaign)
            messages.success(request, "The request has been withdrawn.")
    return redirect("campaign", slug=slug)
