"""Roles and accounts of members: granted, revoked, closed and reopened, never deleted."""

from django.db import transaction

from accounts.access import role_names
from accounts.models import Role, RoleName, User
from accounts.people.authority import clashes, may_dismiss, roles_in_gift
from accounts.profile.tokens import revoke_tokens_of
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record


@transaction.atomic
def grant_role(*, actor: User, member: User, role: str, reason: str = "") -> Role:
    """Give a role. Who sees identities cannot be a reviewer as well; granting twice is refused."""
    _check_gift(actor, role)
    held = _held(member)
    if role in held:
        raise Refused(f"{member} is {role} already.", code="role_held")
    if clashes(held, role):
        raise Refused(
            "Coordinators and owners see which system wrote what; they cannot be reviewers as well.",
            code="role_clash",
        )
    granted = Role.objects.create(user=member, name=role)
    record(actor=actor, verb="grant_role", target=member, reason=reason, details={"role": role})
    return granted


@transaction.atomic
def revoke_role(*, actor: User, member: User, role: str, reason: str = "") -> None:
    """Take a role away, and the member's access tokens with it; the last active owner keeps theirs."""
    _check_gift(actor, role)
    _check_owner_remains(member, role)
    deleted, _ = Role.objects.filter(user=member, name=role).delete()
    if not deleted:
        raise Refused(f"{member} is not {role}.", code="role_not_held")
    revoke_tokens_of(member)
    record(actor=actor, verb="revoke_role", target=member, reason=reason, details={"role": role})


@transaction.atomic
def deactivate_user(*, actor: User, member: User, reason: str = "") -> None:
    """Close an account: no sign-in, and its access tokens stop. Labels and history stay."""
    _check_may_dismiss(actor, member)
    _check_owner_remains(member, RoleName.OWNER)
    if not User.objects.filter(pk=member.pk, is_active=True).update(is_active=False):
        raise Refused(f"The account of {member} is closed already.", code="account_closed")
    revoke_tokens_of(member)
    record(actor=actor, verb="deactivate_user", target=member, reason=reason)


@transaction.atomic
def reactivate_user(*, actor: User, member: User, reason: str = "") -> None:
    """Reopen a closed account; stand-ins of imported raters have no account to reopen."""
    _check_may_dismiss(actor, member)
    if not member.has_usable_password():
        raise Refused(f"{member} stands for an imported rater and has no account.", code="no_account")
    if not User.objects.filter(pk=member.pk, is_active=False).update(is_active=True):
        raise Refused(f"The account of {member} is open already.", code="account_open")
    record(actor=actor, verb="reactivate_user", target=member, reason=reason)


def _held(member: User) -> frozenset[str]:
    """Read anew: the roles cached on a user object may be older than the transaction."""
    return frozenset(Role.objects.select_for_update().filter(user=member).values_list("name", flat=True))


def _check_gift(actor: User, role: str) -> None:
    if role not in roles_in_gift(role_names(actor)):
        raise NotAllowed(f"You may not give or take the role {role}.")


def _check_may_dismiss(actor: User, member: User) -> None:
    if actor.pk == member.pk:
        raise Refused("You cannot close your own account.", code="own_account")
    if not may_dismiss(role_names(actor), _held(member)):
        raise NotAllowed("You may not close or reopen this account.")


def _check_owner_remains(member: User, role: str) -> None:
    if role != RoleName.OWNER:
        return
    owners = Role.objects.select_for_update().filter(name=RoleName.OWNER, user__is_active=True)
    if set(owners.values_list("user_id", flat=True)) == {member.pk}:
        raise Refused("The last owner cannot be removed. Make somebody else owner first.", code="last_owner")
