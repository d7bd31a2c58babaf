"""Two rules that hold for every page: private pages are never cached, and staff of a study carry MFA."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
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


_REFUSAL = {
    "code": "second_factor_required",
    "reason": "Set up the second factor of your account first.",
    "line": None,
    "field": "",
}
