"""What a request of somebody signed in reads: their session, and the member with their roles."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.database.joined import Joined
from accounts.models import User

_SESSION = Joined("django_session s WHERE s.session_key = %(key)s", s=Session)


class SessionStore(db.SessionStore):
    """Django's own store, except for how a live session is read."""

    def load(self) -> dict[str, object]:
        for (session,) in _SESSION.rows(key=self.session_key):
            if session.expire_date > timezone.now():
                return self.decode(session.session_data)
        return super().load()


_MEMBER = Joined(
    "accounts_user u LEFT JOIN accounts_role r ON r.user_id = u.id WHERE u.id = %(user)s", "r.name", u=User
)


class MemberBackend(AuthenticationBackend):
    """allauth's backend; the member of a session comes with the names of their roles (see `role_names`)."""

    def get_user(self, user_id: Any) -> User | None:
        rows = list(_MEMBER.rows(user=int(user_id)))  # one for each role, or one without
        if not rows or not self.user_can_authenticate(rows[0][0]):
            return None
        member: User = rows[0][0]
        member.known_roles = frozenset(role for _, role in rows if role)
        return member
