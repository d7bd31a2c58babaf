"""Every constraint and guard of annotation, violated."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import (
    Answer,
    Assignment,
    Campaign,
    CampaignSetup,
    Comment,
    Draft,
    Grade,
    Item,
    Rubric,
)
from tests.factories import AssignmentFactory, CampaignFactory, ItemFactory, RubricFactory

pytestmark = pytest.mark.django_db


def violates(name: str):
    return pytest.raises(IntegrityError, match=name)


def grade(assignment: Assignment, **fields) -> Grade:
    return Grade.objects.create(
        assignment=assignment, **({"idempotency_key": "k1", "rubric_sha256": "r"} | fields)
    )


@pytest.fixture
def graded(db) -> Grade:
    return grade(AssignmentFactory())


def unique(*columns: str) -> str:
    """SQLite names the columns of a unique constraint, PostgreSQL its name: match either."""
    return "|".join(columns)


def test_a_rubric_version_exists_once():
    RubricFactory()
    with violates(unique("rubric_version_once", "annotation_rubric.version")):
        Rubric.objects.create(protocol="proofs", name="proofs", version=1, content={}, sha256="x")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"kind": "dance"}, "campaign_kind_is_known"),
        ({"reviewers_per_item": 0}, "campaign_reviewers_per_item_1_to_25"),
        ({"reviewers_per_item": 26}, "campaign_reviewers_per_item_1_to_25"),
        ({"phase": "open"}, "campaign_phase_has_its_times"),
        ({"phase": "closed", "closed_at": timezone.now()}, "campaign_phase_has_its_times"),
        ({"opened_at": timezone.now()}, "campaign_phase_has_its_times"),
    ],
)
def test_a_campaign_outside_its_rules_is_refused(fields, name):
    with violates(name):
        CampaignFactory(**fields)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"sample_size": 0}, "item_sample_within_its_stratum"),
        ({"sample_size": 2}, "item_sample_within_its_stratum"),
        ({"inclusion_probability": 0}, "item_inclusion_probability_in_0_1"),
        ({"inclusion_probability": 1.1}, "item_inclusion_probability_in_0_1"),
        ({"places": 2, "places_taken": 3}, "item_never_over_its_places"),
    ],
)
def test_an_item_outside_its_rules_is_refused(fields, name):
    with violates(name):
        ItemFactory(**fields)


def test_an_output_is_drawn_once_per_campaign():
    item = ItemFactory()
    with violates(unique("item_once_per_campaign", "annotation_item.output_id")):
        ItemFactory(campaign=item.campaign, output=item.output)


def test_an_item_has_one_place_per_reviewer():
    place = AssignmentFactory()
    with violates(unique("assignment_never_twice_to_one_reviewer", "annotation_assignment.reviewer_id")):
        AssignmentFactory(item=place.item, reviewer=place.reviewer)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"state": "submitted"}, "assignment_submitted_has_its_time"),
        ({"submitted_at": timezone.now()}, "assignment_submitted_has_its_time"),
        ({"state": "released"}, "assignment_released_has_its_reason"),
        ({"release_reason": "late"}, "assignment_released_has_its_reason"),
        ({"state": "asleep"}, "assignment_state_is_known"),
    ],
)
def test_an_assignment_outside_its_rules_is_refused(fields, name):
    with violates(name):
        AssignmentFactory(**fields)


def test_an_assignment_has_one_first_grade(graded):
    with violates(unique("grade_one_first_per_assignment", "annotation_grade.assignment_id")):
        grade(graded.assignment, idempotency_key="k2")


def test_a_grade_is_superseded_once(graded):
    grade(graded.assignment, idempotency_key="k2", supersedes=graded)
    with violates(unique("supersedes_id")):
        grade(graded.assignment, idempotency_key="k3", supersedes=graded)


def test_an_idempotency_key_makes_one_grade_per_assignment(graded):
    with violates(unique("grade_once_per_idempotency_key", "annotation_grade.idempotency_key")):
        grade(graded.assignment, supersedes=graded)


@pytest.mark.parametrize("searches", [-1, 1001])
def test_a_grade_has_a_possible_number_of_searches(searches):
    with violates("grade_searches_0_to_1000"):
        grade(AssignmentFactory(), searches=searches)


def test_a_grade_has_an_idempotency_key():
    with violates("grade_has_an_idempotency_key"):
        grade(AssignmentFactory(), idempotency_key="")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"value": ""}, "answer_has_a_value_iff_answered"),
        ({"value": "yes", "state": "abstain"}, "answer_has_a_value_iff_answered"),
        ({"value": "yes", "state": "guessed"}, "answer_has_a_value_iff_answered"),
        ({"value": "yes", "confidence": 1.5}, "answer_confidence_0_to_1"),
    ],
)
def test_an_answer_outside_its_rules_is_refused(graded, fields, name):
    with violates(name):
        Answer.objects.create(grade=graded, question="q", **fields)


def test_a_question_is_answered_once_per_grade_and_step(graded):
    Answer.objects.create(grade=graded, question="q", value="yes")
    Answer.objects.create(grade=graded, question="q", step="2", value="yes")
    with violates(unique("answer_once_per_question_and_step", "annotation_answer.question")):
        Answer.objects.create(grade=graded, question="q", value="no")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"start": 5, "end": 4}, "comment_offsets_in_order"),
        ({"severity": "cosmic"}, "comment_severity_is_known"),
        ({"kind": "rudeness"}, "comment_kind_is_known"),
        ({"text": ""}, "comment_says_something"),
    ],
)
def test_a_comment_outside_its_rules_is_refused(graded, fields, name):
    values = {"block": "b1", "start": 0, "end": 1, "severity": "minor", "text": "Why?"} | fields
    with violates(name):
        Comment.objects.create(grade=graded, **values)


def test_a_highlight_needs_no_words(graded):
    Comment.objects.create(grade=graded, block="b1", start=0, end=1, severity="highlight", text="")
    assert Comment.objects.get().get_severity_display() == "Highlight"


def test_an_assignment_has_one_draft():
    place = AssignmentFactory()
    Draft.objects.create(assignment=place, content={})
    with violates("assignment_id"):
        Draft.objects.create(assignment=place, content={})


def test_rubrics_grades_answers_and_comments_are_append_only(graded):
    Answer.objects.create(grade=graded, question="q", value="yes")
    Comment.objects.create(grade=graded, block="b1", start=0, end=1, severity="minor", text="Why?")
    for model, change in (
        (Rubric, {"name": "other"}),
        (Grade, {"note": "other"}),
        (Answer, {"value": "no"}),
        (Comment, {"text": "other"}),
    ):
        with violates("append-only"), transaction.atomic():
            model.objects.update(**change)
        with violates("append-only"), transaction.atomic():
            model.objects.all()._raw_delete(model.objects.db)


def test_the_draw_of_an_item_is_frozen_and_its_counter_is_not():
    ItemFactory()
    Item.objects.update(places_taken=1)
    for change in ({"stratum": "other"}, {"places": 9}, {"stratum_size": 7}, {"inclusion_probability": 0.5}):
        with violates("draw of an item is frozen"), transaction.atomic():
            Item.objects.update(**change)


def test_the_terms_of_an_opened_campaign_are_frozen():
    CampaignFactory(phase="open", opened_at=timezone.now())
    Campaign.objects.update(name="a better name")
    with violates("terms of an opened campaign are frozen"):
        Campaign.objects.update(seed=2)


def test_an_assignment_keeps_its_item_and_reviewer_and_is_never_deleted():
    place, other = AssignmentFactory(), AssignmentFactory()
    with violates("keeps its item and reviewer"), transaction.atomic():
        Assignment.objects.filter(pk=place.pk).update(reviewer=other.reviewer)
    with violates("released, not deleted"):
        place.delete()


def test_a_closed_campaign_takes_no_grade():
    place = AssignmentFactory()
    now = timezone.now()
    Campaign.objects.update(phase="closed", opened_at=now, closed_at=now)
    with violates("campaign is closed"):
        grade(place)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"reached": "dance"}, "setup_step_is_known"),
        ({"minutes_per_item": 0}, "setup_minutes_1_to_600"),
        ({"minutes_per_item": 601}, "setup_minutes_1_to_600"),
    ],
)
def test_a_setup_outside_its_rules_is_refused(fields, name):
    with violates(name):
        CampaignSetup.objects.create(campaign=CampaignFactory(), **fields)
