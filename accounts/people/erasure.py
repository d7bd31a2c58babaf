"""Erasing a person: everything that identifies them is deleted; their labels stay, under a number."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts.access import role_names
from accounts.database.sight import identities_readable
from accounts.models import Credit, IdempotencyRecord, Invitation, Role, User
from accounts.people.authority import OWNER
from accounts.people.invitations import withdraw_invitations_of
from accounts.people.members import held_owners
from accounts.profile.personal_data import rows_of
from accounts.refusal import NotAllowed, Refused
from accounts.site.mail import forget_address
from accounts.trail import record


@transaction.atomic
def erase_person(*, actor: User, member: User, reason: str = "") -> None:
    """Erase `member`, by their own request or as an owner. It cannot be undone.

    The row stays as the rater of their labels, with an address that reaches nobody. Roles, domains, conflicts, tokens,
    saved comments, searches, unfinished drafts, second factors and the address of their invitations are deleted; links
    that they sent to others stop working.
    Raises NotAllowed for anybody else, Refused for the last owner (code "last_owner") and for somebody who was erased
    before (code "erased").
    """
    if actor.pk != member.pk and OWNER not in role_names(actor):
        raise NotAllowed("Only the person themselves or an owner may erase an account.")
    if set(held_owners()) == {member.pk}:
        raise Refused("The last owner cannot be erased. Make someone else an owner first.", code="last_owner")
    address, nobody = member.email, f"erased-{member.pk}@invalid.invalid"
    unerased = User.objects.filter(pk=member.pk, erased_at=None)
    stand_in = User(pk=member.pk)
    stand_in.set_unusable_password()
    if not unerased.update(
        email=nobody,
        name="",
        pseudonym="",
        credit=Credit.ANONYMOUS,
        capacity=None,
        away_until=None,
        reminders=False,
        is_active=False,
        is_staff=False,
        is_superuser=False,
        password=stand_in.password,
        last_login=None,
        erased_at=timezone.now(),
    ):
        raise Refused("This person has already been erased.", code="erased")
    for rows in (
        Role.objects.filter(user=member),
        member.expertise.all(),
        member.access_tokens.all(),
        member.saved_comments.all(),
        EmailAddress.objects.filter(user=member),
        Authenticator.objects.filter(user=member),
        IdempotencyRecord.objects.filter(user=member),
    ):
        rows.delete()
    with identities_readable():  # this also deletes what their conflicts of interest exclude
        member.conflicts.all().delete()
        for _, kept in rows_of(member):
            kept.delete()
    for path in settings.UNFINISHED_ROWS:
        for rows in import_string(path)(member):
            rows.delete()
    by = None if actor.pk == member.pk else actor
    withdraw_invitations_of(member, actor=by)
    # the one that was accepted, and those that it replaced
    Invitation.objects.filter(email__iexact=address).update(email=nobody, mail_error="")
    forget_address(address)
    record(actor=by, verb="erase_person", target=member, reason=reason)
