"""Mail that this app sends by itself; django-allauth sends its own."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.actions import NewInvitation

log = logging.getLogger(__name__)


def invitation_link(token: str) -> str:
    """The absolute address that accepts an invitation."""
    return settings.SITE_URL + reverse("join", args=[token])


def send_invitation(made: NewInvitation) -> bool:
    """Mail the link to the invited address; False, and a line in the log, when the mail server refuses."""
    context = {"invitation": made.invitation, "link": invitation_link(made.token)}
    body = render_to_string("people/invitation.txt", context)
    try:
        send_mail("An invitation to Touchstone", body, None, [made.invitation.email])
    except (SMTPException, OSError) as error:
        log.error("The mail of invitation %s was not sent: %s", made.invitation.pk, error)
        return False
    return True
