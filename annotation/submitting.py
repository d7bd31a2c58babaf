"""One question that pages and REST share: is this a first grade, or the revision of a reopened one?"""

from typing import Any

from accounts.models import User
from annotation.actions import revise_grade, submit_grade
from annotation.models import Assignment, AssignmentState, Grade


def is_locked(place: Assignment) -> bool:
    """Submitted and not reopened: the page shows, and does not ask."""
    draft = getattr(place, "draft", None)
    return place.state == AssignmentState.SUBMITTED and (draft is None or draft.locked_at is not None)


def submit_or_revise(*, reviewer: User, assignment: Assignment, **terms: Any) -> Grade:
    """`revise_grade` for a reopened place, `submit_grade` for any other; same terms, same refusals."""
    reopened = assignment.state == AssignmentState.SUBMITTED and not is_locked(assignment)
    verb = revise_grade if reopened else submit_grade
    return verb(reviewer=reviewer, assignment=assignment, **terms)
