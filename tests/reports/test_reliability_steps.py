"""Agreement on labels of steps: each step is an item, "not assessed" is not a judgment, and papers are clusters."""

import pytest

from annotation.models import Answer, Grade
from benchmark.rubrics import rubric_from_content
from reports.campaign.data import CampaignData, Reviewer, ReviewerLabel, campaign_data
from reports.core.datasets import ExpertLabel
from tests.documents import agreement_document, reliability_document
from tests.factories import AssignmentFactory, CampaignFactory, InstanceFactory, PaperFactory


def one_question(**question):
    return rubric_from_content(
        {"name": "one", "version": 1, "kind": "grade", "title": "One", "questions": [question]}
    )


RUBRIC = one_question(key="first", text="First wrong step?", scale="first_error")
# Two reviewers on one proof of four steps: one stops at the second step, the other at the third.
SAID = {
    1: ("correct", "incorrect", "not_assessed", "not_assessed"),
    2: ("correct", "correct", "incorrect", "not_assessed"),
}


@pytest.fixture
def document():
    labels = tuple(
        ReviewerLabel(1, reviewer, "first", value, "answered", "p1", f"b{step}")
        for reviewer, values in SAID.items()
        for step, value in enumerate(values, start=1)
    )
    people = tuple(Reviewer(key, f"R{key}", f"R{key}") for key in SAID)
    return reliability_document(RUBRIC, CampaignData(people, labels, ()), "first", seed=1)


def test_steps_that_nobody_assessed_are_no_items(document):
    # b1, b2 and b3 carry a judgment; b4 carries none.
    assert (document["n_items"], document["n_labels"], document["n_not_assessed"]) == (3, 5, 3)


def test_agreement_counts_only_steps_that_both_assessed(document):
    # b1 agreed, b2 not; b3 was assessed by one alone.
    assert document["coefficients"]["percent"]["value"] == pytest.approx(1 / 2)
    assert [entry["value"] for entry in document["values"]] == ["correct", "incorrect"]


def test_problems_of_one_paper_are_taken_together_and_were_not_by_earlier_methods():
    said = {
        "p1": ("yes", "no"),
        "p2": ("yes", "no"),
        "p3": ("yes", "yes"),
        "p4": ("yes", "yes"),
        "p5": ("no", "no"),
    }
    papers = {"p1": "A", "p2": "A", "p3": "B", "p4": "B", "p5": "C"}
    rubric = one_question(key="right", text="Right?", scale="flag")

    def agreement(subject_of, papers, **methods):
        labels = [
            ExpertLabel(f"{subject_of(key)}/{key}/1", "", "right", "", f"R{at}", value, "answered")
            for key, values in said.items()
            for at, value in enumerate(values)
        ]
        return agreement_document(rubric, labels, papers, seed=1, **methods)["right"]["coefficients"]

    by_paper, by_problem = agreement(papers.get, {}), agreement(str, {})
    assert by_paper["percent"]["ci"] != by_problem["percent"]["ci"]
    assert agreement(str, papers) == by_paper
    assert agreement(str, papers, methods=17) == by_problem


@pytest.mark.django_db
def test_versions_of_a_paper_are_one_cluster_of_a_campaign():
    campaign = CampaignFactory()
    for key, paper in (("one", "2301.00001v1"), ("two", "2301.00001v2"), ("three", None)):
        instance = InstanceFactory(release=campaign.release, key=key)
        if paper:
            instance.paper = PaperFactory(release=campaign.release, key=paper)
            instance.save()
        place = AssignmentFactory(item__campaign=campaign, item__output__instance=instance)
        grade = Grade.objects.create(assignment=place, idempotency_key=key)
        Answer.objects.create(grade=grade, question="right", value="yes")
    assert [label.cluster for label in campaign_data(campaign).labels] == [
        "2301.00001",
        "2301.00001",
        "three",
    ]
