"""`record`, which every app's actions call to write the audit trail."""

from typing import Any

from django.db.models import Model

from accounts.models import AuditEvent, User


def record(
    *, actor: User | None, verb: str, target: Model | tuple[str, str], reason: str = "", details: Any = None
) -> AuditEvent:
    """Write one audit event; call it inside the transaction of the change it describes.

    `actor` is None for work done by the platform itself. `target` is a saved row, or (kind, key).
    """
    kind, key = target if isinstance(target, tuple) else (target._meta.label_lower, str(target.pk))
    return AuditEvent.objects.create(
        actor=actor, verb=verb, target_kind=kind, target_key=key, reason=reason, details=details or {}
    )
