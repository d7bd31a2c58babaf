"""Exclusion rules: declared, counted, shown with and without; primary only when declared in time."""

import json
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import NotAllowed, Refused
from annotation.adjudication import unblinding
from annotation.campaigns import actions as campaigns_actions
from annotation.models import Flag, Grade
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify
from reports.exclusions.actions import declare_rule
from reports.exclusions.objections import objections
from reports.exclusions.rules import Objection, Rule, fallen_out
from reports.models import ExclusionRule
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.page import score_sections
from reports.scores.text import score_text
from tests.annotation.campaigns import drafted, opened, rubric, second_algebraist
from tests.annotation.grading import graded_by
from tests.documents import score_document

__all__ = ["drafted", "opened", "rubric", "second_algebraist"]

pytestmark = pytest.mark.django_db
TERMS = {"name": "leaked", "grounds": ["leak", "seen_before"], "at_least": 2, "reason": "As planned."}


@pytest.fixture
def closed(opened, algebraist, second_algebraist, coordinator):
    """All four algebra outputs graded correct by two reviewers, both of whom flag a leak in a1; then closed."""
    for person in (algebraist, second_algebraist):
        for _ in range(4):
            graded_by(person, opened, correctness="correct", rigour="3")
    for grade in Grade.objects.filter(assignment__item__instance__key="a1"):
        kind = "context" if grade.assignment.reviewer_id == algebraist.pk else "doi"
        Flag.objects.create(grade=grade, kind=kind)
    campaigns_actions.close_campaign(actor=coordinator, campaign=opened, reason="A rehearsal.")
    return opened.release


def rule(grounds="leak", at_least=2, primary=False):
    return Rule("r", grounds, at_least, primary, False, "", "2026-11-21T00:00:00+00:00")


def test_an_instance_falls_out_when_enough_reviewers_gave_one_ground():
    said = [
        Objection("a", "leak", 2, 3),
        Objection("b", "leak", 1, 3),
        Objection("b", "seen_before", 1, 3),  # one and one are not two for one ground
        Objection("c", "statement_wrong", 3, 3),
    ]
    assert list(fallen_out(rule(), said)) == ["a"]
    assert list(fallen_out(rule("leak,seen_before", 1), said)) == ["a", "b"]
    assert list(fallen_out(rule("leak", 4), said)) == []


def test_different_kinds_of_leaks_by_different_reviewers_are_one_ground(closed):
    found = {(row.instance, row.ground): (row.reviewers, row.graders) for row in objections(closed)}
    assert found == {
        ("a1", "leak"): (2, 2),
        ("a1", "context"): (1, 2),
        ("a1", "doi"): (1, 2),
    }


def test_what_reviewers_of_an_open_campaign_say_excludes_nothing(opened, algebraist):
    graded_by(algebraist, opened, correctness="correct", rigour="3")
    Flag.objects.create(grade=Grade.objects.get(), kind="context")
    assert objections(opened.release) == []


def test_a_rule_stands_beside_the_score_which_stays_as_it_was(closed, coordinator):
    before = score_document(collect(release=closed))
    assert "exclusions" not in before
    assert "rules" not in collect(release=closed).as_json()
    declare_rule(actor=coordinator, release=closed, **TERMS)
    after = score_document(collect(release=closed))
    [shown] = after.pop("exclusions")
    assert after == before
    # a1, a2, c1 with two outputs each; a1 falls out
    assert shown["instances"] == {"all": 3, "excluded": 1, "left": 2}
    assert shown["outputs"] == {"all": 6, "left": 4}
    assert shown["excluded"] == [
        {"instance": "a1", "domain": "algebra", "outputs": 2, "grounds": {"leak": 2}, "graders": 2}
    ]
    [row] = [
        row
        for row in shown["figures"]
        if (row["kind"], row["question"], row["system"])
        == ("experts, conservative", "correctness", "first-system")
    ]
    # both of the system's graded outputs are correct; one of them is of a1
    assert (row["all"]["n"], row["left"]["n"], row["left"]["value"]) == (2, 1, 1.0)


def test_a_figure_without_a_value_says_why_in_a_sentence(closed, coordinator):
    for grade in Grade.objects.filter(assignment__item__instance__key="a2"):
        Flag.objects.create(grade=grade, kind="context")
    declare_rule(actor=coordinator, release=closed, **TERMS)
    [rule] = score_sections(score(collect(release=closed)))["exclusions"]
    told = {cell for row in rule["rows"] for cell in (row["all"], row["left"])}
    assert "Nothing was labelled." in told
    assert not any("NO_ITEMS" in cell for cell in told)


def test_a_primary_rule_leaves_its_instances_out_of_the_score_itself(closed, coordinator):
    declare_rule(actor=coordinator, release=closed, **TERMS, primary=True)
    document = score_document(collect(release=closed))
    assert {counts["outputs"] for counts in document["systems"].values()} == {2}
    [campaign] = document["experts"]
    assert (
        campaign["questions"]["correctness"]["systems"]["first-system"]["conservative"]["estimate"]["n"] == 1
    )
    assert document["exclusions"][0]["figures"][0]["all"]["n"] == 2
    assert "Exclusion leaked (primary, late): 1 of 3 instances out" in score_text(
        score(collect(release=closed))
    )


def test_after_an_unblinding_no_rule_becomes_primary(closed, opened, coordinator, owner):
    unblinding.request_unblinding(actor=coordinator, campaign=opened, reason="All is decided.")
    unblinding.confirm_unblinding(actor=owner, campaign=opened)
    with pytest.raises(Refused) as refusal:
        declare_rule(actor=coordinator, release=closed, **TERMS, primary=True)
    assert refusal.value.code == "unblinded"
    assert declare_rule(actor=coordinator, release=closed, **TERMS).late
    assert "late" in score_text(score(collect(release=closed)))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "two words"}, "bad_name"),
        ({"name": "x" * 101}, "bad_name"),
        ({"grounds": []}, "bad_ground"),
        ({"grounds": ["boredom"]}, "bad_ground"),
        ({"at_least": 0}, "bad_number"),
        ({"at_least": 26}, "bad_number"),
        ({"reason": " "}, "no_reason"),
    ],
)
def test_a_rule_outside_its_terms_is_refused(closed, coordinator, change, code):
    with pytest.raises(Refused) as refusal:
        declare_rule(actor=coordinator, release=closed, **(TERMS | change))
    assert refusal.value.code == code
    assert not ExclusionRule.objects.exists()


def test_names_are_taken_once_and_there_is_one_primary_rule(closed, coordinator, algebraist):
    declare_rule(actor=coordinator, release=closed, **TERMS, primary=True)
    for change, code in (({}, "name_taken"), ({"name": "other", "primary": True}, "primary_taken")):
        with pytest.raises(Refused) as refusal:
            declare_rule(actor=coordinator, release=closed, **(TERMS | change))
        assert refusal.value.code == code
    with pytest.raises(NotAllowed):
        declare_rule(actor=algebraist, release=closed, **(TERMS | {"name": "mine"}))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"at_least": 0}, "exclusion_rule_at_least_1_to_25"),
        ({"reason": ""}, "exclusion_rule_says_why"),
        ({"name": "leaked"}, "exclusion_rule_once_by_name|reports_exclusionrule.name"),
        ({"primary": True}, "exclusion_rule_one_primary|reports_exclusionrule.release_id"),
    ],
)
def test_the_database_refuses_a_rule_outside_its_terms(closed, coordinator, fields, name):
    declare_rule(actor=coordinator, release=closed, **TERMS, primary=True)
    row = {"name": "other", "grounds": ["leak"], "at_least": 2, "reason": "r"} | fields
    with pytest.raises(IntegrityError, match=name):
        ExclusionRule.objects.create(release=closed, declared_by=coordinator, **row)


def test_a_declared_rule_never_changes(closed, coordinator):
    row = declare_rule(actor=coordinator, release=closed, **TERMS)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        ExclusionRule.objects.update(at_least=1)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        row.delete()


@pytest.fixture
def leaked(gaps, owner):
    """The sample's audit, with one audited instance flagged by one expert, and a primary rule for that."""
    grade = Grade.objects.filter(assignment__item__campaign__phase="closed").order_by("pk").first()
    Flag.objects.create(grade=grade, kind="author")
    terms = {"name": "named", "grounds": ["author"], "at_least": 1, "reason": "As planned."}
    declare_rule(actor=owner, release=gaps, **terms, primary=True)
    return gaps


@pytest.mark.slow
def test_an_artifact_holds_the_rules_and_verifies_and_a_changed_objection_is_found(leaked):
    inputs = collect(release=leaked)
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs
    document = build(inputs, read_manifest(leaked, "raw"))
    assert document["inputs"]["rules"][0][0] == "named"
    assert verify(document).differences == ()
    document["inputs"]["objections"] = []
    assert verify(document).differences != ()


@pytest.mark.slow
def test_a_corrected_score_of_the_rest_keeps_every_stratum_of_the_audit(leaked):
    """The audit was drawn from everything: leaving one instance out makes no stratum unaudited."""
    document = score_document(collect(release=leaked))
    [audit] = document["judge"]["audits"]
    [shown] = document["exclusions"]
    assert shown["instances"] == {"all": 30, "excluded": 1, "left": 29}
    corrected = [row for row in shown["figures"] if row["kind"] == "corrected"]
    assert corrected
    for row in corrected:
        assert (row["all"]["value"] is None) == (row["left"]["value"] is None)
    for found in audit["metrics"].values():
        for part in found["corrected"].values():
            assert sum(stratum["size"] for stratum in part["strata"]) <= 29


@pytest.mark.slow
def test_measured_figures_are_shown_with_and_without_what_a_rule_excludes(leaked):
    """Both are the measured scores themselves: of everything, and of the rest, which a primary rule leaves."""
    inputs = collect(release=leaked)
    document = score_document(inputs)
    [shown] = document["exclusions"]
    measured = [row for row in shown["figures"] if row["kind"] == "measured"]
    everything = score_document(replace(inputs, rules=()))["measured"]["systems"]
    rest = document["measured"]["systems"]
    assert len(measured) == sum(map(len, everything.values()))
    for row in measured:
        assert row["all"] == everything[row["system"]][row["question"]]["estimate"]
        assert row["left"] == rest[row["system"]][row["question"]]["estimate"]
    assert any(row["all"]["value"] != row["left"]["value"] for row in measured)
    assert "measured, cite_recall_20: 13.3 % [5.3, 29.7] (4/30) -> 13.8 %" in score_text(score(inputs))


@pytest.mark.slow
def test_rules_are_declared_and_read_on_a_page_and_by_rest(closed, coordinator, client):
    client.force_login(coordinator)
    page = reverse("exclusions", args=[closed.name])
    assert "No rule is declared" in client.get(page).content.decode()
    assert client.post(page, TERMS | {"name": ""}).status_code == 422
    client.post(page, TERMS)
    shown = client.get(page).content.decode()
    assert "<strong>1</strong> of 3 instances are excluded" in shown
    reviewers = (
        "when at least 2 reviewers said “It is leaked, in whatever way” or “Its solution was seen before”"
    )
    assert f"An instance is excluded {reviewers}. As planned." in shown
    client.post(page, TERMS | {"name": "twice", "grounds": ["statement_wrong", "duplicate"]})
    twice = "said “Its statement is wrong”, or when it has the same passage as another instance that stays."
    assert twice in client.get(page).content.decode()
    assert (
        "With and without exclusions"
        in client.get(reverse("score-numbers", args=[closed.name])).content.decode()
    )
    rest = reverse("api-exclusions", args=[closed.name])
    sent = TERMS | {"name": "strict", "at_least": 1}
    made = client.post(rest, sent, content_type="application/json")
    assert made.status_code == 201
    assert {row["name"]: row["excluded"] for row in made.json()["rules"]}["strict"] == ["a1"]
    taken = client.post(rest, sent, content_type="application/json")
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    unknown = client.post(rest, sent | {"name": "y", "grounds": ["x"]}, content_type="application/json")
    assert (unknown.status_code, unknown.json()["field"]) == (400, "grounds.0")
