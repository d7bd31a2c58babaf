"""Access tokens of the REST interface: shown once, stored as a hash, revoked but never deleted."""

import datetime as dt
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import AccessToken, TokenScope, User
from accounts.people.queries import tokens_in_use
from accounts.profile.actions import hold
from accounts.refusal import Refused
from accounts.signing_in.secrets import new_secret, secret_hash
from accounts.trail import record

LIMIT = 20
DAYS, MOST_DAYS = 90, 365


@dataclass(frozen=True)
class NewToken:
    """The stored token and its secret, which cannot be shown again."""

    row: AccessToken
    secret: str


@transaction.atomic
def create_token(*, actor: User, label: str, scope: str = TokenScope.READ, days: int = DAYS) -> NewToken:
    """Create a token that acts as `actor`, within `scope`, for `days`. Raises Refused when 20 of theirs are in use.

    The caller has checked the person's password: a session alone must not be enough (accounts/signing_in/proof.py).
    """
    hold(actor)
    if tokens_in_use(actor).count() >= LIMIT:
        raise Refused(f"You have {LIMIT} tokens in use. Revoke one first.", code="too_many_tokens")
    secret, now = new_secret(), timezone.now()
    row = AccessToken.objects.create(
        user=actor,
        label=label,
        token_sha256=secret_hash(secret),
        scope=scope,
        password_mark=actor.get_session_auth_hash(),
        created_at=now,
        expires_at=now + dt.timedelta(days=days),
    )
    # without the label, which may name the person: the trail outlives an erased account
    record(actor=actor, verb="create_token", target=row, details={"scope": scope, "days": days})
    return NewToken(row, secret)


@transaction.atomic
def revoke_token(*, actor: User, token: AccessToken) -> None:
    """Revoke the user's own token. Raises Refused when it was revoked already."""
    mine = AccessToken.objects.filter(pk=token.pk, user=actor, revoked_at=None)
    if not mine.update(revoked_at=timezone.now()):
        raise Refused("This token has already been revoked.", code="token_revoked")
    record(actor=actor, verb="revoke_token", target=token)


def revoke_tokens_of(member: User) -> None:
    """Revoke all of a member's tokens; part of a change that writes its own row of the audit trail."""
    member.access_tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
