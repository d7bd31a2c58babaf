"""Storing, with a grade, why it holds no judgment and where the solution was seen."""

from annotation.grading.answers import Submission
from annotation.models import Grade, SeenBefore, Unjudged


def write_reasons(grade: Grade, submission: Submission) -> None:
    """The rows of `submission` apart from its answers; none where there is nothing to store."""
    if submission.unjudged is not None:
        reason = submission.unjudged
        Unjudged.objects.create(grade=grade, reason=reason.reason, note=reason.note)
    if submission.seen_where:
        SeenBefore.objects.create(grade=grade, place=submission.seen_where)


def unjudged_reason(grade: Grade) -> dict[str, str] | None:
    """{reason, words, note} of a grade without a judgment; None for any other."""
    row = getattr(grade, "unjudged", None)
    return row and {"reason": row.reason, "words": row.get_reason_display(), "note": row.note}


def seen_where(grade: Grade) -> str:
    """Where the solution was seen; "" if that was not given."""
    row = getattr(grade, "seen_where", None)
    return row.place if row else ""
