"""Who is signed in, with their roles: one statement per request instead of two."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import Exists, OuterRef

from accounts.models import Role, RoleName, User


class MemberBackend(AuthenticationBackend):
    """allauth's backend; the member of a session comes with the names of their roles (see `role_names`)."""

    def get_user(self, user_id: Any) -> User | None:
        held = {f"has_{name}": Exists(_role(name)) for name in RoleName.values}
        member = User.objects.filter(pk=user_id).annotate(**held).first()
        if member is None or not self.user_can_authenticate(member):
            return None
        member._role_names = frozenset(  # type: ignore[attr-defined]
            name for name in RoleName.values if getattr(member, f"has_{name}")
        )
        return member


def _role(name: str) -> Any:
    return Role.objects.filter(user=OuterRef("pk"), name=name)
