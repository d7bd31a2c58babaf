"""What pages share: their signed-in request, and how they report the outcome of an action."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from accounts.models import User
from accounts.refusal import Refused


class SignedInRequest(HttpRequest):
    """For type checkers: a request behind a gate, so its user is a row of our User model."""

    user: User


@contextmanager
def told(request: HttpRequest, done: str) -> Iterator[None]:
    """Show the message `done` when the block succeeds, and the reason when an action refuses."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, refusal.reason)
    else:
        messages.success(request, done)
