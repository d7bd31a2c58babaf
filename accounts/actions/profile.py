"""What people state about themselves: their name, what they can judge, and where they are partial."""

from django.db import transaction

from accounts.actions.trail import record
from accounts.models import Conflict, Expertise, User
from accounts.refusal import Refused


@transaction.atomic
def rename(*, actor: User, name: str) -> None:
    """Change one's own name as the study's staff see it."""
    User.objects.filter(pk=actor.pk).update(name=name)
    record(actor=actor, verb="rename", target=actor, details={"from": actor.name, "to": name})


@transaction.atomic
def state_expertise(*, actor: User, domain: str, confidence: int) -> Expertise:
    """State or restate one's confidence (1 familiar, 2 working knowledge, 3 expert) in a domain."""
    stated, _ = Expertise.objects.update_or_create(
        user=actor, domain=domain, defaults={"confidence": confidence}
    )
    details = {"domain": domain, "confidence": confidence}
    record(actor=actor, verb="state_expertise", target=actor, details=details)
    return stated


@transaction.atomic
def remove_expertise(*, actor: User, domain: str) -> None:
    """Take a domain back. Raises Refused when it was not stated."""
    deleted, _ = Expertise.objects.filter(user=actor, domain=domain).delete()
    if not deleted:
        raise Refused(f"{domain} is not among your domains.", code="not_stated", field="domain")
    record(actor=actor, verb="remove_expertise", target=actor, details={"domain": domain})


@transaction.atomic
def declare_conflict(*, actor: User, kind: str, key: str, reason: str = "") -> Conflict:
    """Declare a conflict of interest with a system or a paper; declared again, the reason is replaced."""
    conflict, _ = Conflict.objects.update_or_create(
        user=actor, kind=kind, key=key, defaults={"reason": reason}
    )
    details = {"kind": kind, "key": key}
    record(actor=actor, verb="declare_conflict", target=actor, reason=reason, details=details)
    return conflict


@transaction.atomic
def withdraw_conflict(*, actor: User, kind: str, key: str) -> None:
    """Take back one's own declaration. Raises Refused when there is none."""
    deleted, _ = Conflict.objects.filter(user=actor, kind=kind, key=key).delete()
    if not deleted:
        raise Refused(f"No conflict with {kind} {key} was declared.", code="not_declared", field="key")
    record(actor=actor, verb="withdraw_conflict", target=actor, details={"kind": kind, "key": key})
