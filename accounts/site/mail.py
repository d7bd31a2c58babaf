"""Mail that this app sends by itself, and whether the last message was sent; django-allauth sends its own."""

import datetime as dt
import logging
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.people.invitations import NewInvitation

log = logging.getLogger(__name__)
_LAST = "last-mail"


@dataclass(frozen=True)
class LastMail:
    """When the last message was handed to the mail server, and why it was refused, if it was."""

    at: dt.datetime
    error: str


def note_mail(error: str) -> None:
    """Remember for a week how handing over a message ended; `error` is empty if it was accepted."""
    cache.set(_LAST, LastMail(timezone.now(), error), 7 * 24 * 3600)


def last_mail() -> LastMail | None:
    found: LastMail | None = cache.get(_LAST)
    return found


def invitation_link(token: str) -> str:
    """The absolute address that accepts an invitation."""
    return settings.SITE_URL + reverse("join", args=[token])


def send_invitation(made: NewInvitation) -> bool:
    """Email the link to the invited address; False, and a line in the log, when the mail server refuses."""
    context = {"invitation": made.invitation, "link": invitation_link(made.token)}
    body = render_to_string("accounts/people/invitation.txt", context)
    try:
        send_mail("An invitation to Touchstone", body, None, [made.invitation.email])
    except OSError as error:  # smtplib's errors are among them
        log.error("The email for invitation %s was not sent: %s", made.invitation.pk, error)
        return False
    return True
