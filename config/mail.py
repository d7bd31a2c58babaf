"""A mail backend that remembers how the last message fared, for the status page."""

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from accounts.site.mail import note_mail


class NotedBackend(BaseEmailBackend):
    """Sends through the backend of TOUCHSTONE_EMAIL_URL and notes what it says."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        backend = get_connection(settings.EMAIL_CONFIG["EMAIL_BACKEND"], fail_silently=self.fail_silently)
        try:
            sent = backend.send_messages(email_messages)
        except OSError as error:  # smtplib's errors are among them
            note_mail(str(error))
            raise
        note_mail("")
        return sent
