"""The steps from a release to an open campaign. Each saves the draft, so it can be left and resumed."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in, told
from annotation.assigning import actions as assigning_actions
from annotation.assigning.plans import plan_in_words
from annotation.campaigns import actions, revising, setup
from annotation.campaigns.draws import DRAW_WAYS, PLANNED_ELSEWHERE, chosen, draw_as_chosen, size_of
from annotation.campaigns.setup_forms import OptionsForm, PeopleForm, TermsForm
from annotation.conflicts import resolving as conflicts
from annotation.core import queries
from annotation.core.identities import name_in, system_names
from annotation.core.phases import Phase
from annotation.guessing import actions as guessing_actions
from annotation.models import Assignment, Campaign, CampaignSetup, GuessQuestion, SetupStep
from benchmark.models import Release
from stats.core.text import counted


@staff_only
@require_http_methods(["GET", "POST"])
def campaign_new(request: SignedInRequest) -> HttpResponse:
    """The first step of a campaign that does not exist yet."""
    release = Release.objects.filter(
        name=request.GET.get("release", "")
    ).first()  # sent by the release's page
    track = release and release.runs.order_by("track").values_list("track", flat=True).first()
    form = TermsForm(_sent(request), initial={"release": release, "track": track})
    if request.method == "POST" and form.is_valid():
        if (elsewhere := _elsewhere(form.chosen_kind(), **form.cleaned_data)) is not None:
            return redirect(elsewhere)
        with refusals_in(form):
            _require_something_to_draw(form)
            made = actions.create_campaign(actor=request.user, **form.cleaned_data)
            revising.keep_setup(actor=request.user, campaign=made, step=SetupStep.TERMS)
            return _next_page(request, made, SetupStep.TERMS)
    return _page(request, None, SetupStep.TERMS, {"form": form})


@staff_only
@require_GET
def resume(request: SignedInRequest, slug: str) -> HttpResponse:
    """Back to the first step that was not saved."""
    row = _draft(slug)
    if row is None:
        return redirect("campaign", slug=slug)
    return redirect("campaign-setup-step", slug=slug, step=setup.after(setup.setup_of(row).reached))


@staff_only
@require_http_methods(["GET", "POST"])
def step(request: SignedInRequest, slug: str, step: str) -> HttpResponse:
    """One step of a draft."""
    if step not in STEPS:
        raise Http404
    row = _draft(slug)
    if row is None:
        return redirect("campaign", slug=slug)
    if not setup.may_show(setup.setup_of(row), step):
        return redirect("campaign-setup", slug=slug)
    return STEPS[SetupStep(step)](request, row)


def _draft(slug: str) -> Campaign | None:
    rows = Campaign.objects.select_related("release__benchmark", "rubric")
    row = get_object_or_404(rows, slug=slug)
    return row if row.phase == Phase.DRAFT else None


def _terms(request: SignedInRequest, row: Campaign) -> HttpResponse:
    names = ("name", "release", "track", "condition")
    start = {name: getattr(row, name) for name in names} | {"rubric": row.rubric.label}
    form = TermsForm(_sent(request), initial=start)
    if request.method == "POST" and form.is_valid():
        if (elsewhere := _elsewhere(form.chosen_kind(), **form.cleaned_data)) is not None:
            return redirect(elsewhere)
        with refusals_in(form):
            _require_something_to_draw(form)
            revising.revise_campaign(actor=request.user, campaign=row, **form.cleaned_data)
            return _saved(request, row, SetupStep.TERMS)
    return _page(request, row, SetupStep.TERMS, {"form": form})


def _items(request: SignedInRequest, row: Campaign) -> HttpResponse:
    discards = request.POST.get("verb") == "discard"
    if row.items.exists() or discards:
        # The finished draw: nothing to choose, but it can be discarded until the first place is assigned.
        if discards:
            with told(request):
                _discard_draw(request, row)
            return redirect("campaign-setup-step", slug=row.slug, step=SetupStep.ITEMS)
        if request.method == "POST":
            return _next_page(request, row, SetupStep.ITEMS)
        finished = {
            "strata": queries.drawn_strata(row),
            "drawn": True,
            "expected": setup.expected(row, setup.setup_of(row)),
            "may_discard": _may_discard(row),
        }
        return _page(request, row, SetupStep.ITEMS, finished)
    way = DRAW_WAYS.get(row.kind)
    if way is None:
        return _page(
            request, row, SetupStep.ITEMS, {"elsewhere": _elsewhere(row.kind, row.release, row.name)}
        )
    kept = setup.setup_of(row)
    frame = way.frame(row.release, row.track, row.condition)
    start = {**kept.draw, "seed": row.seed, "minutes_per_item": kept.minutes_per_item}
    form = way.form(_sent(request), campaign=row, frame=frame, initial=start)
    context: dict[str, object] = {"form": form, "way": way, "frame": frame}
    if request.method == "POST" and form.is_valid():
        choices, minutes = form.choices(), form.cleaned_data["minutes_per_item"]
        if request.POST.get("verb") != "count":
            with refusals_in(form):
                revising.revise_campaign(actor=request.user, campaign=row, seed=form.cleaned_data["seed"])
                return _saved(request, row, SetupStep.ITEMS, draw=choices, minutes_per_item=minutes)
        context["expected"] = setup.workload(row, size_of(way, frame, choices), minutes)
    elif request.method == "GET":
        context["expected"] = setup.expected(row, kept)
    return _page(request, row, SetupStep.ITEMS, context)


def _discard_draw(request: SignedInRequest, row: Campaign) -> None:
    count = revising.discard_draw(actor=request.user, campaign=row)
    messages.success(
        request, f"The draw of {counted(count, 'item')} has been discarded; nothing is drawn now."
    )


def _may_discard(row: Campaign) -> bool:
    return row.items.exists() and not Assignment.objects.filter(item__campaign=row).exists()


def _people(request: SignedInRequest, row: Campaign) -> HttpResponse:
    names = ("reviewers_per_item", "problem_rule", "split_by", "most_per_reviewer", "due_on")
    start = {name: getattr(row, name) for name in names} | {"least_authors": conflicts.least_authors(row)}
    form = PeopleForm(_sent(request), initial=start)
    if request.method == "POST" and form.is_valid():
        terms = {**form.changes}
        with refusals_in(form):
            with transaction.atomic():
                if "least_authors" in terms:
                    least = terms.pop("least_authors")
                    actions.set_least_authors(actor=request.user, campaign=row, least=least)
                revising.revise_campaign(actor=request.user, campaign=row, **terms)
            return _saved(request, row, SetupStep.PEOPLE)
        row.refresh_from_db()
    context = {
        "form": form,
        "people": setup.people_of(row),
        "authors": setup.possible_authors(row),
        "coverage": setup.coverage(row),
        "expected": setup.expected(row, setup.setup_of(row)),
    }
    return _page(request, row, SetupStep.PEOPLE, context)


def _options(request: SignedInRequest, row: Campaign) -> HttpResponse:
    asked = GuessQuestion.objects.filter(campaign=row).exists()
    start = {
        "instructions": row.instructions,
        "with_search": row.with_search,
        "ask_for_guesses": asked,
    }
    form = OptionsForm(_sent(request), initial=start, campaign=row)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            terms = {**form.changes}
            asks = terms.pop("ask_for_guesses", False)
            revising.revise_campaign(actor=request.user, campaign=row, **terms)
            if asks:
                guessing_actions.ask_for_guesses(actor=request.user, campaign=row)
            return _saved(request, row, SetupStep.OPTIONS)
    return _page(request, row, SetupStep.OPTIONS, {"form": form})


def _plan(request: SignedInRequest, row: Campaign) -> HttpResponse:
    """Draw first, then the plan of assignment; continuing without assigning leaves the items for reviewers to take."""
    if request.method == "POST":
        verb = request.POST.get("verb")
        with told(request):
            if verb == "draw":
                items = draw_as_chosen(actor=request.user, campaign=row)
                messages.success(request, f"{counted(len(items), 'item')} drawn.")
            elif verb == "discard":
                _discard_draw(request, row)
            elif verb == "apply":
                sha256 = request.POST.get("plan", "")
                placed = assigning_actions.apply_plan(actor=request.user, campaign=row, sha256=sha256)
                messages.success(request, f"{counted(len(placed), 'place')} assigned.")
                return _saved(request, row, SetupStep.PLAN)
            elif not row.items.exists():
                raise Refused("Draw the items first.")
            else:
                return _saved(request, row, SetupStep.PLAN)
        return redirect("campaign-setup-step", slug=row.slug, step=SetupStep.PLAN)
    kept = setup.setup_of(row)
    context: dict[str, object] = {
        "expected": setup.expected(row, kept),
        "drawn": row.items.exists(),
        "chosen": chosen(row),
        "may_discard": _may_discard(row),
    }
    if context["drawn"]:
        context |= plan_in_words(row, assigning_actions.plan_assignment(row))
    return _page(request, row, SetupStep.PLAN, context)


def _opening(request: SignedInRequest, row: Campaign) -> HttpResponse:
    if request.method == "POST":
        with told(request, "The campaign is now open."):
            known = request.POST.get("answers_are_public") == "yes"
            actions.open_campaign(actor=request.user, campaign=row, answers_are_public=known)
            return redirect("campaign", slug=row.slug)
        return redirect("campaign-setup-step", slug=row.slug, step=SetupStep.OPENING)
    items = list(queries.progress_by_item(row))
    context = {
        "strata": queries.drawn_strata(row),
        "authors": setup.possible_authors(row),
        "expected": setup.expected(row, setup.setup_of(row)),
        "places": sum(item.places for item in items),
        "taken": sum(item.places_taken for item in items),
        "holders": len(queries.campaign_loads(row)),
        "guesses": GuessQuestion.objects.filter(campaign=row).exists(),
        "named": name_in(f"{row.name}\n{row.instructions}", system_names()),
        "public_at": actions.public_answers(row),
        "short": [entry for entry in setup.coverage(row) if entry.short],
    }
    return _page(request, row, SetupStep.OPENING, context)


STEPS: dict[SetupStep, Callable[[SignedInRequest, Campaign], HttpResponse]] = {
    SetupStep.TERMS: _terms,
    SetupStep.ITEMS: _items,
    SetupStep.PEOPLE: _people,
    SetupStep.OPTIONS: _options,
    SetupStep.PLAN: _plan,
    SetupStep.OPENING: _opening,
}


def _sent(request: SignedInRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _require_something_to_draw(form: TermsForm) -> None:
    """Refuse a track without outputs while its field can still be changed."""
    way = DRAW_WAYS.get(form.chosen_kind())
    if way is None:
        return
    release, track = form.cleaned_data["release"], form.cleaned_data["track"]
    condition = form.cleaned_data.get("condition")
    frame = way.frame(release, track, condition)
    if not frame.strata and not frame.undecided:
        under = f" under condition {condition!r}" if condition else ""
        raise Refused(
            f"{release} has no {way.units} to draw in track {track!r}{under}. Import outputs first, or choose another "
            "track.",
            field="track",
        )


def _elsewhere(kind: str, release: Release, name: str, **_: object) -> str | None:
    """The page that plans this kind of campaign, and names it as here."""
    page = PLANNED_ELSEWHERE.get(kind)
    return reverse(page, kwargs={"name": release.name}, query={"name": name}) if page else None


def _saved(request: SignedInRequest, row: Campaign, step: SetupStep, **kept: Any) -> HttpResponse:
    revising.keep_setup(actor=request.user, campaign=row, step=step, **kept)
    return _next_page(request, row, step)


def _next_page(request: SignedInRequest, row: Campaign, step: SetupStep) -> HttpResponse:
    if request.POST.get("verb") == "leave":
        messages.success(request, "The draft has been saved.")
        return redirect("campaign", slug=row.slug)
    return redirect("campaign-setup-step", slug=row.slug, step=setup.after(step))


def _page(
    request: SignedInRequest, row: Campaign | None, step: SetupStep, shown: Mapping[str, object]
) -> HttpResponse:
    kept: CampaignSetup | None = None if row is None else setup.setup_of(row)
    context = {
        **shown,
        "campaign": row,
        "step": step,
        "steps": setup.step_marks(kept, step),
        "back": setup.before(step),
    }
    return render(request, f"annotation/campaigns/setup/{step.value}.html", context)
