"""The rows behind a number, page by page."""

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from reports.labels import pages as label_pages
from reports.labels.pages import chosen_page
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def all_pages(release, size, **asked):
    rows, after = [], ""
    while True:
        page = chosen_page(release, asked, after=after, size=size)
        rows += page.rows
        if not page.next:
            return rows
        after = page.next


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_pages_of_any_size_join_to_the_same_rows(gaps, size):
    filters = {"identities": "1", "question": "ground", "system": "cobalt"}
    if size == 1:
        filters["domain"] = "analysis_pde"
    assert all_pages(gaps, size, **filters) == all_pages(gaps, 10_000, **filters)


def test_experts_come_before_judges_and_a_full_page_does_not_hide_the_verdicts(gaps):
    experts = len(all_pages(gaps, 10_000, identities="1", rater_kind="expert"))
    page = chosen_page(gaps, {"identities": "1"}, after="", size=experts)
    assert {row["rater_kind"] for row in page.rows} == {"expert"}
    assert page.next
    following = chosen_page(gaps, {"identities": "1"}, after=page.next, size=5)
    assert {row["rater_kind"] for row in following.rows} == {"judge"}


def test_a_blinded_page_has_no_verdict_and_no_system(gaps):
    rows = all_pages(gaps, 50)
    assert {row["rater_kind"] for row in rows} == {"expert"}
    assert not any(cell in ("aurora", "basalt", "cobalt") for row in rows for cell in row.values())


def test_filters_are_applied_by_the_database_to_both_kinds(gaps):
    rows = all_pages(gaps, 500, identities="1", system="aurora", value="no", question="suff")
    assert {(row["system"], row["value"], row["question"]) for row in rows} == {("aurora", "no", "suff")}
    assert {row["rater_kind"] for row in rows} == {"expert", "judge"}


def test_one_raters_and_one_judge_versions_rows_can_be_asked_for(gaps):
    rater = all_pages(gaps, 500, rater_kind="expert")[0]["rater"]
    mine = all_pages(gaps, 500, rater=rater)
    assert {row["rater"] for row in mine} == {rater}
    judged = all_pages(gaps, 500, identities="1", rater_kind="judge", judge="sample-judge-v1")
    assert {row["judge_version"] for row in judged} == {"sample-judge-v1"}
    assert not all_pages(gaps, 500, identities="1", rater_kind="judge", judge="other-v1")


def test_an_unparsed_reply_is_found_under_the_state_that_the_table_shows(gaps):
    rows = all_pages(gaps, 500, identities="1", rater_kind="judge", state="unavailable")
    assert {row["state"] for row in rows} == {"unavailable"}
    assert rows


@pytest.mark.parametrize("after", ["7", "judge-", "expert--1", "robot-1", "judge-" + "9" * 30, "expert-²"])
def test_a_key_that_is_none_is_refused(gaps, after):
    with pytest.raises(Refused, match="is not a position in the table"):
        chosen_page(gaps, {}, after=after, size=5)


def test_the_page_shows_its_filters_and_leads_on(carl, gaps, monkeypatch):
    monkeypatch.setattr("reports.labels.views.PAGE", 10)
    address = reverse("labels", args=["sample-re2math"])
    reply = carl.get(address, {"campaign": "sample-audit", "question": "ground"})
    text = reply.content.decode()
    assert "question ground" in text
    assert "Blinded" in text
    assert "aurora" not in text
    assert f"after={reply.context['next']}" in text
    assert carl.get(address, {"system": "aurora"}).status_code == 400


def test_the_comments_that_it_offers_are_those_of_the_same_campaign(carl, gaps):
    address = reverse("labels", args=["sample-re2math"])
    text = carl.get(
        address, {"campaign": "sample-audit", "question": "ground", "identities": "1"}
    ).content.decode()
    comments = reverse("comments-csv", args=["sample-re2math"])
    assert f'href="{comments}?campaign=sample-audit&amp;identities=1"' in text
    assert f'href="{comments}"' in carl.get(address).content.decode()


def test_nothing_fitting_says_what_to_do(carl, gaps):
    reply = carl.get(reverse("labels", args=["sample-re2math"]), {"question": "nonesuch"})
    assert b"Show all labels of this release" in reply.content


def test_every_page_takes_the_same_few_queries(carl, gaps, monkeypatch):
    monkeypatch.setattr("reports.labels.views.PAGE", 5)
    address = reverse("labels", args=["sample-re2math"]) + "?identities=1"
    first = queries(carl, address)
    page = label_pages.chosen_page(gaps, {"identities": "1"}, after="", size=60)
    assert queries(carl, f"{address}&after={page.next}") == first
    assert first <= 8
