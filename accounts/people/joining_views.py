"""The page behind an invitation's link."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.people import invitations, queries
from accounts.people.forms import FirstDomainFormSet, FirstDomains, JoinForm
from accounts.profile.domains import SUGGESTED
from accounts.refusal import Refused


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Name, password and domains; the account exists once they are valid, and the link is spent."""
    invitation = queries.usable_invitation(token).first()
    if invitation is None:
        return render(request, "accounts/people/join_gone.html", status=404)
    form = JoinForm(request.POST or None, email=invitation.email)
    domains = cast(FirstDomains, FirstDomainFormSet(request.POST or None, prefix="domains"))
    if request.method == "POST" and form.is_valid() and domains.is_valid():
        try:
            invitations.accept_invitation(
                token=token,
                name=form.cleaned_data["name"],
                password=form.cleaned_data["password"],
                expertise=domains.stated(),
            )
        except Refused:
            return render(request, "accounts/people/join_gone.html", status=404)
        logout(request)  # the person signed in on this browser is not the one who joined
        messages.success(request, "Your account is ready. Sign in with your email address and password.")
        return redirect("account_login")
    context = {"invitation": invitation, "form": form, "formset": domains, "domains": SUGGESTED}
    return render(request, "accounts/people/join.html", context, status=422 if form.is_bound else 200)
