"""Drafts of training, second answers and amendments: kept like those of items, and gone when the answers are."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import Refused
from annotation.calibration import actions as calibration_actions
from annotation.core.own_data import own_data
from annotation.grading.actions import DraftConflict
from annotation.models import Assignment, SideDraft
from annotation.reveal import actions as reveal_actions
from annotation.training import actions as training_actions
from tests.annotation.campaigns import drafted, opened, rubric, second_algebraist
from tests.annotation.samples import COMPLETE
from tests.annotation.test_calibration import place_of, revealed, round_of_one
from tests.annotation.test_training import training
from tests.reports.test_verdict_copies import attached, graded, judged

__all__ = [
    "drafted",
    "judged",
    "opened",
    "revealed",
    "round_of_one",
    "rubric",
    "second_algebraist",
    "training",
]
pytestmark = pytest.mark.django_db
TYPED = {"answers": {"correctness": "incorrect"}, "note": "The bound fails."}


@pytest.fixture
def locked(judged, coordinator, algebraist):
    """A graded place on which a verdict is shown."""
    return graded(algebraist, attached(judged, coordinator))


@pytest.fixture
def discussed(revealed, algebraist):
    """A place whose blind answers were revealed for a discussion."""
    return place_of(algebraist)


def amendment(locked, version, content):
    return reveal_actions.save_amendment(
        reviewer=locked.reviewer, assignment=locked, version=version, content=content
    )


def test_what_was_typed_over_another_save_is_no_overwrite(locked):
    assert amendment(locked, 0, TYPED).version == 1
    assert amendment(locked, 0, TYPED).version == 1
    assert amendment(locked, 1, {"note": "second"}).version == 2
    with pytest.raises(DraftConflict) as conflict:
        amendment(locked, 1, {"note": "another window"})
    assert conflict.value.stored.content == {"note": "second"}
    assert SideDraft.objects.get().content == {"note": "second"}


def test_the_page_of_an_amendment_shows_what_was_saved(locked, client):
    client.force_login(locked.reviewer)
    reply = client.put(
        reverse("api-verdict-amend", args=[locked.handle]),
        {"version": 0, "content": TYPED, "active_seconds": 0},
        content_type="application/json",
    )
    assert (reply.status_code, reply.json()["version"]) == (200, 1)
    page = client.get(reverse("verdict", args=[locked.handle])).content.decode()
    assert "The bound fails.</textarea>" in page
    assert 'data-version="1"' in page
    late = client.put(
        reverse("api-verdict-amend", args=[locked.handle]),
        {"version": 0, "content": {"note": "other"}},
        content_type="application/json",
    )
    assert (late.status_code, late.json()["stored"]["content"]) == (409, TYPED)


def test_an_amendment_takes_its_draft_away(locked):
    amendment(locked, 0, TYPED)
    reveal_actions.amend_after_verdict(
        reviewer=locked.reviewer, assignment=locked, content=COMPLETE, reason="The bound fails."
    )
    assert not SideDraft.objects.exists()
    with pytest.raises(Refused, match="already given second answers"):
        amendment(locked, 1, TYPED)


def test_second_answers_are_saved_while_they_are_typed(discussed, client):
    client.force_login(discussed.reviewer)
    address = reverse("api-answer-again", args=[discussed.handle])
    saved = client.put(address, {"version": 0, "content": TYPED}, content_type="application/json")
    assert saved.status_code == 200
    page = client.get(reverse("discussion", args=[discussed.handle])).content.decode()
    assert "The bound fails.</textarea>" in page
    calibration_actions.answer_again(
        reviewer=discussed.reviewer, assignment=discussed, content=COMPLETE, reason="Read again."
    )
    assert not SideDraft.objects.exists()


def test_answers_to_a_training_item_are_saved_and_then_gone(training, client, algebraist):
    client.force_login(algebraist)
    campaign, item = training.campaign, training.items.get(number=1)
    address = reverse("api-training-item", args=[campaign.slug, 1])
    saved = client.put(address, {"version": 0, "content": TYPED}, content_type="application/json")
    assert saved.status_code == 200
    page = client.get(reverse("training-item", args=[campaign.slug, 1])).content.decode()
    assert 'data-version="1"' in page
    training_actions.answer_training(reviewer=algebraist, item=item, content=COMPLETE)
    assert not SideDraft.objects.exists()
    again = client.put(address, {"version": 1, "content": TYPED}, content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (409, "already_answered")


def test_nobody_saves_over_the_draft_of_somebody_else(locked, client, second_algebraist):
    client.force_login(second_algebraist)
    address = reverse("api-verdict-amend", args=[locked.handle])
    reply = client.put(address, {"version": 0, "content": TYPED}, content_type="application/json")
    assert reply.status_code == 404


def test_a_person_may_ask_for_what_they_have_typed(locked):
    amendment(locked, 0, TYPED)
    [draft] = own_data(locked.reviewer)["drafts_beside_grading"]
    assert (draft["form"], draft["content"]) == ("verdict", TYPED)


def test_the_database_takes_a_draft_of_one_form_only_and_one_of_each(locked):
    amendment(locked, 0, TYPED)
    terms = {"reviewer": locked.reviewer, "assignment": Assignment.objects.get(pk=locked.pk), "content": {}}
    with (
        pytest.raises(IntegrityError, match=r"side_draft_once_per_occasion|assignment_id"),
        transaction.atomic(),
    ):
        SideDraft.objects.create(**terms, occasion="verdict")
    with pytest.raises(IntegrityError, match="side_draft_is_of_one_form"), transaction.atomic():
        SideDraft.objects.create(**terms, occasion="")
