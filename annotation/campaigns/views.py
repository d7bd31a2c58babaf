"""Pages of those who run the study: campaigns, their draw, assignment, progress and end."""

from typing import cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in, told
from annotation.assigning import actions as assigning_actions
from annotation.assigning import by_hand as hand
from annotation.assigning.plans import plan_in_words
from annotation.campaigns import actions, reminding, revising
from annotation.campaigns.forms import ClosingForm
from annotation.campaigns.setup_forms import WhileOpenForm
from annotation.core import queries
from annotation.core.identities import name_in, system_names, would_be_shown_too
from annotation.core.phases import Phase, Verb, allows
from annotation.grading.ways_out import ways_out
from annotation.models import Assignment, Campaign, SetupStep
from stats.core.text import counted

PAGE = 50


@staff_only
@require_GET
def campaigns(request: SignedInRequest) -> HttpResponse:
    """The old address of the list."""
    return redirect("studies")


@staff_only
@require_GET
def campaign(request: SignedInRequest, slug: str) -> HttpResponse:
    """One campaign: what can be done in its phase, and progress by domain, reviewer and item."""
    row = get_object_or_404(
        Campaign.objects.select_related("release__benchmark", "rubric", "created_by"), slug=slug
    )
    domains, people = queries.progress_by_domain(row), queries.progress_by_reviewer(row)
    waiting = queries.waiting_places(row)
    hindered = [cast(int, one["reviewer"]) for one in people if one["hindrance"]]
    drawn, places, taken, submitted = (
        sum(cast(int, one[name]) for one in domains) for name in ("items", "wanted", "taken", "submitted")
    )
    context = {
        "campaign": row,
        "items": Paginator(queries.progress_by_item(row), PAGE).get_page(request.GET.get("drawn")),
        "drawn": drawn,
        "places": places,
        "taken": taken,
        "repeats": sum(cast(int, one["held"]) for one in people) - taken,
        "submitted": submitted,
        "reopened": queries.reopened(Assignment.objects.filter(item__campaign=row)).count(),
        "strata": queries.drawn_strata(row),
        "domains": domains,
        "reviewers": people,
        "hindered": waiting.filter(reviewer__in=hindered).count(),
        "waiting": Paginator(waiting, PAGE).get_page(request.GET.get("waiting")),
        "late": bool(row.due_on and row.due_on < timezone.now().date() and row.phase == Phase.OPEN),
        "reason_form": ClosingForm(),
        "unblinding": queries.unblinding(row),
        "shown_too": would_be_shown_too(row) if allows(row.phase, Verb.UNBLIND) else [],
        **{f"may_{verb.name.lower()}": allows(row.phase, verb) for verb in Verb},
    }
    return render(request, "annotation/campaigns/campaign.html", context)


@staff_only
@require_http_methods(["GET", "POST"])
def while_open(request: SignedInRequest, slug: str) -> HttpResponse:
    """Change the due date or the instructions while reviewers are at work."""
    row = get_object_or_404(Campaign, slug=slug)
    if row.phase != Phase.OPEN:
        return redirect("campaign", slug=slug)
    sent = request.POST if request.method == "POST" else None
    form = WhileOpenForm(sent, initial={"due_on": row.due_on, "instructions": row.instructions})
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            revising.revise_campaign(actor=request.user, campaign=row, **form.changes)
            messages.success(
                request, "Saved. Reviewers see the change in their queue and on each item that they open."
            )
            if named := name_in(form.changes.get("instructions", ""), system_names()):
                messages.warning(
                    request,
                    f"The instructions mention {named}. If that is one of the systems that reviewers grade, take the "
                    "name out now.",
                )
            return redirect("campaign", slug=slug)
    return render(request, "annotation/campaigns/while_open.html", {"campaign": row, "form": form})


@staff_only
@require_http_methods(["GET", "POST"])
def assign(request: SignedInRequest, slug: str) -> HttpResponse:
    """The plan, looked at first; POST applies exactly the plan that was shown. A draft's is a step of its setup."""
    row = get_object_or_404(Campaign, slug=slug)
    if row.phase == Phase.DRAFT:
        return redirect("campaign-setup-step", slug=slug, step=SetupStep.PLAN)
    if request.method == "POST":
        with told(request):
            placed = assigning_actions.apply_plan(
                actor=request.user, campaign=row, sha256=request.POST.get("plan", "")
            )
            messages.success(request, f"{counted(len(placed), 'place')} assigned.")
            return redirect("campaign", slug=slug)
        return redirect("campaign-assign", slug=slug)
    plan = assigning_actions.plan_assignment(row)
    return render(request, "annotation/campaigns/plan.html", {"campaign": row, **plan_in_words(row, plan)})


@staff_only
@require_http_methods(["GET", "POST"])
def by_hand(request: SignedInRequest, slug: str) -> HttpResponse:
    """Who has which item, to be changed by hand. POST gives what was ticked and takes away what no longer is."""
    row = get_object_or_404(Campaign.objects.select_related("release"), slug=slug)
    page = Paginator(hand.items_of(row), PAGE).get_page(request.GET.get("page"))
    if request.method == "POST":
        ticked, before = set(request.POST.getlist("place")), set(request.POST.getlist("before"))
        with told(request):
            give, take = (hand.pairs_called(row, keys) for keys in (ticked - before, before - ticked))
            hand.assign_by_hand(actor=request.user, campaign=row, give=give, take=take)
            messages.success(request, f"{len(give)} given, {len(take)} taken away.")
        return redirect(f"{request.path}?page={page.number}")
    context = {
        "campaign": row,
        "page": page,
        "matrix": hand.matrix(row, list(page.object_list)),
        "may_assign": allows(row.phase, Verb.ASSIGN),
    }
    return render(request, "annotation/campaigns/by_hand.html", context)


@staff_only
@require_POST
def close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close the campaign."""
    row = get_object_or_404(Campaign, slug=slug)
    with told(request, "The campaign is closed; its grades no longer change."):
        actions.close_campaign(actor=request.user, campaign=row, reason=request.POST.get("reason", ""))
    return redirect("campaign", slug=slug)


@staff_only
@require_POST
def release(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Release a waiting place."""
    place = get_object_or_404(
        Assignment.objects.select_related("item__campaign"), pk=pk, item__campaign__slug=slug
    )
    with told(request, "The place is free again; the draft has been kept."):
        assigning_actions.release_assignment(
            actor=request.user, assignment=place, reason=request.POST.get("reason", "")
        )
    return redirect("campaign", slug=slug)


@staff_only
@require_POST
def remind(request: SignedInRequest, slug: str) -> HttpResponse:
    """Email those with waiting items."""
    counts = reminding.remind_campaign(actor=request.user, campaign=get_object_or_404(Campaign, slug=slug))
    messages.success(
        request,
        f"{counts['sent']} reminded; {counts['held_back']} held back "
        "(away, no reminders wanted, reminded today, or may no longer grade).",
    )
    if counts["not_sent"]:
        said = f"{counts['not_sent']} not reminded: the mail server did not take the email. Try again later."
        messages.error(request, said)
    return redirect("campaign", slug=slug)


@staff_only
@require_POST
def release_late(request: SignedInRequest, slug: str) -> HttpResponse:
    """Release places past the due date and assign them to others."""
    with told(request):
        counts = assigning_actions.release_late(
            actor=request.user, campaign=get_object_or_404(Campaign, slug=slug)
        )
        messages.success(
            request,
            f"{counts['released']} late places released, {counts['reassigned']} assigned to others. Set a new due "
            "date: by the present one these are late, too.",
        )
    return redirect("campaign", slug=slug)


@staff_only
@require_GET
def ways(request: SignedInRequest, slug: str) -> HttpResponse:
    """Issues that reviewers reported: totals, reasons, and the items."""
    row = get_object_or_404(Campaign.objects.select_related("release"), slug=slug)
    found = ways_out(row)
    page = Paginator(found["items"], PAGE).get_page(request.GET.get("page"))
    return render(request, "annotation/grading/ways_out.html", {"campaign": row, "ways": found, "page": page})
