"""Measures of experts' step labels by system: shares as proportions, dependent outputs as such."""

import pytest
from django.urls import reverse

from benchmark.protocols import get_protocol
from reports.core.datasets import ExpertLabel, OutputRow
from reports.scores.expert_scores import expert_scores
from reports.scores.shape import Steps
from reports.scores.text import expert_cell, left_undecided
from stats.core.intervals import wilson
from tests.documents import expert_document
from tests.reports.conftest import load

LEMMAS = get_protocol("lemmas")
RUBRIC = next(rubric for rubric in LEMMAS.rubrics if rubric.name == "lemmas-steps")


def row(instance: str, paper: str) -> OutputRow:
    return OutputRow(f"{instance}/one/1", "one", instance, paper, "algebra", 1, "answered", "0" * 64)


def sheet(instance: str, rater: str, *verdicts: str) -> list[ExpertLabel]:
    """One expert's labels of the steps b1, b2, ... of an output."""
    return [
        ExpertLabel(f"{instance}/one/1", "steps", "steps", f"b{at}", rater, verdict, "answered")
        for at, verdict in enumerate(verdicts, start=1)
    ]


def accepted(rows: list[OutputRow], labels: list[ExpertLabel]) -> dict[str, object]:
    document = expert_document(RUBRIC, rows, labels, measures=LEMMAS.step_measures)
    found: dict[str, object] = document["steps"]["systems"]["one"]["measures"]["accepted_by_steps"][
        "estimate"
    ]
    return found


def test_the_share_of_accepted_proofs_of_ten_papers_has_the_interval_of_a_proportion():
    """8 of 10: Wilson [49.0, 94.3] (STATISTICS.md 2A), where Student's t would have reached 1.10."""
    rows = [row(f"l{at}", f"paper {at}") for at in range(10)]
    last = ["correct"] * 8 + ["incorrect"] * 2
    labels = [label for at, verdict in enumerate(last) for label in sheet(f"l{at}", "e1", "correct", verdict)]
    found = accepted(rows, labels)
    assert (found["method"], found["k"], found["n"]) == ("wilson", 8, 10)
    assert found["ci"] == pytest.approx([0.490, 0.943], abs=5e-4)


def test_two_lemmas_of_one_paper_are_not_two_independent_trials():
    """Twenty papers of two lemmas that succeed or fail together: n_eff = 40 * 19/39 (tests/stats/test_means.py)."""
    rows = [row(f"l{at}", f"paper {at // 2}") for at in range(40)]
    labels = [
        label
        for at in range(40)
        for label in sheet(f"l{at}", "e1", "correct" if at < 30 else "incorrect", "correct")
    ]
    found = accepted(rows, labels)
    effective = 40 * 19 / 39
    assert (found["method"], found["clusters"]) == ("wilson_n_eff", 20)
    assert found["ci"] == pytest.approx(wilson(0.75 * effective, effective), abs=1e-9)


def test_experts_who_disagree_give_a_share_of_the_output():
    rows = [row("l0", "paper"), row("l1", "other")]
    labels = [
        *sheet("l0", "e1", "correct"),
        *sheet("l0", "e2", "incorrect"),
        *sheet("l1", "e1", "correct"),
    ]
    found = accepted(rows, labels)
    assert (found["value"], found["n"], found["method"]) == (0.75, 2, "wilson_n_eff")


def test_outputs_not_assessed_far_enough_are_counted_next_to_a_share_with_what_they_could_make_of_it():
    """An error decides a proof at once, and only a full reading one without an error: leaving out lowers the share."""
    rows = [row(f"l{at}", f"paper {at}") for at in range(3)]
    labels = [
        *sheet("l0", "e1", "correct", "correct"),
        *sheet("l1", "e1", "incorrect", "not_assessed"),
        *sheet("l2", "e1", "correct", "not_assessed"),
    ]
    document = expert_scores(RUBRIC, rows, labels, measures=LEMMAS.step_measures)
    found = document["steps"].systems["one"]
    assert isinstance(found, Steps)
    left = "1 output left out, not assessed far enough: between 0.333 and 0.667 with it"
    assert left_undecided(found, found.measures["accepted_by_steps"]) == left
    assert f"Accepted, every step correct 0.500 [0.095, 0.905] ({left})" in expert_cell(found)
    every = expert_scores(RUBRIC, rows[:2], labels[:4], measures=LEMMAS.step_measures)["steps"].systems["one"]
    assert isinstance(every, Steps)
    assert "left out" not in expert_cell(every)


@pytest.mark.django_db
def test_what_experts_label_in_steps_is_counted_in_steps(client, coordinator):
    name, date = "sample-lemmas", "2026-02"
    outputs = {system: f"outputs-{system}-{date}.jsonl" for system in ("aurora", "basalt")}
    tables = (f"labels-judge-{date}.csv", f"labels-experts-{date}.csv")
    load(f"{name}-{date}", "lemmas", outputs, *tables, file=f"release-{date}.jsonl")
    client.force_login(coordinator)
    for address in (
        reverse("score-numbers", args=[f"{name}-{date}"]),
        reverse("question-reliability", args=["sample-lemma-steps", "steps"]),
    ):
        text = client.get(address).content.decode()
        assert "on 20 steps, read as nominal" in text
        assert "on 20 outputs" not in text
