"""Rules for every page: private pages are never cached, staff must use MFA, no text has a NUL."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect

from accounts.access import lacks_second_factor

Handler = Callable[[HttpRequest], HttpResponse]
# What it takes to set the factor up, and to leave. Names of addresses, so that no prefix lets more through.
REACHABLE_WITHOUT_FACTOR = frozenset(
    {
        "account_login",
        "account_logout",
        "account_reauthenticate",
        "mfa_activate_totp",
        "health",
        "ready",
        "metrics",
    }
)


class PrivatePagesMiddleware:
    """Answers to signed-in people stay out of every cache."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class RequireMfaMiddleware:
    """Coordinators and owners set up a second factor before they reach anything else."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Called once the address is resolved, so that the address can be judged by its name."""
        match = request.resolver_match
        if match is None or match.view_name in REACHABLE_WITHOUT_FACTOR:
            return None
        if not request.user.is_authenticated or not lacks_second_factor(request.user):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse(_REFUSAL, status=403)
        return redirect("mfa_activate_totp")


class NulMiddleware:
    """PostgreSQL cannot compare or keep a NUL: an address with one is refused, a form gets U+FFFD in its place.

    So nothing that was typed is lost. JSON bodies are checked by their serializers, uploads (views that check the CSRF
    token themselves, once the reader of the file is in place) by the code that reads the file.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Called after the CSRF check, which has read the form."""
        if "\0" in request.path or _has_nul(request.GET):
            if request.path.startswith("/api/"):
                return JsonResponse(_NUL, status=400)
            raise BadRequest(_NUL["reason"])
        if not getattr(view, "csrf_exempt", False) and _has_nul(request.POST):
            form = request.POST.copy()
            for name, values in request.POST.lists():
                form.setlist(name, [value.replace("\0", "\ufffd") for value in values])
            request.POST = form  # type: ignore[assignment]  # the stubs want an unchangeable form
        return None


def _has_nul(form: QueryDict) -> bool:
    return any("\0" in value for _, values in form.lists() for value in values)


_REFUSAL = {
    "code": "second_factor_required",
    "reason": "Set up the second factor of your account first.",
    "line": None,
    "field": "",
}
_NUL = {
    "code": "invalid",
    "reason": "The address contains a NUL character.",
    "line": None,
    "field": "",
}
