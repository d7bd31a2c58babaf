"""django-allauth by invitation only: the public sign-up form is closed, and failures count per person."""

import logging
import unicodedata
from typing import Any, cast
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token

from accounts.models import User
from accounts.signing_in.devices import known_device, remember_device
from accounts.site.forwarding import note_forwarding

_log = logging.getLogger(__name__)


def folded(address: str) -> str:
    """The address without accents, compatibility forms and case: what looks alike counts as one."""
    decomposed = unicodedata.normalize("NFKD", address)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()


class InvitationOnlyAdapter(DefaultAccountAdapter):
    """There is no public sign-up; accounts/people/joining_views.py makes users from invitations."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt; variants of one address share its limit, and a known browser has one of its own."""
        note_forwarding(request)
        address = folded(credentials.get("email", ""))
        device = known_device(request, address)
        if not device:
            super().pre_authenticate(request, **{**credentials, "email": address})
        elif not consume(request, action="login_on_known_device", key=device):
            raise self.validation_error("too_many_login_attempts")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Where the mail server fails, what the mail is about goes on: the password is changed by then, and a reset
        that failed for addresses with an account alone would tell strangers which these are."""
        try:
            super().send_mail(template_prefix, email, {**context, "site": settings.SITE_URL})
        except OSError as error:  # smtplib's errors are among them
            _log.error("A mail (%s) was not sent: %s", template_prefix, error)

    def logout(self, request: HttpRequest) -> None:
        """With another token, by which pages in other tabs see that their session has ended, and keep what is typed."""
        super().logout(request)
        rotate_token(request)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """At the site's own address: the person who asks for somebody's mail chooses the port of the host in it."""
        return settings.SITE_URL + urlsplit(super().get_reset_password_from_key_url(key)).path

    def post_login(self, request: HttpRequest, user: Any, **terms: Any) -> HttpResponse:
        """Go on to where the person wanted to go; this browser is known from now on."""
        response = cast(HttpResponse, super().post_login(request, user, **terms))
        remember_device(response, folded(cast(User, user).email))
        return response
