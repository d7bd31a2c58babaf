"""Sessions in the database as Django keeps them; every request reads one, so by a statement that is made once."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import DateTimeField
from django.utils import timezone

from accounts.database.statements import Parameter, Statement

_LIVE = Statement(
    lambda: Session.objects.filter(
        session_key=Parameter("key"), expire_date__gt=Parameter("now", output_field=DateTimeField())
    )
)


class SessionStore(db.SessionStore):
    """Django's own store, except for how a session is read."""

    def _get_session_from_db(self) -> Session | None:
        found: Session | None = _LIVE.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
        return found
