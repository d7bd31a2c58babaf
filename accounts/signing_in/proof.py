"""Asking for the password again, before a token is created and before an account is erased."""

from typing import cast

from allauth.core.ratelimit import consume
from django.http import HttpRequest

from accounts.models import User
from accounts.refusal import NotAllowed, Refused


def check_password_again(request: HttpRequest, password: str) -> None:
    """Raise NotAllowed unless `password` is that of the person who is signed in, Refused after too many attempts.

    Attempts share the limit of django-allauth's own reauthentication, so that a stolen session cannot be used to guess
    the password.
    """
    user = cast(User, request.user)
    if not consume(request, action="reauthenticate", user=user):
        raise Refused(
            "Too many attempts. Wait a minute, then try again.", code="too_many_attempts", field="password"
        )
    if not user.check_password(password):
        raise NotAllowed("This is not your password.", code="wrong_password", field="password")
