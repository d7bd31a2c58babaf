"""Who sees what while a campaign is blind: one function, no ORM, no request.

Pages, REST, exports and PDFs ask `may_see`. Anything not granted here is hidden.
"""

from enum import StrEnum

from annotation.core.phases import Phase


class Viewer(StrEnum):
    """A person's relation to an assignment (or, for campaign-wide things, to the campaign)."""

    STAFF = "staff"  # coordinator or owner of the study who may know the systems
    BLIND_STAFF = "blind staff"  # coordinator of a campaign that is not unblinded
    ASSIGNED = "assigned"  # the reviewer whose place it is
    RELEASED = "released"  # a reviewer who had the place and gave it up
    OTHER = "other"  # any other signed-in person, other reviewers of the same item included
    NOBODY = "nobody"  # not signed in


class Thing(StrEnum):
    """What can be looked at."""

    MATERIAL = "material"  # statement, reference, guidance, the output's text, the rubric
    OWN_LABELS = "own labels"  # the draft and grades of this very assignment
    OTHERS_LABELS = "others' labels"  # grades, comments and progress of other reviewers
    IDENTITY = "identity"  # system, run, keys of rows, import times, file names
    TOTALS = "totals"  # aggregates over a campaign, by system or not
    JUDGE = "judge"  # the copy of a judge's verdict that was attached to the campaign (annotation/reveal/rules.py)


def viewer(*, signed_in: bool, staff: bool, informed: bool, holds: bool, released: bool) -> Viewer:
    """Classify a person. Staff are staff even if they still have a place from earlier.

    `informed` tells staff who may know the systems from those who are blind (annotation/core/identities.py).
    """
    if not signed_in:
        return Viewer.NOBODY
    if staff:
        return Viewer.STAFF if informed else Viewer.BLIND_STAFF
    if holds:
        return Viewer.RELEASED if released else Viewer.ASSIGNED
    return Viewer.OTHER


def may_see(who: Viewer, thing: Thing, phase: str, *, submitted: bool) -> bool:
    """Whether `who` may see `thing` of a campaign in `phase`; `submitted`: has this place a live grade?"""
    if who is Viewer.STAFF:
        return True
    if who is Viewer.BLIND_STAFF:
        return thing is not Thing.IDENTITY
    if who is not Viewer.ASSIGNED or phase == Phase.DRAFT:
        return False
    if thing in (Thing.MATERIAL, Thing.OWN_LABELS):
        return True
    if thing is Thing.JUDGE:
        return submitted
    return False
