"""Sessions in the database as Django keeps them; every request reads one, so by a statement that is written once."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.database.joined import Joined

_SESSION = Joined("django_session s WHERE s.session_key = %(key)s", s=Session)


class SessionStore(db.SessionStore):
    """Django's own store, except for how a live session is read."""

    def load(self) -> dict[str, Any]:
        for (session,) in _SESSION.rows(key=self.session_key):
            if session.expire_date > timezone.now():
                return self.decode(session.session_data)
        return super().load()
