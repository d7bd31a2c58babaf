"""Training pages: reviewers answer gold items and see the gold afterwards; coordinators attach it and read results."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from annotation.campaigns.forms import TrainingForm, content_from_post
from annotation.core.files import copy_or_404
from annotation.core.phases import Phase
from annotation.grading.answers import Incomplete
from annotation.grading.drafting import training_draft
from annotation.models import Campaign, CampaignKind, TrainingItem
from annotation.training import actions
from annotation.training.file import form_of
from annotation.training.material import training_material
from annotation.training.reading import compared, own_training_or_404, training_results, unfinished
from annotation.training.sheets import gold_shown, note_shown, training_sheet
from benchmark.files.sending import send_copy
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content


@login_required
@require_GET
def training(request: SignedInRequest, slug: str) -> HttpResponse:
    """The items of the training with what is done; it leads to the queue when nothing is left."""
    row = own_training_or_404(request.user, slug)
    items = TrainingItem.objects.filter(training__campaign=row).order_by("number")
    done = set(items.filter(attempts__reviewer=request.user).values_list("pk", flat=True))
    context = {
        "campaign": row,
        "items": [{"item": item, "done": item.pk in done} for item in items],
        "next": unfinished(request.user, row).first(),
        "done": len(done),
        "training": row.training,
    }
    return render(request, "annotation/training/training.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def training_item(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """One item: its form or, once answered, the reviewer's answer compared with the gold."""
    row = own_training_or_404(request.user, slug)
    items = TrainingItem.objects.select_related(
        "instance", "training__campaign__rubric", "training__campaign__release__benchmark"
    )
    item = get_object_or_404(items, training__campaign=row, number=number)
    if request.method == "POST":
        content = content_from_post(rubric_from_content(row.rubric.content), request.POST)
        try:
            actions.answer_training(reviewer=request.user, item=item, content=content)
        except Refused as refusal:
            if refusal.code != "already_answered":
                return _form(request, item, content=content, refusal=refusal)
            # from another window: what is compared below are not the answers that were sent just now
            messages.error(request, refusal.reason)
        return redirect("training-item", slug=slug, number=number)
    attempt = item.attempts.filter(reviewer=request.user).first()
    if attempt is None:
        return _form(request, item)
    context = {
        **_common(item),
        "sheet": training_sheet(item),
        "questions": gold_shown(compared(item, attempt)),
        "note": note_shown(item),
        "next": unfinished(request.user, row).first(),
    }
    return render(request, "annotation/training/training_gold.html", context)


@login_required
@require_GET
def training_file(request: SignedInRequest, slug: str, number: int, file: int) -> HttpResponse:
    """The file with this number on the page of a training item, in the copy that readers get."""
    row = own_training_or_404(request.user, slug)
    items = TrainingItem.objects.select_related("training__campaign__release__benchmark", "instance")
    item = get_object_or_404(items, training__campaign=row, number=number)
    files = training_material(item, get_protocol(row.release.benchmark.protocol)).files
    return send_copy(request, copy_or_404(files, file))


def _common(item: TrainingItem) -> dict[str, object]:
    return {"campaign": item.training.campaign, "item": item, "total": item.training.items.count()}


def _form(
    request: SignedInRequest,
    item: TrainingItem,
    *,
    content: dict[str, object] | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    problems = refusal.problems if isinstance(refusal, Incomplete) else {}
    draft = training_draft(request.user, item)
    content = draft.content if content is None else content
    context = {
        **_common(item),
        "sheet": training_sheet(item, content=content, problems=problems),
        "draft": draft,
        "content": content,
        "refusal": refusal.reason if refusal else "",
    }
    return render(request, "annotation/training/training_item.html", context, status=409 if refusal else 200)


@login_required
@require_POST
def training_skip(request: SignedInRequest, slug: str) -> HttpResponse:
    """Skip the training, where the coordinator allows it."""
    row = own_training_or_404(request.user, slug)
    with told(request):
        actions.skip_training(reviewer=request.user, campaign=row)
        return redirect("queue")
    return redirect("training", slug=slug)


@staff_only
@require_http_methods(["GET", "POST"])
def campaign_training(request: SignedInRequest, slug: str) -> HttpResponse:
    """The training of a campaign: attach it while in draft, then the results by reviewer."""
    row = get_object_or_404(Campaign.objects.select_related("rubric", "release__benchmark"), slug=slug)
    form = TrainingForm(request.POST or None, request.FILES or None)
    problem = ""
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            actions.attach_training(
                actor=request.user,
                campaign=row,
                file=file.read(),
                form=form_of(file.name),
                may_skip=form.cleaned_data["may_skip"],
            )
            messages.success(request, "The training has been attached.")
            return redirect("campaign-training", slug=slug)
        except Refused as refusal:
            problem = str(refusal)
    results = training_results(row)
    rows = []
    for person in results.reviewers:
        counts = [person.questions.get(key) for key in results.questions]
        cells = [f"{count['same']}/{count['answered']}" if count else "–" for count in counts]
        rows.append({"person": person, "cells": cells})
    context = {
        "campaign": row,
        "form": form,
        "problem": problem,
        "may_attach": row.phase == Phase.DRAFT and row.kind in (CampaignKind.GRADE, CampaignKind.AUDIT),
        "results": results,
        "table_rows": rows,
        "items": TrainingItem.objects.filter(training__campaign=row)
        .order_by("number")
        .prefetch_related("gold"),
    }
    return render(
        request, "annotation/training/campaign_training.html", context, status=409 if problem else 200
    )
