"""Rules for every page: private pages are never cached, staff must use MFA, no text has a NUL, no page is empty, and of
two who write the same thing at the same moment the second is told to try again."""

import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest, ObjectDoesNotExist
from django.db import DatabaseError, IntegrityError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, QueryDict
from django.middleware.common import CommonMiddleware
from django.shortcuts import redirect, render

from accounts.access import lacks_second_factor

_log = logging.getLogger(__name__)

SAFE = ("GET", "HEAD", "OPTIONS")
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


class _Middleware:
    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class PrivatePagesMiddleware(_Middleware):
    """Answers to signed-in people stay out of every cache."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # In this order: the page that says that the database is away has the header, and who asks cannot be read then.
        if "Cache-Control" not in response.headers and request.user.is_authenticated:
            response.headers["Cache-Control"] = "private, no-store"
        return response


class FormsOnlyMiddleware(_Middleware):
    """A page for addresses that take only what a form sends, where Django answers with nothing at all: signing in leads
    there when a button was pressed after the session had ended."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "GET" or not isinstance(response, HttpResponseNotAllowed):
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page


class SlashForReadersMiddleware(CommonMiddleware):
    """Leads to the address with its slash, but nobody who writes: most programs follow with a GET, which answers 200,
    and nothing is written."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return request.method in SAFE and super().should_redirect_with_slash(request)


class RequireMfaMiddleware(_Middleware):
    """Coordinators and owners set up a second factor before they reach anything else."""

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


class NulMiddleware(_Middleware):
    """PostgreSQL cannot compare or keep a NUL: an address with one is refused, a form gets U+FFFD in its place.

    So nothing that was typed is lost. JSON bodies are checked by their serializers, uploads (views that check the CSRF
    token themselves, once the reader of the file is in place) by the code that reads the file.
    """

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


class MeanwhileMiddleware(_Middleware):
    """An action looks before it writes. Where another has written in between, the database refuses, or what was found
    is gone; nothing is stored, and to try again is right, or shows why it cannot be."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """409 for what the state of other rows forbids; a fault of this code, such as a bad value, stays one."""
        gone = request.method not in SAFE and _is_gone(error)
        if not gone and not (isinstance(error, DatabaseError) and _is_of_others(error)):
            return None
        _log.error("The database refused a write of %s.", request.path, exc_info=error)
        if request.path.startswith("/api/"):
            return JsonResponse(_MEANWHILE, status=409)
        return render(request, "409.html", status=409)


def _is_gone(error: Exception) -> bool:
    """Whether a row is not there that the address or the form named a moment before."""
    # what Django says where it changes a row that is gone; the database itself refuses nothing
    unchanged = isinstance(error, DatabaseError) and str(error).endswith("did not affect any rows.")
    return unchanged or isinstance(error, ObjectDoesNotExist)


def _is_of_others(error: DatabaseError) -> bool:
    """Whether the database refused because of other rows (uniqueness, references, guards) or ended a deadlock."""
    state = getattr(error.__cause__, "pgcode", None)
    if isinstance(error, OperationalError):
        return state in ("40001", "40P01")
    own = state in ("23502", "23514") if state else str(error).startswith(("CHECK", "NOT NULL"))
    return isinstance(error, IntegrityError) and not own


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
_MEANWHILE = {
    "code": "meanwhile",
    "reason": "Something else changed at the same moment, and nothing of this was stored. Look at what there is now and"
    " try again.",
    "line": None,
    "field": "",
}
