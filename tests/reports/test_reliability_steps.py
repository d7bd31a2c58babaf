"""Agreement on labels of steps: each step is an item, and "not assessed" is not a judgment."""

import pytest

from benchmark.rubrics import rubric_from_content
from reports.campaign.data import CampaignData, Reviewer, ReviewerLabel
from tests.documents import reliability_document

RUBRIC = rubric_from_content(
    {
        "name": "steps",
        "version": 1,
        "kind": "grade",
        "title": "Steps",
        "questions": [{"key": "first", "text": "First wrong step?", "scale": "first_error"}],
    }
)
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
