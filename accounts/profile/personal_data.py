"""Everything that this app stores about one person, as plain values: what they may ask for at any time."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from accounts.database.sight import identities_readable
from accounts.models import AuditEvent, Invitation, User

TRAIL = 10_000


def personal_data(user: User) -> dict[str, object]:
    """Account, statements, tokens, second factors (both without secrets) and what the audit trail says they did.

    The trail comes newest first. Its rows have numbers of this person's own, from 1 for each kind: by those of the
    database anybody could count what others did in between.
    """
    # the trail's details stay out: on other people's rows they tell more than was theirs
    rows = AuditEvent.objects.filter(actor=user).order_by("-pk")
    with identities_readable():
        trail = list(rows.values("at", "verb", "target_kind", "target_key", "reason")[:TRAIL])
        numbers: dict[str, dict[str, int]] = defaultdict(dict)
        for event in reversed(trail):
            known = numbers[event["target_kind"]]
            event["target_key"] = str(known.setdefault(event["target_key"], len(known) + 1))
        further = {name: list(kept.values()) for name, kept in rows_of(user)}
    return {
        "account": {
            "email": user.email,
            "name": user.name,
            "joined": user.date_joined,
            "last_signed_in": user.last_login,
            "roles": sorted(user.roles.values_list("name", flat=True)),
            "capacity": user.capacity,
            "away_until": user.away_until,
            "credit": user.credit,
            "pseudonym": user.pseudonym,
            "reminders": user.reminders,
        },
        "expertise": list(user.expertise.order_by("domain").values("domain", "confidence")),
        "conflicts": list(
            user.conflicts.order_by("kind", "key").values("kind", "key", "reason", "declared_at")
        ),
        "access_tokens": list(
            user.access_tokens.order_by("pk").values(
                "label", "scope", "created_at", "expires_at", "last_used_at", "revoked_at"
            )
        ),
        "second_factors": list(
            Authenticator.objects.filter(user=user)
            .order_by("pk")
            .values("type", "created_at", "last_used_at")
        ),
        "saved_comments": list(user.saved_comments.order_by("pk").values("text", "created_at", "changed_at")),
        "invitations": list(
            Invitation.objects.filter(accepted_by=user).values("email", "role", "created_at", "accepted_at")
        ),
        "audit_trail": trail,
        **further,
    }


def rows_of(user: User) -> Iterator[tuple[str, QuerySet[Any]]]:
    """Rows of upper floors that are about this person alone, by the name of their kind (settings.PERSONAL_ROWS)."""
    for path in settings.PERSONAL_ROWS:
        yield from import_string(path)(user).items()
