"""Authentication and permissions of the REST interface."""

from typing import Any

from django.utils.crypto import constant_time_compare
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.access import is_study_staff, lacks_second_factor, role_names
from accounts.models import AccessToken, RoleName, User
from accounts.secrets import secret_hash
from accounts.sight import have_sight


class AccessTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`. Cookies are ignored when the header is present."""

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The Authorization header must read: Bearer TOKEN.")
        digest = secret_hash(words[1].decode("latin-1"))
        token = (
            AccessToken.objects.select_related("user").filter(token_sha256=digest, revoked_at=None).first()
        )
        if token is None or not constant_time_compare(token.token_sha256, digest) or not token.user.is_active:
            raise AuthenticationFailed("This access token is unknown or was revoked.")
        if lacks_second_factor(token.user):
            raise AuthenticationFailed("Set up the second factor of your account first.")
        if is_study_staff(token.user):
            have_sight()
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


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
