"""What reviewers and coordinators meet on the pages."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import close_campaign
from annotation.grading.actions import save_draft
from annotation.models import Assignment, Grade
from tests.annotation.samples import COMPLETE
from tests.conftest import member

pytestmark = pytest.mark.django_db
ANSWERS = {"answer-correctness": "incorrect", "answer-rigour": "2"}


@pytest.fixture
def ada(client, algebraist):
    client.force_login(algebraist)
    return client


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def without_tokens(page: bytes) -> bytes:
    """The page without its CSRF tokens, which are masked differently in every reply."""
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]*"', b"", page)


def post_grade(client, place, **fields):
    page = client.get(reverse("grade", args=[place.handle]))
    hidden = {
        "rubric_sha256": place.item.campaign.rubric.sha256,
        "idempotency_key": page.context["idempotency_key"],
    }
    return client.post(reverse("grade", args=[place.handle]), hidden | fields)


def test_the_queue_shows_what_waits_by_problem_and_domain(ada, place):
    page = ada.get(reverse("queue")).content.decode()
    assert f"Problem {place.item.instance.key}" in page
    assert place.handle in page
    assert "0 of 1 done" in page
    assert "3 more items in your field are free to take" in page


def test_an_empty_queue_says_so_and_offers_nothing_to_click(ada):
    page = ada.get(reverse("queue")).content.decode()
    assert "Nothing to grade" in page
    assert "Grade next" not in page


def test_grade_next_goes_to_the_waiting_item(ada, place):
    assert ada.post(reverse("grade-next")).url == reverse("grade", args=[place.handle])


def test_grade_next_takes_a_free_item_when_nothing_waits(ada, opened, algebraist):
    reply = ada.post(reverse("grade-next"))
    taken = Assignment.objects.get(reviewer=algebraist)
    assert taken.pulled
    assert reply.url == reverse("grade", args=[taken.handle])


def test_grade_next_says_when_nothing_is_left(ada):
    assert "no items for you to grade" in ada.post(reverse("grade-next"), follow=True).content.decode()


def test_the_grading_page_asks_every_question_of_the_rubric(ada, place):
    page = ada.get(reverse("grade", args=[place.handle])).content.decode()
    for words in ("Is the proof correct?", "How rigorous is it?", "Anything else?", "Every step holds."):
        assert words in page


def test_opening_an_item_is_noted_with_what_was_shown(ada, place):
    ada.get(reverse("grade", args=[place.handle]))
    place.refresh_from_db()
    assert place.first_opened_at
    assert len(place.shown_sha256) == 64


def test_a_plain_form_submits_without_scripts_and_goes_on_to_the_next(ada, place, opened, algebraist):
    following = take_next(reviewer=algebraist, campaign=opened)
    reply = post_grade(ada, place, **ANSWERS, note="By hand.")
    assert reply.url == reverse("submitted", args=[place.handle])
    on = ada.get(reply.url)
    assert on.url == reverse("grade", args=[following.handle])
    assert Grade.objects.get().note == "By hand."


def test_an_incomplete_form_comes_back_with_the_reason_at_the_question_and_the_text(ada, place):
    reply = post_grade(ada, place, **{"answer-correctness": "correct"}, note="Half done.")
    page = reply.content.decode()
    assert reply.status_code == 409
    assert "This question still needs an answer." in page
    assert "Half done." in page
    assert not Grade.objects.exists()


def test_the_draft_is_in_the_form_when_the_page_is_opened_again(ada, place, algebraist):
    save_draft(
        reviewer=algebraist,
        assignment=place,
        version=0,
        content={"answers": {"correctness": "incorrect"}, "note": "To be continued."},
    )
    page = ada.get(reverse("grade", args=[place.handle])).content.decode()
    assert "To be continued." in page
    assert 'value="incorrect" checked' in page


def test_a_submitted_item_is_read_only_until_it_is_reopened(ada, place):
    post_grade(ada, place, **ANSWERS)
    address = reverse("grade", args=[place.handle])
    assert "Reopen and change" in ada.get(address).content.decode()
    ada.post(reverse("reopen", args=[place.handle]))
    assert 'value="incorrect" checked' in ada.get(address).content.decode()
    post_grade(ada, place, **ANSWERS | {"answer-correctness": "correct"})
    assert Grade.objects.count() == 2


def test_an_item_that_was_reopened_and_not_submitted_again_is_shown_until_the_campaign_closes(
    ada, place, opened, coordinator
):
    staff = Client()
    staff.force_login(coordinator)
    seen = (
        (ada, reverse("queue")),
        (ada, reverse("finished")),
        (staff, reverse("campaign", args=[opened.slug])),
    )

    def pages() -> list[str]:
        return [somebody.get(address).content.decode() for somebody, address in seen]

    said = "your earlier answers count", "reopened, not submitted again", "1 item was reopened"
    post_grade(ada, place, **ANSWERS)
    assert not any(words in page for words, page in zip(said, pages(), strict=True))
    ada.post(reverse("reopen", args=[place.handle]))
    assert all(words in page for words, page in zip(said, pages(), strict=True))
    close_campaign(actor=coordinator, campaign=opened, reason="Done.")
    page = ada.get(reverse("grade", args=[place.handle])).content.decode()
    assert "did not submit it again, so these answers count" in page
    assert said[0] not in pages()[0]


def test_finished_work_is_listed_and_closed_campaigns_are_read_only(ada, place, opened, coordinator):
    post_grade(ada, place, **ANSWERS)
    assert place.handle in ada.get(reverse("finished")).content.decode()
    close_campaign(actor=coordinator, campaign=opened, reason="Done.")
    page = ada.get(reverse("grade", args=[place.handle])).content.decode()
    assert "Reopen and change" not in page
    assert "no longer change" in page


def test_out_of_field_sends_the_reviewer_back_to_the_queue(ada, place):
    page = ada.post(reverse("out-of-field", args=[place.handle]), follow=True).content.decode()
    assert "is free for another reviewer" in page
    assert ada.get(reverse("grade", args=[place.handle])).status_code == 404


@pytest.mark.parametrize("person", ["analyst", "stranger", "coordinator", "owner"])
@pytest.mark.parametrize("name", ["grade", "submitted", "reopen", "out-of-field"])
def test_the_handle_of_another_is_not_found_like_one_that_does_not_exist(
    client, place, person, name, request
):
    client.force_login(request.getfixturevalue(person))
    method = client.post if name in ("reopen", "out-of-field") else client.get
    real = method(reverse(name, args=[place.handle]))
    invented = method(reverse(name, args=["A" * 24]))
    assert real.status_code == invented.status_code == 404
    assert without_tokens(real.content) == without_tokens(invented.content)


def test_who_is_no_longer_a_reviewer_is_refused_the_item_that_waits_for_them(ada, place, algebraist):
    algebraist.roles.all().delete()
    address = reverse("grade", args=[place.handle])
    assert ada.get(address).status_code == 403
    assert ada.post(address, ANSWERS).status_code == 409
    assert not Grade.objects.exists()
    assert ada.get(reverse("item-file", args=[place.handle, 1])).status_code == 403
    assert ada.get(reverse("api-assignment", args=[place.handle])).status_code == 403
    assert ada.get(reverse("api-queue")).json() == []


@pytest.mark.parametrize("name", ["campaigns", "campaign-new", "campaign", "campaign-assign"])
def test_reviewers_and_strangers_do_not_reach_the_coordinators_pages(client, opened, algebraist, name):
    address = reverse(name, args=[opened.slug] if name in ("campaign", "campaign-assign") else [])
    assert client.get(address).status_code == 302
    client.force_login(algebraist)
    assert client.get(address).status_code == 403


@pytest.mark.parametrize("name", ["queue", "finished"])
def test_coordinators_have_no_queue(carl, name):
    assert carl.get(reverse(name)).status_code == 403


def test_pages_of_a_reviewer_are_private(ada, place):
    for address in (reverse("queue"), reverse("finished"), reverse("grade", args=[place.handle])):
        assert ada.get(address)["Cache-Control"] == "private, no-store"


def test_a_place_is_released_from_the_campaign_page(carl, place, opened):
    carl.post(reverse("release-assignment", args=[opened.slug, place.pk]), {"reason": "late"})
    place.refresh_from_db()
    assert place.state == "released"


def test_a_plan_names_what_cannot_be_met(carl, opened, algebraist):
    page = carl.get(reverse("campaign-assign", args=[opened.slug])).content.decode()
    assert "Places that cannot be filled" in page
    assert "0 of 1 reviewers fit (1 without expertise in the domain)" in page


def count_queries(assert_max, number, request):
    with assert_max(number):
        assert request().status_code in (200, 201, 302)


def test_the_number_of_queries_does_not_grow_with_the_work(
    ada, place, opened, algebraist, django_assert_max_num_queries
):
    save_draft(reviewer=algebraist, assignment=place, version=0, content={"note": "a"})
    for _ in range(3):
        take_next(reviewer=algebraist, campaign=opened)
    address = reverse("grade", args=[place.handle])
    ada.get(address)
    count_queries(django_assert_max_num_queries, 12, lambda: ada.get(reverse("queue")))
    count_queries(django_assert_max_num_queries, 14, lambda: ada.get(address))
    body = {
        "content": COMPLETE,
        "rubric_sha256": opened.rubric.sha256,
    }
    count_queries(
        django_assert_max_num_queries,
        9 + 2,  # and a savepoint (test_statements.py)
        lambda: ada.post(
            reverse("api-assignment", args=[place.handle]),
            body,
            content_type="application/json",
            headers={"Idempotency-Key": "k1"},
        ),
    )


def test_the_campaign_page_needs_a_fixed_number_of_queries(carl, opened, django_assert_max_num_queries):
    for number in range(4):
        person = member(f"p{number}@study.test", f"P{number}", "reviewer", "algebra")
        for _ in range(2):
            take_next(reviewer=person, campaign=opened)
    with django_assert_max_num_queries(22):
        carl.get(reverse("campaign", args=[opened.slug]))
