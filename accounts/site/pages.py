"""What pages share: their signed-in request, and how they report the outcome of an action."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from accounts.models import User
from accounts.refusal import Refused


class SignedInRequest(HttpRequest):
    """For type checkers: a request behind a gate, so its user is a row of our User model."""

    user: User


def row_number(sent: str) -> int | None:
    """The number of a row that a form sent back; None for anything else."""
    return int(sent) if sent.isdecimal() and len(sent) < 19 else None


@contextmanager
def told(request: HttpRequest, done: str = "") -> Iterator[None]:
    """Show the reason when an action in the block refuses; else the message `done`, if there is one."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, refusal.reason)
    else:
        if done:
            messages.success(request, done)


@contextmanager
def refusals_in(form: BaseForm, field: str = "") -> Iterator[None]:
    """Show the reason when an action in the block refuses: at `field`, else at the refusal's own if `form` has it."""
    try:
        yield
    except Refused as refusal:
        field = field or refusal.field
        form.add_error(field if field in form.fields else None, refusal.reason)
