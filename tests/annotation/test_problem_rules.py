"""The rules about several outputs of one problem, in plans and where reviewers take items themselves."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning import actions as assigning_actions
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from annotation.models import Assignment, Campaign

pytestmark = pytest.mark.django_db


def ruled(campaign: Campaign, coordinator, **terms) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(**terms)
    campaign = Campaign.objects.get(pk=campaign.pk)
    campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    return campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)


def taken(person, campaign):
    """Everything the person can take, as keys of problems in their order."""
    found = []
    try:
        while True:
            found.append(taking.take_next(reviewer=person, campaign=campaign).item.instance.key)
    except Refused as refusal:
        return found, refusal.code


def test_kept_apart_a_reviewer_takes_one_answer_to_each_problem(drafted, coordinator, algebraist):
    campaign = ruled(drafted, coordinator, problem_rule="apart")
    found, code = taken(algebraist, campaign)
    assert (sorted(found), code) == (["a1", "a2"], "nothing_left")


def test_kept_together_a_reviewer_ends_a_problem_before_the_next(drafted, coordinator, algebraist):
    campaign = ruled(drafted, coordinator, problem_rule="together")
    found, _ = taken(algebraist, campaign)
    assert len(found) == 4
    assert found[0] == found[1]
    assert found[2] == found[3]


def test_nobody_takes_more_than_the_campaign_gives_to_one(drafted, coordinator, algebraist):
    campaign = ruled(drafted, coordinator, most_per_reviewer=3)
    found, code = taken(algebraist, campaign)
    assert (len(found), code) == (3, "enough")


def test_a_plan_keeps_the_campaign_s_rule_and_bound(drafted, coordinator, algebraist, second_algebraist):
    campaign = ruled(drafted, coordinator, problem_rule="apart", most_per_reviewer=2)
    plan = assigning_actions.plan_assignment(campaign)
    assigning_actions.apply_plan(actor=coordinator, campaign=campaign, sha256=plan.sha256)
    held = Assignment.objects.values_list("reviewer", "item__instance__key")
    assert set(Counter(held).values()) == {1}
    assert set(Counter(reviewer for reviewer, _ in held).values()) == {2}


def test_the_plan_page_says_the_rule_and_the_hours(drafted, coordinator, algebraist, client):
    campaign = ruled(drafted, coordinator, problem_rule="apart")
    client.force_login(coordinator)
    page = client.get(reverse("campaign-assign", args=[campaign.slug])).content.decode()
    assert "No reviewer sees two outputs of the same problem" in page
    assert "there are none yet" in page


def test_rest_makes_a_campaign_with_its_rule(drafted, coordinator, client):
    client.force_login(coordinator)
    terms = {"release": "sheet", "rubric": "proofs-v1", "name": "Apart"}
    terms |= {"problem_rule": "apart", "most_per_reviewer": 5}
    reply = client.post("/api/v1/campaigns/", terms, content_type="application/json")
    assert reply.status_code == 201
    made = Campaign.objects.get(slug="apart")
    assert (made.problem_rule, made.most_per_reviewer) == ("apart", 5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"problem_rule": "whim"}, "campaign_problem_rule_is_known"),
        ({"most_per_reviewer": 0}, "campaign_most_per_reviewer_from_one"),
    ],
)
def test_the_database_refuses_rules_that_do_not_exist(drafted, change, words):
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        Campaign.objects.filter(pk=drafted.pk).update(**change)


def test_the_database_keeps_the_rule_of_an_opened_campaign(opened):
    with pytest.raises(IntegrityError, match="terms of an opened campaign"), transaction.atomic():
        Campaign.objects.filter(pk=opened.pk).update(problem_rule="apart")
    with pytest.raises(IntegrityError, match="what counts as a split"), transaction.atomic():
        Campaign.objects.filter(pk=opened.pk).update(split_by="verdict")
    with pytest.raises(IntegrityError, match="whether reviewers can search"), transaction.atomic():
        Campaign.objects.filter(pk=opened.pk).update(with_search=True)
