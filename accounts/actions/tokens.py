"""Access tokens of the REST interface: shown once, stored as a hash, revoked but never deleted."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.actions.trail import record
from accounts.models import AccessToken, User
from accounts.refusal import Refused
from accounts.secrets import new_secret, secret_hash

LIMIT = 20


@dataclass(frozen=True)
class NewToken:
    """The stored token and its secret, which cannot be shown again."""

    row: AccessToken
    secret: str


@transaction.atomic
def create_token(*, actor: User, label: str) -> NewToken:
    """Make a token that acts as `actor`. Raises Refused when 20 of theirs are in use."""
    if actor.access_tokens.filter(revoked_at=None).count() >= LIMIT:
        raise Refused(f"You have {LIMIT} tokens in use. Revoke one first.", code="too_many_tokens")
    secret = new_secret()
    row = AccessToken.objects.create(user=actor, label=label, token_sha256=secret_hash(secret))
    record(actor=actor, verb="create_token", target=row, details={"label": label})
    return NewToken(row, secret)


@transaction.atomic
def revoke_token(*, actor: User, token: AccessToken) -> None:
    """Stop one's own token for good. Raises Refused when it was revoked already."""
    mine = AccessToken.objects.filter(pk=token.pk, user=actor, revoked_at=None)
    if not mine.update(revoked_at=timezone.now()):
        raise Refused("This token was revoked already.", code="token_revoked")
    record(actor=actor, verb="revoke_token", target=token)
