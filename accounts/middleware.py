"""Two rules that hold for every page: private pages are never cached, and staff of a study carry MFA."""

from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.access import is_study_staff

Handler = Callable[[HttpRequest], HttpResponse]
_REACHABLE_WITHOUT_MFA = ("/accounts/", "/static/", "/health/")


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
        if settings.REQUIRE_MFA and self._lacks_factor(request):
            return redirect("mfa_activate_totp")
        return self.get_response(request)

    def _lacks_factor(self, request: HttpRequest) -> bool:
        if not request.user.is_authenticated or request.path.startswith(_REACHABLE_WITHOUT_MFA):
            return False
        return is_study_staff(request.user) and not is_mfa_enabled(request.user)
