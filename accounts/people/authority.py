"""Who may invite people, and grant and revoke roles. Pure: it decides over role names, not over rows."""

from collections.abc import Collection

REVIEWER, COORDINATOR, OWNER = "reviewer", "coordinator", "owner"
SEES_IDENTITIES = frozenset({COORDINATOR, OWNER})


def grantable_roles(actor: Collection[str]) -> frozenset[str]:
    """The roles that a holder of the roles `actor` may grant and revoke."""
    if OWNER in actor:
        return frozenset({REVIEWER, COORDINATOR, OWNER})
    if COORDINATOR in actor:
        return frozenset({REVIEWER})
    return frozenset()


def may_dismiss(actor: Collection[str], member: Collection[str]) -> bool:
    """Whether a holder of `actor` may close or reopen the account of a holder of `member`."""
    gift = grantable_roles(actor)
    return bool(gift) and set(member) <= gift


def clashes(held: Collection[str], role: str) -> bool:
    """Whether `role` conflicts with the roles `held`: a person who sees identities cannot grade blind."""
    if role == REVIEWER:
        return bool(SEES_IDENTITIES & set(held))
    return role in SEES_IDENTITIES and REVIEWER in held
