"""Who holds which role, and the gate in front of views and API endpoints."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import RoleName

STUDY_STAFF = frozenset({RoleName.COORDINATOR, RoleName.OWNER})


def role_names(user: Any) -> frozenset[str]:
    """The roles a user holds; empty for strangers. Asked once per user object, i.e. once per request."""
    if not user.is_authenticated:
        return frozenset()
    known: frozenset[str] | None = user.known_roles
    if known is None:
        known = user.known_roles = frozenset(user.roles.values_list("name", flat=True))
    return known


def is_study_staff(user: Any) -> bool:
    """Coordinators and owners: they see identities and never grade blind."""
    return bool(role_names(user) & STUDY_STAFF)


def lacks_second_factor(user: Any) -> bool:
    """Whether the study's staff member still has to set up the second factor that this site asks for."""
    return settings.REQUIRE_MFA and is_study_staff(user) and not is_mfa_enabled(user)


def require_role(
    *roles: RoleName,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view for signed-in holders of one of `roles`; others get 403, strangers the sign-in page."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def gate(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not role_names(request.user) & set(roles):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return login_required(gate)

    return decorate


staff_only = require_role(RoleName.COORDINATOR, RoleName.OWNER)
owner_only = require_role(RoleName.OWNER)


def navigation(request: HttpRequest) -> dict[str, object]:
    """Template context: the person's roles, whether they run the study, and whether this is the demo."""
    user = getattr(request, "user", None)
    if user is None:
        return {"roles": frozenset(), "study_staff": False, "demo": settings.DEMO}
    return {"roles": role_names(user), "study_staff": is_study_staff(user), "demo": settings.DEMO}
