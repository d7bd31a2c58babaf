"""The phases of a campaign: which verbs each phase allows, and which verb leads to which phase.

What the phase allows is decided here, who may do it in the actions. Both must agree.
"""

from enum import StrEnum

from django.db.models import TextChoices

from accounts.refusal import Refused


class Phase(TextChoices):
    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class Verb(StrEnum):
    """What can be done to a campaign or inside it."""

    DRAW = "draw items"
    ASSIGN = "assign reviewers"
    OPEN = "open"
    TAKE = "take an item"
    GRADE = "grade"
    RELEASE = "release an assignment"
    CLOSE = "close"
    ADJUDICATE = "adjudicate"
    UNBLIND = "unblind"


ALLOWED: dict[Phase, frozenset[Verb]] = {
    Phase.DRAFT: frozenset({Verb.DRAW, Verb.ASSIGN, Verb.RELEASE, Verb.OPEN}),
    Phase.OPEN: frozenset({Verb.ASSIGN, Verb.TAKE, Verb.GRADE, Verb.RELEASE, Verb.CLOSE}),
    Phase.CLOSED: frozenset({Verb.ADJUDICATE, Verb.UNBLIND}),
}
LEADS_TO: dict[tuple[Phase, Verb], Phase] = {
    (Phase.DRAFT, Verb.OPEN): Phase.OPEN,
    (Phase.OPEN, Verb.CLOSE): Phase.CLOSED,
}


def allows(phase: str, verb: Verb) -> bool:
    """Whether a campaign in `phase` lets anyone do `verb`."""
    return verb in ALLOWED[Phase(phase)]


def require(phase: str, verb: Verb) -> None:
    """Raise Refused (code "wrong_phase") with the phases that would allow `verb`, unless this one does."""
    if allows(phase, verb):
        return
    fitting = " or ".join(other.value for other in Phase if allows(other, verb))
    raise Refused(f"The campaign is {phase}; to {verb.value}, it must be {fitting}.", code="wrong_phase")


def after(phase: str, verb: Verb) -> Phase:
    """The phase that `verb` leads to; raises Refused when this phase does not allow it."""
    require(phase, verb)
    return LEADS_TO.get((Phase(phase), verb), Phase(phase))
