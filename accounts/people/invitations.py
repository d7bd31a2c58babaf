"""Invitations, the only way to get an account. Single use, two weeks, and only the hash of the link's token is kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.access import role_names
from accounts.models import Expertise, Invitation, Role, RoleName, User
from accounts.people.authority import grantable_roles
from accounts.people.queries import pending_invitations, usable_invitation
from accounts.refusal import NotAllowed, Refused
from accounts.signing_in.secrets import new_secret, secret_hash
from accounts.trail import record

VALID_FOR = timedelta(days=14)


@dataclass(frozen=True)
class NewInvitation:
    """The stored invitation and the token of its link, which cannot be shown again."""

    invitation: Invitation
    token: str


@transaction.atomic
def invite(*, actor: User, email: str, role: str) -> NewInvitation:
    """Invite an address; an open invitation of the same address is withdrawn, so that its link no longer works.

    Owners invite for any role, coordinators reviewers only. Raises Refused when the address is malformed or already has
    an account.
    """
    if role not in grantable_roles(role_names(actor)):
        raise NotAllowed(f"You may not invite a person as {role}.")
    address = _free_address(email)
    for earlier in pending_invitations().filter(email=address):
        withdraw_invitation(actor=actor, invitation=earlier, reason="replaced by a newer invitation")
    return _issue(actor, address, role)


@transaction.atomic
def invite_all(*, actor: User, emails: Iterable[str], role: str) -> list[NewInvitation]:
    """Invite every address, as `invite` does, all or none; those that have an account already are left out."""
    found = {email.strip().lower(): None for email in emails}
    known = User.objects.annotate(address=Lower("email")).filter(address__in=found)
    for address in known.values_list("address", flat=True):
        del found[address]
    # in one order, so that no two who invite the same people wait for each other
    made = {address: invite(actor=actor, email=address, role=role) for address in sorted(found)}
    return [made[address] for address in found]


@transaction.atomic
def invite_first_owner(*, email: str) -> NewInvitation:
    """An owner's invitation made at the console, by the operator of the site."""
    address = _free_address(email)
    for earlier in pending_invitations().filter(email=address):
        _withdraw(None, earlier, "replaced by an invitation from the console")
    return _issue(None, address, RoleName.OWNER)


@transaction.atomic
def withdraw_invitation(*, actor: User, invitation: Invitation, reason: str = "") -> None:
    """Withdraw an open invitation, so that its link no longer works.

    Raises Refused when it was accepted or withdrawn already.
    """
    if invitation.role not in grantable_roles(role_names(actor)):
        raise NotAllowed(f"You may not withdraw the invitation of a person as {invitation.role}.")
    _withdraw(actor, invitation, reason)


def withdraw_invitations_of(member: User, *, actor: User | None) -> None:
    """Withdraw the open invitations that a member could no longer make; part of what takes the account or a role."""
    roles = set(Role.objects.filter(user=member, user__is_active=True).values_list("name", flat=True))
    made = pending_invitations().filter(invited_by=member).exclude(role__in=grantable_roles(roles))
    for invitation in made.select_for_update(of=("self",)):
        _withdraw(actor, invitation, "its sender may no longer invite anybody for this role")


@transaction.atomic
def accept_invitation(*, token: str, name: str, password: str, expertise: Mapping[str, int]) -> User:
    """Create the account that an invitation is for. `expertise` maps domains to a confidence of 1 to 3.

    The password must have passed the validators. Raises Refused for a link that is unknown, expired or used.
    """
    invitation = usable_invitation(token).select_for_update(of=("self",)).first()
    if invitation is None:
        raise Refused("This link is no longer valid. Ask for a new invitation.", code="invitation_gone")
    user = User.objects.create_user(_free_address(invitation.email), password, name=name)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    Role.objects.create(user=user, name=invitation.role)
    Expertise.objects.bulk_create(
        Expertise(user=user, domain=domain, confidence=level) for domain, level in expertise.items()
    )
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    record(actor=user, verb="accept_invitation", target=invitation, details={"role": invitation.role})
    return user


def _free_address(email: str) -> str:
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise Refused("This is not an email address.", field="email") from error
    if User.objects.filter(email__iexact=address).exists():
        raise Refused(f"{address} already has an account.", code="account_exists", field="email")
    return address


def _issue(actor: User | None, address: str, role: str) -> NewInvitation:
    token = new_secret()
    invitation = Invitation.objects.create(
        email=address,
        role=role,
        token_sha256=secret_hash(token),
        invited_by=actor,
        expires_at=timezone.now() + VALID_FOR,
    )
    record(actor=actor, verb="invite", target=invitation, details={"role": role})
    return NewInvitation(invitation, token)


def _withdraw(actor: User | None, invitation: Invitation, reason: str) -> None:
    still_open = pending_invitations().filter(pk=invitation.pk)
    if not still_open.update(withdrawn_at=timezone.now()):
        raise Refused("This invitation is no longer open.", code="invitation_gone")
    record(actor=actor, verb="withdraw_invitation", target=invitation, reason=reason)
