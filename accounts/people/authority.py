"""Who may invite, promote and dismiss whom. Pure: it decides over role names, not over rows."""

from collections.abc import Collection

REVIEWER, COORDINATOR, OWNER = "reviewer", "coordinator", "owner"
SEES_IDENTITIES = frozenset({COORDINATOR, OWNER})


def roles_in_gift(actor: Collection[str]) -> frozenset[str]:
    """The roles that a holder of the roles `actor` may give and take."""
    if OWNER in actor:
        return frozenset({REVIEWER, COORDINATOR, OWNER})
    if COORDINATOR in actor:
        return frozenset({REVIEWER})
    return frozenset()


def may_dismiss(actor: Collection[str], member: Collection[str]) -> bool:
    """Whether a holder of `actor` may close or reopen the account of a holder of `member`."""
    gift = roles_in_gift(actor)
    return bool(gift) and set(member) <= gift


def clashes(held: Collection[str], role: str) -> bool:
    """Whether `role` cannot be held beside `held`: who sees identities does not grade blind."""
    if role == REVIEWER:
        return bool(SEES_IDENTITIES & set(held))
    return role in SEES_IDENTITIES and REVIEWER in held
