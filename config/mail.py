"""A mail backend that says plainly why a message was not sent, and remembers it for the status page."""

from collections.abc import Sequence
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from accounts.site.mail import note_mail


class NotedBackend(BaseEmailBackend):
    """Sends through the backend of TOUCHSTONE_EMAIL_URL and notes what it says.

    Whatever prevents a message is raised as an OSError: one address that no message can carry, such as a domain that
    is too long when it is encoded, fails like one that the server refuses.
    """

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        backend = get_connection(settings.EMAIL_CONFIG["EMAIL_BACKEND"], fail_silently=self.fail_silently)
        for message in email_messages:  # RFC 3834: nobody's absence is to be answered
            message.extra_headers.setdefault("Auto-Submitted", "auto-generated")
        try:
            sent = backend.send_messages(email_messages)
        except (OSError, ValueError) as error:  # smtplib's errors are OSErrors
            note_mail(reason(error))
            raise SMTPException(reason(error)) from error
        note_mail("")
        return sent


def reason(error: Exception) -> str:
    """In the words of the mail server where it gave some."""
    if isinstance(error, SMTPRecipientsRefused):
        return ", ".join(f"{code} {_text(says)}" for code, says in error.recipients.values())
    if isinstance(error, SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return str(error) or type(error).__name__


def _text(says: bytes | str) -> str:
    return says.decode("utf-8", "replace") if isinstance(says, bytes) else says
