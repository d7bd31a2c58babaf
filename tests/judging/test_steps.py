"""A judge that is asked about every step of a proof: what is sent, what is read, and what is kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse

from annotation.core.documents import anchors, documents
from annotation.core.material import item_material
from benchmark.models import Output
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rendering.actions import render_waiting
from benchmark.steps import step_texts
from judging.asking.prompts import predicate_prompt
from judging.models import Call, Judge, JudgeRun, StepVerdict, Verdict
from judging.reading.reparsing import reparse, reread
from judging.runs.actions import ask, create_judge
from llm import Unparsed, parse_reply
from llm.replies import AskedSteps
from tests.benchmark.files import LEMMA
from tests.factories import (
    BenchmarkFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RubricFactory,
    RunFactory,
    VerdictFactory,
)
from work.worker import drain

pytestmark = pytest.mark.django_db
asks = pytest.mark.django_db(transaction=True)  # workers have connections of their own
PROOF = "\\textbf{Step 1.} Let $g \\neq e$.\n\n\\[ g^p = e \\]\n\n\\textbf{Step 2.} So $g$ generates. [[DATA b9 0]]"
ASKED = AskedSteps(("correct", "incorrect"), (("b1", "Let $x$."), ("b3", "So $y$.")))


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


@pytest.fixture
def proof(db) -> Output:
    """One proof of two steps, the first of which has two blocks."""
    release = ReleaseFactory(benchmark=BenchmarkFactory(slug="lemmas", protocol="lemmas"))
    payload = {name: LEMMA[name] for name in ("statement", "definitions", "assumptions")}
    return OutputFactory(
        run=RunFactory(release=release),
        instance=InstanceFactory(release=release, payload=payload),
        payload={"task": "proof"},
        text=PROOF,
        text_format="latex",
    )


@pytest.fixture
def run(proof, endpoint) -> JudgeRun:
    judge = create_judge(actor=None, slug="stepper", protocol="lemmas", model="m", endpoint=endpoint, votes=2)
    return ask(actor=None, judge=judge, release=proof.run.release, predicates=["every_step"])


def says(steps: Any, **others: object) -> str:
    return json.dumps({"label": "no", "reason": "Step 2.", "confidence": 0.7, "steps": steps, **others})


def saying(text: str) -> Callable[[object], str]:
    return lambda request: text


def test_one_label_for_every_step_is_read():
    reply = parse_reply(says({"b3": "incorrect", "b1": "correct"}), steps=ASKED)
    assert (reply.label, dict(reply.steps)) == ("no", {"b1": "correct", "b3": "incorrect"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (says({"b1": "correct"}), "steps: has no label for b3"),
        (says({"b1": "correct", "b2": "correct"}), "steps: has no label for b3"),
        (
            says({"b1": "correct", "b3": "correct", "b2": "correct"}),
            "steps: has a step that was not asked about",
        ),
        (
            says({"b1": "correct", "b3": "correct", "B3": "correct"}),
            "steps: has a step that was not asked about",
        ),
        (says({"b1": "correct", "b3": "yes"}), "steps: b3: is not one of correct, incorrect"),
        (says({"b1": "correct", "b3": "Correct"}), "steps: b3: is not one of correct, incorrect"),
        (says({"b1": "correct", "b3": None}), "steps: b3: is not one of correct, incorrect"),
        (says({"b1": "correct", "b3": ["correct"]}), "steps: b3: is not one of correct, incorrect"),
        (says(["correct", "correct"]), "steps: is not an object"),
        (json.dumps({"label": "no", "reason": "r", "confidence": None}), "steps: is not an object"),
        (says({"b1": "correct", "b3": "correct"}, label="maybe"), "label"),
        (says({"b1": "correct", "b3": "correct"}).replace('"b1"', '"b3"'), "not one JSON object"),
    ],
    ids=[
        "missing", "another", "surplus", "case", "unknown", "capital", "null", "list", "no ids", "none", "whole",
        "repeated",
    ],
)  # fmt: skip
def test_everything_else_is_unparsed_and_says_why(text, reason):
    reply = parse_reply(text, steps=ASKED)
    assert isinstance(reply, Unparsed)
    assert reason in reply.reason


def test_a_reply_with_steps_that_nobody_asked_about_is_unparsed():
    assert isinstance(parse_reply(says({"b1": "correct"})), Unparsed)
    assert isinstance(parse_reply(says({})), Unparsed)


@pytest.mark.parametrize("name", protocol_names())
def test_prompts_that_ask_about_steps_use_the_labels_of_the_experts_question(name):
    protocol = get_protocol(name)
    scales = {asked.key: asked.scale for rubric in protocol.rubrics for asked in rubric.questions}
    for predicate in protocol.all_predicates:
        labels = predicate_prompt(protocol, predicate.key).step_labels
        assert bool(labels) == bool(predicate.steps)
        if predicate.steps:
            assert scales[predicate.steps].stepwise
            assert [scales[predicate.steps].canonical(label) for label in labels] == list(labels)


@asks
def test_the_steps_that_are_sent_are_those_that_experts_label(proof, run, server):
    """Two steps: b1 with the formula b2, and b3. The proof's own "[[DATA b9" opens nothing."""
    server.rule = saying(says({"b1": "correct", "b3": "incorrect"}))
    drain()
    campaign = CampaignFactory(release=proof.run.release, rubric=RubricFactory(protocol="lemmas"))
    place = item_material(ItemFactory(campaign=campaign, output=proof, instance=proof.instance))
    documents(place)  # asks for the rendering
    render_waiting()
    _, steps = anchors(place)
    assert [step.key for step in steps] == ["b1", "b3"]
    _, user = Call.objects.first().request["messages"]
    fences = [line.split()[1] for line in user["content"].splitlines() if line.startswith("[[DATA b")]
    assert fences == ["b1", "b3"]
    assert "g^p = e" in user["content"].split("[[END b1")[0]
    assert 'exactly the keys "b1", "b3", each "correct", "incorrect" or "not_assessed"' in user["content"]
    kept = StepVerdict.objects.order_by("verdict__vote", "pk")  # the two votes may end in either order
    assert list(kept.values_list("verdict__vote", "question", "step", "label")) == [
        (vote, "steps", step, label)
        for vote in (1, 2)
        for step, label in (("b1", "correct"), ("b3", "incorrect"))
    ]
    assert set(Verdict.objects.values_list("predicate", "value")) == {("every_step", "no")}


@asks
def test_a_reply_that_leaves_a_step_out_is_kept_unparsed_and_has_no_steps(run, server):
    server.rule = saying(says({"b1": "correct"}))
    drain()
    assert set(Verdict.objects.values_list("state", "value", "reason")) == {
        ("unparsed", "", "steps: has no label for b3")
    }
    assert not StepVerdict.objects.exists()
    assert Call.objects.filter(reply__isnull=False).count() == 2


@asks
def test_reading_replies_again_reads_their_steps_too(run, server, monkeypatch):
    server.rule = saying(says({"b1": "correct", "b3": "incorrect"}))
    drain()
    assert reread(run).changed == ()
    # a later reader that says of every step that it is correct
    monkeypatch.setattr(AskedSteps, "read", lambda self, said: dict.fromkeys(self.ids, "correct"))
    again = reparse(actor=None, run=run)
    assert len(again.changed) == 2
    labels = StepVerdict.objects.order_by("pk").values_list("verdict__judge__slug", "label")
    assert list(labels[:4]) == [("stepper", "correct"), ("stepper", "incorrect")] * 2
    assert list(labels[4:]) == [("stepper-reread", "correct")] * 4


@asks
def test_replies_are_read_again_by_the_steps_of_their_own_requests(run, server, monkeypatch):
    """Even if a later version divides the text in another way."""
    server.rule = saying(says({"b1": "correct", "b3": "incorrect"}))
    drain()
    monkeypatch.setattr("benchmark.steps.steps_of", lambda blocks: ())
    step_texts.cache_clear()
    assert reread(run).changed == ()


@asks
def test_staff_read_the_labels_of_the_steps_in_the_order_of_the_proof(
    client, coordinator, proof, run, server
):
    server.rule = saying(says({"b3": "incorrect", "b1": "correct"}))
    drain()
    client.force_login(coordinator)
    page = client.get(reverse("judge-replies", args=[run.judge.pk, proof.pk])).content.decode()
    assert page.count("Its labels of the steps") == 2
    assert page.index('<th scope="row">b1') < page.index('<th scope="row">b3')


@asks
def test_a_verdict_on_a_step_is_never_changed_or_deleted(run, server):
    server.rule = saying(says({"b1": "correct", "b3": "incorrect"}))
    drain()
    for change in (lambda rows: rows.update(label="correct"), lambda rows: rows.delete()):
        with pytest.raises(DatabaseError, match="judging_stepverdict"), transaction.atomic():
            change(StepVerdict.objects.all())
    assert Judge.objects.count() == 1


def test_a_step_of_a_verdict_has_one_label_and_it_is_not_empty(proof):
    verdict = VerdictFactory(output=proof, predicate="every_step", value="no")
    label = {"verdict": verdict, "question": "steps", "step": "b1", "label": "correct"}
    StepVerdict.objects.create(**label)
    StepVerdict.objects.create(**{**label, "step": "b3"})
    blank = [{"step": "b4", **{name: ""}} for name in ("question", "step", "label")]
    for wrong in ({}, {"label": "incorrect"}, *blank):
        with pytest.raises(IntegrityError), transaction.atomic():
            StepVerdict.objects.create(**{**label, **wrong})
    assert StepVerdict.objects.count() == 2
