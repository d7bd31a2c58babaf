"""Drafts of forms other than the grading form: saved like those of items, deleted when the answers are stored.

They write no audit row, for they are saved every few seconds; the answers that follow do.
"""

from typing import Any

from django.utils import timezone

from accounts.models import User
from annotation.grading.actions import DraftConflict
from annotation.grading.answers import shaped
from annotation.models import Assignment, Occasion, SideDraft, TrainingItem


def training_draft(reviewer: User, item: TrainingItem) -> SideDraft:
    """What the reviewer has typed of a training item; version 0 and empty before the first save."""
    stored = SideDraft.objects.filter(reviewer=reviewer, training_item=item).first()
    return stored or SideDraft(reviewer=reviewer, training_item=item, version=0, content={})


def later_draft(assignment: Assignment, occasion: Occasion) -> SideDraft:
    """The same for the later answers of a place."""
    stored = SideDraft.objects.filter(assignment=assignment, occasion=occasion).first()
    return stored or SideDraft(
        reviewer_id=assignment.reviewer_id, assignment=assignment, occasion=occasion, version=0, content={}
    )


def save_over(draft: SideDraft, version: int, content: Any) -> SideDraft:
    """Save over `version` inside the caller's transaction, which holds the form's row.

    Raises DraftConflict when another window saved since; sending the stored text again is not a conflict, nor a new
    version.
    """
    content = shaped(content)
    if not draft.version or draft.content != content:
        if draft.version and draft.version != version:
            raise DraftConflict(stored=draft, sent=content)
        draft.version += 1
    draft.content = content
    draft.saved_at = timezone.now()
    draft.save()
    return draft
