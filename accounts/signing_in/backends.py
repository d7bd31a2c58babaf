"""Who is signed in, with their roles: one statement per request instead of two."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import Exists, OuterRef, QuerySet

from accounts.database.statements import Parameter, Statement
from accounts.models import Role, RoleName, User


class MemberBackend(AuthenticationBackend):
    """allauth's backend; the member of a session comes with the names of their roles (see `role_names`)."""

    def get_user(self, user_id: Any) -> User | None:
        member: User | None = _MEMBER.first(user=int(user_id))
        if member is None or not self.user_can_authenticate(member):
            return None
        member._role_names = frozenset(  # type: ignore[attr-defined]
            name for name in RoleName.values if getattr(member, f"has_{name}")
        )
        return member


def _member() -> QuerySet[User]:
    held = {
        f"has_{name}": Exists(Role.objects.filter(user=OuterRef("pk"), name=name)) for name in RoleName.values
    }
    return User.objects.filter(pk=Parameter("user")).annotate(**held)


_MEMBER = Statement(_member)
