"""Adjudicated values in the score: `final` next to conservative and majority, without amendments."""

from dataclasses import replace

import pytest
from django.urls import reverse

from annotation.adjudication import actions as adjudication_actions
from annotation.adjudication import unblinding
from reports.core.outcomes import OutcomeKind, outcomes
from reports.scores.inputs import Inputs, collect
from reports.scores.output_rows import scored_outputs
from tests.annotation.campaigns import drafted, opened, rubric, second_algebraist, split
from tests.documents import score_document

__all__ = ["drafted", "opened", "rubric", "second_algebraist", "split"]

pytestmark = pytest.mark.django_db


def question(release, key):
    [campaign] = score_document(collect(release=release))["experts"]
    return campaign["questions"][key]["systems"]


def total(systems, part, value):
    return sum(found[part]["counts"][value] for found in systems.values())


def test_without_a_decision_there_is_no_final_value_and_the_inputs_are_as_before(split, opened):
    assert all("final" not in found for found in question(opened.release, "correctness").values())
    assert "decisions" not in collect(release=opened.release).as_json()


def test_a_decision_replaces_the_conservative_value_of_its_output(split, opened, coordinator):
    adjudication_actions.adjudicate(actor=coordinator, item=split, question="correctness", value="correct")
    systems = question(opened.release, "correctness")
    # one output was graded, by two who differ: conservative leaves it undecided, the adjudicator does not
    assert (total(systems, "conservative", "correct"), total(systems, "final", "correct")) == (0, 1)
    assert sum(found["final"]["adjudicated"] for found in systems.values()) == 1


def test_a_decided_grade_replaces_the_mean_of_its_output(split, opened, coordinator):
    adjudication_actions.adjudicate(
        actor=coordinator, item=split, question="rigour", value="5", cause="severity", note="Nothing missing."
    )
    system = question(opened.release, "rigour")[split.output.run.system.slug]
    assert (system["macro"]["value"], system["final"]["value"]) == (3.0, 5.0)


def test_an_amendment_changes_no_primary_score(split, opened, coordinator, owner):
    first = adjudication_actions.adjudicate(
        actor=coordinator, item=split, question="correctness", value="correct"
    )
    before = score_document(collect(release=opened.release))
    unblinding.request_unblinding(actor=coordinator, campaign=opened, reason="All is decided.")
    unblinding.confirm_unblinding(actor=owner, campaign=opened)
    terms = {"item": split, "question": "correctness", "supersedes": first.pk}
    adjudication_actions.adjudicate(actor=coordinator, value="incorrect", **terms)
    assert score_document(collect(release=opened.release)) == before


def test_inputs_with_decisions_survive_the_way_through_json(split, opened, coordinator):
    adjudication_actions.adjudicate(actor=coordinator, item=split, question="correctness", value="correct")
    inputs = collect(release=opened.release)
    assert Inputs.from_json(inputs.as_json()) == inputs
    assert score_document(Inputs.from_json(inputs.as_json())) == score_document(inputs)


@pytest.mark.slow
def test_the_score_page_shows_the_final_column_where_something_was_decided(split, opened, client, owner):
    client.force_login(owner)
    address = reverse("score-numbers", args=[opened.release.name])
    assert client.get(address).status_code == 200
    assert "#def-final" not in client.get(address).content.decode()
    adjudication_actions.adjudicate(actor=owner, item=split, question="correctness", value="correct")
    assert "1 adjudicated" in client.get(address).content.decode()


def test_systems_are_compared_by_the_decision_as_the_leaderboard_counts_it(split, opened, coordinator):
    kind = OutcomeKind(f"{opened.slug}:correctness", "experts", "", "", campaign=opened.slug)
    output = split.output
    system, item = output.run.system.slug, (output.instance.key, output.attempt)
    assert outcomes(collect(release=opened.release), kind).successes[system][item] == 0
    adjudication_actions.adjudicate(actor=coordinator, item=split, question="correctness", value="correct")
    assert outcomes(collect(release=opened.release), kind).successes[system][item] == 1


def test_the_outputs_behind_the_score_show_what_was_decided(split, opened, coordinator):
    def said():
        found = scored_outputs(collect(release=opened.release))
        return [row.experts["correctness"] for row in found if row.experts]

    assert said() == ["uncertain"]
    adjudication_actions.adjudicate(actor=coordinator, item=split, question="correctness", value="correct")
    assert said() == ["correct"]


@pytest.mark.parametrize("silent", [1, 2])
def test_who_found_nothing_to_judge_votes_against_an_output_where_systems_are_compared(split, opened, silent):
    inputs = collect(release=opened.release)
    about = [row for row in inputs.labels if row.question == "correctness"]
    assert sorted(row.value for row in about) == ["correct", "incorrect"]
    ranked = sorted(about, key=lambda row: row.value, reverse=True)
    quiet = [replace(row, value="", state="abstain") for row in ranked[:silent]]
    inputs = replace(inputs, labels=(*ranked[silent:], *quiet))
    kind = OutcomeKind(f"{opened.slug}:correctness", "experts", "", "", campaign=opened.slug)
    found = outcomes(inputs, kind)
    output = split.output
    system, item = output.run.system.slug, (output.instance.key, output.attempt)
    assert found.successes[system][item] == 0
    assert not found.left_out.get(system)
