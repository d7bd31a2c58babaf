"""Whether a place is submitted for good, or open for a grade."""

from annotation.models import Assignment, AssignmentState


def is_locked(place: Assignment) -> bool:
    """Submitted and not reopened: the page is read-only."""
    draft = getattr(place, "draft", None)
    return place.state == AssignmentState.SUBMITTED and (draft is None or draft.locked_at is not None)
