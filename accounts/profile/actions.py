"""What people state about themselves: their name, what they can judge, and their conflicts of interest."""

import datetime as dt

from django.db import transaction

from accounts.database.sight import identities_readable
from accounts.models import Conflict, Credit, Expertise, User
from accounts.refusal import Refused
from accounts.trail import record


def hold(actor: User) -> None:
    """Until the transaction ends two windows of the person take turns, and nobody erases the account: what they state
    would outlive it. Raises Refused where it is erased."""
    there = User.objects.filter(pk=actor.pk, erased_at=None)
    if not there.select_for_update(no_key=True).values_list("pk").first():
        raise Refused("This account has been erased.", code="erased")


@transaction.atomic
def rename(*, actor: User, name: str) -> None:
    """Change the user's own name as the study's staff see it."""
    hold(actor)
    User.objects.filter(pk=actor.pk).update(name=name)
    record(actor=actor, verb="rename", target=actor)  # no names: the trail outlives an erased account


@transaction.atomic
def set_preferences(
    *,
    actor: User,
    capacity: int | None,
    away_until: dt.date | None,
    credit: str,
    pseudonym: str = "",
    reminders: bool = True,
) -> None:
    """Set the user's capacity, absence, credit and whether to be reminded.

    `capacity`: at most so many unfinished items in a campaign, from 1; None: no limit. Raises Refused for a
    pseudonym that is missing, or a capacity or credit that does not exist.
    """
    if capacity is not None and not 1 <= capacity <= 1000:
        raise Refused("Enter between 1 and 1000 items, or leave the field empty.", field="capacity")
    if credit not in Credit.values:
        raise Refused(f"{credit!r} is not one of {', '.join(Credit.values)}.", field="credit")
    if credit == Credit.PSEUDONYM and not pseudonym.strip():
        raise Refused("Give the pseudonym under which you want to be thanked.", field="pseudonym")
    hold(actor)
    User.objects.filter(pk=actor.pk).update(
        capacity=capacity,
        away_until=away_until,
        credit=credit,
        pseudonym=pseudonym.strip() if credit == Credit.PSEUDONYM else "",
        reminders=reminders,
    )
    record(actor=actor, verb="set_preferences", target=actor)


@transaction.atomic
def state_expertise(*, actor: User, domain: str, confidence: int) -> Expertise:
    """Set or change the user's confidence (1 familiar, 2 working knowledge, 3 expert) in a domain."""
    hold(actor)
    stated, _ = Expertise.objects.update_or_create(
        user=actor, domain=domain, defaults={"confidence": confidence}
    )
    details = {"domain": domain, "confidence": confidence}
    record(actor=actor, verb="state_expertise", target=actor, details=details)
    return stated


@transaction.atomic
def remove_expertise(*, actor: User, domain: str) -> None:
    """Remove a domain. Raises Refused when it was not stated."""
    hold(actor)
    deleted, _ = Expertise.objects.filter(user=actor, domain=domain).delete()
    if not deleted:
        raise Refused(f"{domain} is not among your domains.", code="not_stated", field="domain")
    record(actor=actor, verb="remove_expertise", target=actor, details={"domain": domain})


@transaction.atomic
def declare_conflict(*, actor: User, kind: str, key: str, reason: str = "") -> Conflict:
    """Declare a conflict of interest, in the user's own words; declaring it again replaces the reason.

    Every declaration is accepted alike and waits for a coordinator, whether or not it means anything here.
    """
    hold(actor)
    conflict, _ = Conflict.objects.update_or_create(
        user=actor, kind=kind, key=key, defaults={"reason": reason}
    )
    # neither words nor reason: the trail outlives an erased account
    record(actor=actor, verb="declare_conflict", target=actor, details={"kind": kind})
    return conflict


@transaction.atomic
def withdraw_conflict(*, actor: User, kind: str, key: str) -> None:
    """Withdraw the user's own declaration. Raises Refused when there is none.

    Where the reviewer has begun, what was excluded stays excluded: it was fixed before their first place.
    """
    hold(actor)
    with identities_readable():  # this also deletes what it excludes, which the reviewer may not read
        deleted, _ = Conflict.objects.filter(user=actor, kind=kind, key=key).delete()
    if not deleted:
        raise Refused(f"No conflict with {kind} {key} was declared.", code="not_declared", field="key")
    record(actor=actor, verb="withdraw_conflict", target=actor, details={"kind": kind})
