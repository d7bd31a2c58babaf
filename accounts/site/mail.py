"""Mail that this app sends by itself, and whether the last message was sent; django-allauth sends its own."""

import datetime as dt
import logging
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.conf import settings
from django.core.cache import cache
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.people.invitations import NewInvitation

log = logging.getLogger(__name__)
_LAST, _KEPT = "last-mail", 7 * 24 * 3600


@dataclass(frozen=True)
class LastMail:
    """When the last message was handed to the mail server, and why it was refused, if it was."""

    at: dt.datetime
    error: str


def note_mail(error: str) -> None:
    """Remember for a week how handing over a message ended; `error` is empty if it was accepted."""
    cache.set(_LAST, LastMail(timezone.now(), error), _KEPT)


def was_silent(begun: float) -> bool:
    """Whether a message that failed waited until time was up. `begun` is from time.monotonic()."""
    return time.monotonic() - begun >= settings.EMAIL_TIMEOUT


def last_mail() -> LastMail | None:
    found: LastMail | None = cache.get(_LAST)
    return found


def forget_address(address: str) -> None:
    """Leave the address out of what is remembered, as the mail server named it."""
    last = last_mail()
    if last is not None and address.lower() in last.error.lower():
        error = re.sub(re.escape(address), "(erased)", last.error, flags=re.IGNORECASE)
        cache.set(_LAST, replace(last, error=error), _KEPT)


def invitation_link(token: str) -> str:
    """The absolute address that accepts an invitation."""
    return settings.SITE_URL + reverse("join", args=[token])


def send_invitation(made: NewInvitation) -> bool:
    """Email the link to the invited address; False when the mail server refuses."""
    return send_invitations([made]) == 1


def send_invitations(made: Iterable[NewInvitation]) -> int:
    """Email the links and note on each invitation how that ended; returns how many were sent.

    A mail server that is silent is asked once: somebody waits for the page that shows the links.
    """
    sent, silent = 0, ""
    for new in made:
        invitation = new.invitation
        context = {"invitation": invitation, "link": invitation_link(new.token)}
        body = render_to_string("accounts/people/invitation.txt", context)
        begun = time.monotonic()
        try:
            if silent:
                raise OSError(silent)
            send_mail("An invitation to Touchstone", body, None, [invitation.email])
            invitation.mailed_at, sent = timezone.now(), sent + 1
        except OSError as error:  # smtplib's errors are among them
            log.error("The email for invitation %s was not sent: %s", invitation.pk, error)
            invitation.mail_error = str(error)[:300] or type(error).__name__
            if was_silent(begun):
                silent = f"The mail server is silent: {error}"
        invitation.save(update_fields=["mailed_at", "mail_error"])
    return sent
