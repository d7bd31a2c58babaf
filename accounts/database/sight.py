"""The second layer of blinding: on PostgreSQL a request runs as a role that cannot read who wrote what.

All requests are blind except those of the study's staff. Code of a reviewer's path that must use an identity without
telling it does so inside `identities_readable()`. Off until TOUCHSTONE_BLIND_ROLE names the role (docs/adr/0020,
docs/deploy.md); `grant_blind_role` says what it may read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.access import is_study_staff
from accounts.database.pooling import refuse_undeclared_pooler


def be_blind() -> None:
    """From now on this connection may not read identities."""
    if settings.BLIND_ROLE:
        _set_role(connection.ops.quote_name(settings.BLIND_ROLE))


def have_sight() -> None:
    """From now on this connection may read everything again."""
    if settings.BLIND_ROLE:
        _set_role("NONE")


@contextmanager
def identities_readable() -> Iterator[None]:
    """Within the block the connection has sight; afterwards it is as it was.

    If the block fails inside a transaction, its rollback restores the role too: PostgreSQL undoes SET ROLE.
    """
    if not settings.BLIND_ROLE:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW role")
        was_blind = cursor.fetchone()[0] != "none"
    with transaction.atomic():
        have_sight()
        yield
        if was_blind:
            be_blind()


def _set_role(role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {role}")


class BlindUnlessStaff:
    """A request is blind unless a member of the staff is signed in; its connection leaves with sight.

    A token of REST is read later, in accounts/rest/auth.py, which gives staff sight by itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.BLIND_ROLE:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_study_staff(request.user):
            return self.get_response(request)
        refuse_undeclared_pooler()  # asked at start already, unless the database was away then
        be_blind()
        try:
            return self.get_response(request)
        finally:
            # the connection goes back to the next request with its own role, or it is closed
            try:
                have_sight()
            except DatabaseError:
                connection.close()
