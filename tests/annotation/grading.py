"""Grading in a line: a person takes an item and submits answers."""

from typing import Any

from accounts.models import User
from annotation.assigning.taking import take_next
from annotation.grading.actions import Sent, submit_or_revise
from annotation.models import Assignment, Campaign, Grade, Item


def submit_grade(*, reviewer: User, assignment: Assignment, **sent: Any) -> Grade:
    """Submit what is `sent`, as pages and REST do: a reopened place is revised."""
    return submit_or_revise(reviewer=reviewer, handle=assignment.handle, sent=Sent(**sent)).grade


def submit(person: User, place: Assignment, **answers: str) -> Grade:
    """Submit the answers to a place."""
    return submit_grade(
        reviewer=person,
        assignment=place,
        content={"answers": answers},
        idempotency_key=f"{place.handle}-1",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )


def graded_by(person: User, campaign: Campaign, *, item: Item | None = None, **answers: Any) -> Item:
    """Take `item` (or whatever comes first), submit the answers to it and return it."""
    place = take_next(reviewer=person, campaign=campaign)
    while item is not None and place.item_id != item.pk:
        place = take_next(reviewer=person, campaign=campaign)
    submit(person, place, **answers)
    return place.item
