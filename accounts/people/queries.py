"""Querysets over people, invitations and the audit trail."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import AccessToken, AuditEvent, Invitation, RoleName, User
from accounts.refusal import Refused
from accounts.signing_in.secrets import secret_hash


def members() -> QuerySet[User]:
    """People with an account of their own, active ones first; not the stand-ins of imported raters."""
    return (
        User.objects.exclude(is_active=False, password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .prefetch_related("roles", "expertise", "conflicts")
        .order_by("-is_active", "name", "email")
    )


def active_member(email: str) -> User:
    """The member with this address; raises Refused when there is none, or when the account is closed."""
    member = User.objects.filter(email__iexact=email.strip(), is_active=True).first()
    if member is None:
        raise Refused(
            f"Nobody with an open account has the address {email}.", code="no_member", field="actor"
        )
    return member


def member_at_the_console(email: str) -> User:
    """The member with this address, or the only active owner where none is given; raises Refused."""
    if email:
        return active_member(email)
    owners = list(User.objects.filter(is_active=True, roles__name=RoleName.OWNER).order_by("email"))
    if not owners:
        raise Refused("There is no active owner yet; create_owner makes the first.", code="no_owner")
    if len(owners) > 1:
        named = ", ".join(owner.email for owner in owners)
        why = f"Say who asks with --as EMAIL; the active owners are {named}."
        raise Refused(why, code="several_owners")
    return owners[0]


def any_member(email: str) -> User:
    """The member with this address, whether the account is open or closed; raises Refused when there is none."""
    member = members().filter(email__iexact=email.strip()).first()
    if member is None:
        raise Refused(f"Nobody has the address {email}.", code="no_member", field="email")
    return member


def tokens_in_use(user: User) -> QuerySet[AccessToken]:
    """A person's tokens that work now: neither revoked nor expired, and made under the current password."""
    return AccessToken.objects.filter(
        user=user,
        revoked_at=None,
        expires_at__gt=timezone.now(),
        password_mark=user.get_session_auth_hash(),
    )


def pending_invitations() -> QuerySet[Invitation]:
    """Neither accepted nor withdrawn; they may have expired."""
    return (
        Invitation.objects.filter(accepted_at=None, withdrawn_at=None)
        .select_related("invited_by")
        .order_by("expires_at")
    )


def usable_invitation(token: str) -> QuerySet[Invitation]:
    """The invitation that a link's token opens now: one row or none."""
    return Invitation.objects.filter(
        token_sha256=secret_hash(token),
        accepted_at=None,
        withdrawn_at=None,
        expires_at__gt=timezone.now(),
    )


def audit_events(*, target_kind: str = "", target_key: str = "", verb: str = "") -> QuerySet[AuditEvent]:
    """The trail, newest first; an empty filter means all."""
    wanted = {"target_kind": target_kind, "target_key": target_key, "verb": verb}
    filters = {field: value for field, value in wanted.items() if value}
    return AuditEvent.objects.filter(**filters).select_related("actor").order_by("-at", "-pk")


def audited_kinds() -> list[str]:
    """The kinds of objects in the trail."""
    kinds = AuditEvent.objects.order_by("target_kind").values_list("target_kind", flat=True)
    return list(kinds.distinct())
