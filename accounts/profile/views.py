"""The user's own profile: name, domains, conflicts of interest, access tokens."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import AccessToken
from accounts.people import erasure
from accounts.people.forms import (
    ConflictForm,
    ExpertiseForm,
    NameForm,
    PasswordAgainForm,
    PreferencesForm,
    TokenForm,
)
from accounts.people.queries import tokens_in_use
from accounts.profile import actions, tokens
from accounts.profile.domains import SUGGESTED
from accounts.refusal import Refused
from accounts.rest.errors import refusal_status
from accounts.signing_in.proof import check_password_again
from accounts.site.pages import SignedInRequest, refusals_in, told


@login_required
@require_GET
def profile(request: SignedInRequest) -> HttpResponse:
    """Everything that users say about themselves and own here."""
    return _page(request)


def _page(request: SignedInRequest, status: int = 200, **special: Any) -> HttpResponse:
    context = {
        "name_form": NameForm(initial={"name": request.user.name}),
        "expertise_form": ExpertiseForm(),
        "conflict_form": ConflictForm(),
        "preferences_form": PreferencesForm(
            initial={name: getattr(request.user, name) for name in PREFERENCES}
        ),
        "token_form": TokenForm(),
        "expertise": request.user.expertise.order_by("-confidence", "domain"),
        "conflicts": request.user.conflicts.order_by("kind", "key"),
        "tokens": tokens_in_use(request.user).order_by("created_at"),
        "domains": SUGGESTED,
        **special,
    }
    return render(request, "accounts/profile/profile.html", context, status=status)


@login_required
@require_POST
def name(request: SignedInRequest) -> HttpResponse:
    """Change the name."""
    form = NameForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, name_form=form)
    with told(request, "Your name has been changed."):
        actions.rename(actor=request.user, **form.cleaned_data)
    return redirect("profile")


PREFERENCES = ("capacity", "away_until", "credit", "pseudonym", "reminders")


@login_required
@require_POST
def preferences(request: SignedInRequest) -> HttpResponse:
    """Capacity, absence, credit, reminders."""
    form = PreferencesForm(request.POST)
    if form.is_valid():
        with refusals_in(form):
            actions.set_preferences(actor=request.user, **form.cleaned_data)
    if not form.is_valid():
        return _page(request, 422, preferences_form=form)
    messages.success(request, "Your preferences have been saved.")
    return redirect("profile")


@login_required
@require_http_methods(["GET", "POST"])
def erase(request: SignedInRequest) -> HttpResponse:
    """Erase the user's own account, after checking the password."""
    form = PasswordAgainForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            check_password_again(request, form.cleaned_data["password"])
            erasure.erase_person(actor=request.user, member=request.user)
            logout(request)
            return redirect("erased")
    return render(request, "accounts/profile/erase.html", {"form": form}, status=422 if form.errors else 200)


@require_GET
def erased(request: HttpRequest) -> HttpResponse:
    """The page shown after an erasure."""
    return render(request, "accounts/profile/erased.html")


@require_GET
def privacy(request: HttpRequest) -> HttpResponse:
    """What is stored about people, who sees it, and for how long."""
    return render(request, "accounts/profile/privacy.html")


@login_required
@require_POST
def expertise(request: SignedInRequest) -> HttpResponse:
    """Add a domain, or change its confidence."""
    form = ExpertiseForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, expertise_form=form)
    with told(request, f"{form.cleaned_data['domain']} is now among your domains."):
        actions.state_expertise(actor=request.user, **form.cleaned_data)
    return redirect("profile")


@login_required
@require_POST
def expertise_remove(request: SignedInRequest) -> HttpResponse:
    """Remove a domain."""
    domain = request.POST.get("domain", "")
    with told(request, f"{domain} is no longer among your domains."):
        actions.remove_expertise(actor=request.user, domain=domain)
    return redirect("profile")


@login_required
@require_POST
def conflict(request: SignedInRequest) -> HttpResponse:
    """Declare a conflict of interest."""
    form = ConflictForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, conflict_form=form)
    with told(request, "The conflict has been declared. A coordinator decides what it excludes."):
        actions.declare_conflict(actor=request.user, **form.cleaned_data)
    return redirect("profile")


@login_required
@require_POST
def conflict_withdraw(request: SignedInRequest) -> HttpResponse:
    """Withdraw a declaration."""
    named = {"kind": request.POST.get("kind", ""), "key": request.POST.get("key", "")}
    with told(request, "The declaration has been withdrawn. It still counts in studies that you have begun."):
        actions.withdraw_conflict(actor=request.user, **named)
    return redirect("profile")


@login_required
@require_POST
def token(request: SignedInRequest) -> HttpResponse:
    """Create an access token; only this response shows it."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, token_form=form)
    asked = dict(form.cleaned_data)
    try:
        check_password_again(request, asked.pop("password"))
        made = tokens.create_token(actor=request.user, **asked)
    except Refused as refusal:
        form.add_error(refusal.field or None, refusal.reason)
        return _page(request, refusal_status(refusal), token_form=form)
    return _page(request, new_token=made)


@login_required
@require_POST
def token_revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke the user's own token; 404 for anyone else's."""
    row = get_object_or_404(AccessToken, pk=pk, user=request.user)
    with told(request, f"The token “{row.label}” no longer works."):
        tokens.revoke_token(actor=request.user, token=row)
    return redirect("profile")
