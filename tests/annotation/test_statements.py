"""Statements per request: exact counts on both databases, whatever the size of the data."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assigning.taking import take_next
from annotation.campaigns.progress import own_progress
from annotation.conflicts.actions import fix_conflicts
from annotation.core import queries
from annotation.core.documents import anchored_documents
from annotation.core.material import item_material
from annotation.grading.actions import save_draft
from annotation.models import Answer, Grade
from tests.annotation.samples import COMPLETE
from tests.annotation.statements import asked
from tests.factories import AssignmentFactory, ItemFactory

pytestmark = pytest.mark.django_db

ON_A_PASSAGE = {"block": "b1", "start": 0, "end": 5, "severity": "minor", "kind": "", "text": "Why?"}


@pytest.fixture
def ada(client, algebraist):
    client.force_login(algebraist)
    return client


@pytest.fixture
def opened_place(ada, place, algebraist):
    """A place that was looked at and has a draft, as the grading page leaves it before it submits."""
    ada.get(reverse("grade", args=[place.handle]))
    save_draft(reviewer=algebraist, assignment=place, version=0, content=COMPLETE)
    return place


def submission(client, place, **more):
    body = {"content": {**COMPLETE, **more}, "rubric_sha256": place.item.campaign.rubric.sha256}
    address = reverse("api-assignment", args=[place.handle])
    return lambda: client.post(
        address, body, content_type="application/json", headers={"Idempotency-Key": f"{place.handle}-1"}
    )


def test_submitting_takes_nine_statements_in_one_transaction(ada, opened_place):
    # session; member with roles; hold the place; read it with all that decides, and what is judged; draft, grade,
    # answers, trail
    done = asked(submission(ada, opened_place))
    assert done.reply.status_code == 201
    assert len(done.on_tables) == 9
    assert len(done.control) == 2
    assert Answer.objects.count() == len(COMPLETE["answers"])


def test_comments_take_two_statements_more_however_many(ada, opened_place):
    # the blocks in which they must lie, and their rows
    done = asked(submission(ada, opened_place, anchored=[ON_A_PASSAGE] * 20))
    assert done.reply.status_code == 201
    assert len(done.on_tables) == 11


def test_a_submission_that_is_sent_again_writes_nothing(ada, opened_place):
    send = submission(ada, opened_place)
    first, again = asked(send), asked(send)
    assert again.reply.json() == first.reply.json()
    assert not [sql for sql in again.on_tables if sql.startswith("INSERT")]
    assert Grade.objects.count() == 1


def test_saving_a_draft_takes_seven_statements(ada, opened_place):
    address = reverse("api-assignment", args=[opened_place.handle])
    body = {"version": 1, "content": {"note": "later"}}
    done = asked(lambda: ada.put(address, body, content_type="application/json"))
    assert done.reply.status_code == 200
    # session, member, place with what is judged (two); the same held, its draft, the draft written
    assert len(done.on_tables) == 7


def test_taking_the_next_item_and_reading_it_takes_ten_statements(ada, opened, algebraist):
    # session; member with roles; what decides; field; free items of the own lots (up to three windows, for the
    # campaign is small); claim, the item, the place, trail; its rendered texts, which are there but for the first
    # time that anybody reads them
    for item in opened.items.all():
        anchored_documents(item_material(item))
    fix_conflicts(campaign=opened, reviewers=[algebraist.pk])  # once in a campaign: see the test after next
    done = asked(
        lambda: ada.post(reverse("api-queue"), {"campaign": opened.slug}, content_type="application/json")
    )
    assert done.reply.status_code == 201
    assert done.reply.json()["parts"]
    assert 10 <= len(done.on_tables) <= 12


def test_the_button_for_the_next_item_takes_at_most_twelve(ada, opened, algebraist):
    fix_conflicts(campaign=opened, reviewers=[algebraist.pk])
    done = asked(lambda: ada.post(reverse("grade-next")))
    assert reverse("grade", args=["x"])[:-2] in done.reply["Location"]
    assert 10 <= len(done.on_tables) <= 12


def test_the_first_item_of_a_campaign_takes_at_most_fifteen_statements_more(ada, opened):
    # whether a declaration is undecided, whether there is anything to take (field, items); the person held; what was
    # fixed before (twice); what was decided; release and benchmark (twice); items, possible authors and their least
    # number; places had; what is fixed now
    done = asked(lambda: ada.post(reverse("grade-next")))
    assert 10 <= len(done.on_tables) <= 27
    assert asked(lambda: ada.post(reverse("grade-next"))).reply["Location"] == done.reply["Location"]


def test_going_on_to_a_waiting_item_takes_seven_and_its_page_twelve(ada, opened_place, opened, algebraist):
    following = take_next(reviewer=algebraist, campaign=opened)
    submission(ada, opened_place)()
    on = asked(lambda: ada.get(reverse("submitted", args=[opened_place.handle])))
    assert on.reply["Location"] == reverse("grade", args=[following.handle])
    ada.get(on.reply["Location"])
    again = asked(lambda: ada.get(on.reply["Location"]))
    assert (len(on.on_tables), len(again.on_tables)) == (7, 12)


@pytest.mark.parametrize(("name", "number"), [("queue", 12), ("api-queue", 3)])
def test_the_queue_takes_the_same_statements_with_a_hundred_rows(ada, algebraist, opened, name, number):
    # session; member with roles; what waits; for the page also what is done, lost or reopened, training, field,
    # campaigns, what is free in each of them, discussions
    for position in range(100):
        AssignmentFactory(item=ItemFactory(campaign=opened), reviewer=algebraist, position=position)
    page = asked(lambda: ada.get(reverse(name)))
    assert page.reply.content.count(b"handle-") >= 100
    assert len(page.on_tables) == number


def test_more_than_a_hundred_free_items_are_not_counted(opened, algebraist, monkeypatch):
    monkeypatch.setattr(queries, "MOST_FREE", 2)
    (row,) = own_progress(algebraist)
    assert (row.free, row.free_words) == (3, "over 2")  # of four


def test_more_finished_places_than_are_counted_are_told_as_at_least(ada, algebraist, opened, monkeypatch):
    for position in range(3):
        done = {"state": "submitted", "submitted_at": timezone.now(), "position": position}
        AssignmentFactory(item=ItemFactory(campaign=opened), reviewer=algebraist, **done)
    for most, words in ((3, "3 of 3 done"), (2, "2 or more done")):
        monkeypatch.setattr(queries, "MOST_DONE", most)
        page = ada.get(reverse("queue")).content.decode()
        assert words in page
        assert ("progress class" in page) == (most == 3)
