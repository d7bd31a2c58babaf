"""The comment bank: a reviewer's own page of it, and what staff share in a campaign."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require_role, staff_only
from accounts.models import RoleName, SavedComment
from accounts.profile.saved_comments import change_comment, delete_comment, save_comment
from accounts.site.pages import SignedInRequest, refusals_in, told
from annotation.campaigns.forms import SavedCommentForm, SharedCommentForm
from annotation.comments import actions, bank
from annotation.models import Campaign

PAGE = 50
reviewers_only = require_role(RoleName.REVIEWER)


@reviewers_only
@require_http_methods(["GET", "POST"])
def comment_bank(request: SignedInRequest) -> HttpResponse:
    """Own saved comments, what is shared, and what was proposed; POST saves one more."""
    form = SavedCommentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form, "text"):
            save_comment(actor=request.user, **form.cleaned_data)
            messages.success(request, "Saved.")
            return redirect("comment-bank")
    rows = request.user.saved_comments.order_by("text", "pk")
    context = {
        "form": form,
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "campaigns": bank.campaigns_of(request.user),
        "shared": [part for part in bank.shared_with(request.user) if part.texts],
        "proposals": bank.proposals_of(request.user)[:PAGE],
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/comments/comment_bank.html", context, status=status)


@reviewers_only
@require_http_methods(["GET", "POST"])
def saved_comment(request: SignedInRequest, pk: int) -> HttpResponse:
    """One of the reviewer's comments with the form that changes it."""
    row = get_object_or_404(SavedComment, pk=pk, user=request.user)
    form = SavedCommentForm(request.POST or None, initial={"text": row.text})
    if request.method == "POST" and form.is_valid():
        with refusals_in(form, "text"):
            change_comment(actor=request.user, comment=row, **form.cleaned_data)
            messages.success(request, "Changed.")
            return redirect("comment-bank")
    context = {"comment": row, "form": form}
    return render(
        request, "annotation/comments/saved_comment.html", context, status=422 if form.errors else 200
    )


@reviewers_only
@require_POST
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete one of the reviewer's comments."""
    delete_comment(actor=request.user, comment=get_object_or_404(SavedComment, pk=pk, user=request.user))
    messages.success(request, "Deleted.")
    return redirect("comment-bank")


@reviewers_only
@require_POST
def propose(request: SignedInRequest, pk: int) -> HttpResponse:
    """Propose one of the reviewer's comments to a campaign in which they hold a place."""
    row = get_object_or_404(SavedComment, pk=pk, user=request.user)
    campaigns = bank.campaigns_of(request.user)
    campaign = get_object_or_404(campaigns, slug=request.POST.get("campaign", ""))
    with told(request, "Proposed. A coordinator decides and sees the text, not your name."):
        actions.propose_comment(reviewer=request.user, campaign=campaign, text=row.text)
    return redirect("comment-bank")


@staff_only
@require_http_methods(["GET", "POST"])
def shared_comments(request: SignedInRequest, slug: str) -> HttpResponse:
    """What reviewers proposed and what they share; POST shares a comment written by staff."""
    campaign = get_object_or_404(Campaign.objects.select_related("rubric"), slug=slug)
    form = SharedCommentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form, "text"):
            actions.share_comment(actor=request.user, campaign=campaign, **form.cleaned_data)
            messages.success(request, "Shared.")
            return redirect("shared-comments", slug=slug)
    page = Paginator(bank.shared_in(campaign), PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "form": form, "page": page}
    return render(
        request, "annotation/comments/shared_comments.html", context, status=422 if form.errors else 200
    )


@staff_only
@require_POST
def decide_shared(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Share, decline or withdraw one comment."""
    campaign = get_object_or_404(Campaign.objects.select_related("rubric"), slug=slug)
    row = get_object_or_404(bank.shared_in(campaign), pk=pk)
    with told(request):
        actions.decide_comment(
            actor=request.user,
            comment=row,
            state=request.POST.get("state", ""),
            everywhere="everywhere" in request.POST,
        )
    return redirect("shared-comments", slug=slug)
