"""Roles and accounts of members: granted, revoked, closed and reopened, never deleted."""

from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction

from accounts.access import role_names
from accounts.models import Role, RoleName, User
from accounts.people.authority import clashes, grantable_roles, may_dismiss
from accounts.people.invitations import withdraw_invitations_of
from accounts.profile.tokens import revoke_tokens_of
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record


@transaction.atomic
def grant_role(*, actor: User, member: User, role: str, reason: str = "") -> Role:
    """Grant a role. A person who sees identities cannot also be a reviewer; granting twice is refused."""
    _check_may_grant(actor, role)
    held = _locked_roles(member)
    if role in held:
        raise Refused(f"{member} already has the role {role}.", code="role_held")
    if clashes(held, role):
        raise Refused(
            "Coordinators and owners see which system wrote what; they cannot also be reviewers.",
            code="role_clash",
        )
    granted = Role.objects.create(user=member, name=role)
    record(actor=actor, verb="grant_role", target=member, reason=reason, details={"role": role})
    return granted


@transaction.atomic
def revoke_role(*, actor: User, member: User, role: str, reason: str = "") -> None:
    """Revoke a role, with the member's access tokens and the invitations that rested on it; the last active owner keeps
    theirs."""
    _check_may_grant(actor, role)
    _check_owner_remains(member, role)
    deleted, _ = Role.objects.filter(user=member, name=role).delete()
    if not deleted:
        raise Refused(f"{member} does not have the role {role}.", code="role_not_held")
    revoke_tokens_of(member)
    withdraw_invitations_of(member, actor=actor)
    record(actor=actor, verb="revoke_role", target=member, reason=reason, details={"role": role})


@transaction.atomic
def deactivate_user(*, actor: User, member: User, reason: str = "") -> None:
    """Close an account: it cannot sign in; its sessions, access tokens and the links of its invitations end for good.
    Labels and history stay."""
    _check_may_dismiss(actor, member)
    _check_owner_remains(member, RoleName.OWNER)
    if not User.objects.filter(pk=member.pk, is_active=True).update(is_active=False):
        raise Refused(f"The account of {member} is already closed.", code="account_closed")
    # else a browser that was lost would be signed in again once the account is reopened
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) == str(member.pk):
            session.delete()
    revoke_tokens_of(member)
    withdraw_invitations_of(member, actor=actor)
    record(actor=actor, verb="deactivate_user", target=member, reason=reason)


@transaction.atomic
def reactivate_user(*, actor: User, member: User, reason: str = "") -> None:
    """Reopen a closed account; stand-ins of imported raters have no account to reopen."""
    _check_may_dismiss(actor, member)
    if not member.has_usable_password():
        raise Refused(f"{member} is an imported rater without an account.", code="no_account")
    if not User.objects.filter(pk=member.pk, is_active=False, erased_at=None).update(is_active=True):
        raise Refused(f"The account of {member} is already open, or was erased.", code="account_open")
    record(actor=actor, verb="reactivate_user", target=member, reason=reason)


@transaction.atomic
def remove_second_factor(*, actor: User, member: User, reason: str = "") -> None:
    """For a person who lost it together with its recovery codes: the password is enough once more, and those who need
    a second factor set up another one."""
    if actor.pk == member.pk:
        raise Refused("Your own second factor is turned off in your profile.", code="own_account")
    if not may_dismiss(role_names(actor), _locked_roles(member)):
        raise NotAllowed("You may not remove this person's second factor.")
    removed, _ = Authenticator.objects.filter(user=member).delete()
    if not removed:
        raise Refused(f"{member} has no second factor.", code="no_second_factor")
    record(actor=actor, verb="remove_second_factor", target=member, reason=reason)


def _locked_roles(member: User) -> frozenset[str]:
    """Read the roles again: those cached on a user object may be older than the transaction. Nobody else grants this
    person one meanwhile."""
    User.objects.select_for_update(no_key=True).get(pk=member.pk)
    return frozenset(Role.objects.select_for_update().filter(user=member).values_list("name", flat=True))


def _check_may_grant(actor: User, role: str) -> None:
    if role not in grantable_roles(role_names(actor)):
        raise NotAllowed(f"You may not grant or revoke the role {role}.")


def _check_may_dismiss(actor: User, member: User) -> None:
    if actor.pk == member.pk:
        raise Refused("You cannot close your own account.", code="own_account")
    held_owners()  # before the member, as where somebody is erased or loses a role
    if not may_dismiss(role_names(actor), _locked_roles(member)):
        raise NotAllowed("You may not close or reopen this account.")


def held_owners() -> list[int]:
    """The active owners, by number: none of them goes until the caller's transaction ends. What an owner does is still
    stored under their name, so that nobody waits here for somebody who waits for them."""
    owners = Role.objects.filter(name=RoleName.OWNER, user__is_active=True).order_by("user_id")
    return list(owners.select_for_update(no_key=True).values_list("user_id", flat=True))


def _check_owner_remains(member: User, role: str) -> None:
    if role != RoleName.OWNER:
        return
    if set(held_owners()) == {member.pk}:
        raise Refused(
            "The last owner cannot be removed. Make someone else an owner first.", code="last_owner"
        )
