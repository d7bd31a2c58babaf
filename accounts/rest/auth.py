"""Authentication and permissions of the REST interface."""

import datetime as dt
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.access import is_study_staff, lacks_second_factor, role_names
from accounts.database.sight import have_sight
from accounts.models import AccessToken, RoleName, TokenScope, User
from accounts.signing_in.secrets import secret_hash

# Key of the WSGI environment under which `manage.py api` hands over the member who asks. A server puts nothing of a
# client's under such a key: headers are HTTP_*, and their values are texts.
CONSOLE_MEMBER = "touchstone.member"
_REACH = (TokenScope.READ, TokenScope.GRADE, TokenScope.MANAGE)  # each may do what those before it may
LAST_USE_KEPT_EVERY = dt.timedelta(minutes=10)  # a request is not to write for the sake of the list of tokens


class AccessTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`. Cookies are ignored when the header is present."""

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The Authorization header must read: Bearer TOKEN.")
        digest = secret_hash(words[1].decode("latin-1"))
        now = timezone.now()
        token = (
            AccessToken.objects.select_related("user")
            .filter(token_sha256=digest, revoked_at=None, expires_at__gt=now, user__is_active=True)
            .first()
        )
        if (
            token is None
            or not constant_time_compare(token.token_sha256, digest)
            or not constant_time_compare(token.password_mark, token.user.get_session_auth_hash())
        ):
            raise AuthenticationFailed("This access token is unknown, expired or revoked.")
        if lacks_second_factor(token.user):
            raise AuthenticationFailed("Set up the second factor of your account first.")
        if request.method not in SAFE_METHODS:
            # a view that writes needs `manage`, unless it declares `token_scope`: a new one is closed until somebody
            # decides
            needed = getattr(request.parser_context["view"], "token_scope", TokenScope.MANAGE)
            if _REACH.index(token.scope) < _REACH.index(needed):
                reason = f"This access token is for {token.scope}; this request needs one for {needed}."
                raise PermissionDenied(reason, code="token_scope")
        if token.last_used_at is None or now - token.last_used_at > LAST_USE_KEPT_EVERY:
            AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)
        if is_study_staff(token.user):
            have_sight()
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class ConsoleAuthentication(BaseAuthentication):
    """The member for whom `manage.py api` asks: the console needs neither password nor second factor (ADR 0033)."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        member = request.META.get(CONSOLE_MEMBER)
        if not isinstance(member, User):
            return None
        if is_study_staff(member):
            have_sight()
        return member, None


def is_console(request: HttpRequest | Request) -> bool:
    """Whether `manage.py api` asks; the limits of a server's requests do not apply to it."""
    return isinstance(request.META.get(CONSOLE_MEMBER), User)


class IsSignedIn(BasePermission):
    """Any active, signed-in person."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user and request.user.is_authenticated and request.user.is_active)


class IsStaffOfTheStudy(BasePermission):
    """Coordinators and owners."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user and is_study_staff(request.user))


class IsOwner(BasePermission):
    """Owners only."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user and RoleName.OWNER in role_names(request.user))


class StaffReadAndOwnersPost(BasePermission):
    """Coordinators and owners; only owners may post."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = IsOwner if request.method == "POST" else IsStaffOfTheStudy
        return needed().has_permission(request, view)
