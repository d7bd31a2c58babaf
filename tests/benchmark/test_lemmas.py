"""The lemmas protocol: two tasks of a system, proofs as numbered steps, and the truth table of its labels."""

from pathlib import Path

import pytest

from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, LabelledOutput, OutputRecord
from benchmark.protocols import get_protocol
from benchmark.protocols.lemmas.iterations import iterations
from benchmark.protocols.lemmas.schema import Lemma
from benchmark.steps import steps_of
from latex import render
from llm.prompts import load_prompt
from tests.benchmark.files import CONTEXT, LEMMA, STEPS, write_lines

PROTOCOL = get_protocol("lemmas")
SAMPLE = Path(__file__).parents[2] / "sample" / "lemmas"


def outputs(tmp_path, *lines):
    return list(PROTOCOL.read_outputs(write_lines(tmp_path / "outputs.jsonl", *lines)))


def lemma(tmp_path) -> InstanceRecord:
    return next(iter(PROTOCOL.read_release(write_lines(tmp_path / "release.jsonl", LEMMA))))


def test_a_proof_is_split_into_its_own_steps_each_with_its_subgoal(tmp_path):
    """What experts answer step by step are the steps of the file, whatever paragraphs they have."""
    steps = [
        {"subgoal": "$g$ has order $p$.", "text": "Lagrange.\n\nThe order is prime."},
        "So $g$ generates.",
    ]
    (proof,) = outputs(tmp_path, STEPS | {"steps": steps})
    found = steps_of(render(proof.text, "latex").blocks)
    assert [(step.name, len(step.blocks)) for step in found] == [("1", 3), ("2", 1)]
    assert "\\emph{To show:} $g$ has order $p$." in proof.text
    assert proof.payload == {"task": "proof"}


def test_definitions_are_kept_with_their_places_and_read_without_them(tmp_path):
    passage = {"text": "A group is tame if it has prime order.", "spans": [{"start": 120, "end": 158}]}
    line = LEMMA | {"definitions": [passage], "extraction": "full_context", "category": "math.GR"}
    (record,) = PROTOCOL.read_release(write_lines(tmp_path / "release.jsonl", line))
    assert record.payload["definitions"] == [passage]
    shown = PROTOCOL.instance_parts(record.payload)[1].text
    assert passage["text"] in shown
    assert "120" not in shown
    assert PROTOCOL.strata(record.payload) == {"arxiv_category": "math.GR", "extraction": "full_context"}
    plain = lemma(tmp_path)
    assert set(PROTOCOL.strata(plain.payload).values()) == {"unstated"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"extraction": "guessed"}, "extraction"),
        ({"category": "Group theory"}, "category"),
        ({"definitions": [{"text": "x", "spans": []}]}, "definitions.0.object.spans"),
        ({"definitions": [{"text": "x", "spans": [{"start": 5, "end": 5}]}]}, "definitions.0.object.spans.0"),
        (
            {"assumptions": [{"text": "x", "spans": [{"start": -1, "end": 5}]}]},
            "assumptions.0.object.spans.0.start",
        ),
    ],
)
def test_a_place_or_a_mode_that_cannot_be_is_refused_by_field(tmp_path, change, field):
    (error,) = PROTOCOL.read_release(write_lines(tmp_path / "release.jsonl", LEMMA | change))
    assert isinstance(error, RecordError)
    assert (error.line, error.field) == (1, field)


def test_a_context_says_how_it_was_found(tmp_path):
    (found,) = outputs(tmp_path, CONTEXT | {"extraction": "vector"})
    assert found.payload == {"task": "context", "extraction": "vector"}


def test_a_context_lists_definitions_and_assumptions_and_says_when_nothing_is_needed(tmp_path):
    some, none = outputs(tmp_path, CONTEXT, CONTEXT | {"attempt": 2, "definitions": []})
    assert "Tame means" in some.text
    assert "Assumptions" not in some.text
    assert none.text == "Nothing beyond the statement is needed."


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"definitions": ["x"]}, "no definitions"),
        ({"task": "context"}, "no steps"),
        ({"steps": []}, "needs steps"),
        ({"steps": [" "]}, "must not be blank"),
        ({"task": "poem"}, "'proof' or 'context'"),
        ({"attempt": 0}, "attempts count from 1: where a file counts from 0"),
        ({"extraction": "vector"}, "no definitions, assumptions or extraction"),
        ({"steps": [{"text": "x"}]}, "missing"),
    ],
)
def test_an_output_that_mixes_tasks_or_lacks_its_own_is_refused(tmp_path, change, complaint):
    (error,) = outputs(tmp_path, STEPS | change)
    assert isinstance(error, RecordError)
    assert complaint in error.reason


def test_an_abstention_needs_nothing(tmp_path):
    (output,) = outputs(tmp_path, STEPS | {"state": "abstained", "steps": []})
    assert (output.state, output.text) == ("abstained", "")


def test_the_paper_is_the_cluster(tmp_path):
    record = lemma(tmp_path)
    assert record.paper is not None
    assert (record.paper.key, record.paper.identifiers) == ("2401.00004", {"arxiv": "2401.00004"})


def test_each_question_is_asked_of_its_own_task_only(tmp_path):
    record = lemma(tmp_path)
    proof, context = outputs(tmp_path, STEPS, CONTEXT)
    asked = PROTOCOL.prompt_fields("accepted", record.payload, proof.payload, proof.text)
    assert "prime order" in asked["context"]
    with pytest.raises(ValueError, match="asked of a context"):
        PROTOCOL.prompt_fields("self_contained", record.payload, proof.payload, proof.text)
    with pytest.raises(ValueError, match="asked of a proof"):
        PROTOCOL.prompt_fields("accepted", record.payload, context.payload, context.text)


def test_the_judge_of_a_context_does_not_see_the_releases_own(tmp_path):
    """Otherwise it would find the lemma self-contained whatever the system collected."""
    record, (context,) = lemma(tmp_path), outputs(tmp_path, CONTEXT)
    fields = PROTOCOL.prompt_fields("self_contained", record.payload, context.payload, context.text)
    prompt = load_prompt(PROTOCOL.folder / "prompts" / "self-contained.v1.md")
    assert "A group is tame if it has prime order" not in prompt.render(fields, "0123456789abcdef").user


def labelled(key: str, value: str, state: str = "answered") -> LabelledOutput:
    return LabelledOutput("s", "l1", "p", "algebra", 1, state, {key: value} if value else {})


@pytest.mark.parametrize(
    ("key", "value", "state", "bucket", "success"),
    [
        ("accepted", "yes", "answered", "accepted", True),
        ("accepted", "no", "answered", "rejected", False),
        ("accepted", "uncertain", "answered", "uncertain", False),
        ("accepted", "", "answered", "unavailable", False),
        ("accepted", "yes", "abstained", "abstained", False),
        ("self_contained", "yes", "answered", "self_contained", True),
        ("self_contained", "no", "answered", "not_self_contained", False),
        ("self_contained", "uncertain", "answered", "uncertain", False),
        ("self_contained", "yes", "failed", "abstained", False),
    ],
)
def test_every_label_has_one_stratum_and_only_a_clear_yes_succeeds(key, value, state, bucket, success):
    output = labelled(key, value, state)
    metric = next(metric for metric in PROTOCOL.metrics if metric.needs == (key,))
    assert (PROTOCOL.bucket(output), metric.success(output)) == (bucket, success)


@pytest.mark.parametrize(
    ("verdicts", "accepted", "sound"),
    [
        ((), None, None),
        (("correct",), 1, 1),
        (("correct", "correct"), 1, 1),
        (("correct", "incorrect"), 0, 0.5),
        (("incorrect", "correct"), 0, 0),
        (("correct", "incorrect", "not_assessed", "correct"), 0, 0.25),
        (("not_assessed", "incorrect"), 0, None),
        (("correct", "not_assessed"), None, None),
        (("not_assessed",), None, None),
    ],
)
def test_a_proof_is_accepted_if_and_only_if_every_step_is(verdicts, accepted, sound):
    by_key = {measure.key: measure.value(verdicts) for measure in PROTOCOL.step_measures}
    assert by_key == {"accepted_by_steps": accepted, "before_first_error": sound}


@pytest.mark.parametrize(("iteration", "there"), [("", 10), ("-2026-02", 4)])
def test_the_sample_lemmas_are_read_without_a_fault(iteration, there):
    lemmas = list(PROTOCOL.read_release(SAMPLE / f"release{iteration}.jsonl"))
    assert len(lemmas) == there
    assert all(isinstance(record, InstanceRecord) for record in lemmas)
    keys = {record.key for record in lemmas}
    for system in ("aurora", "basalt"):
        records = list(PROTOCOL.read_outputs(SAMPLE / f"outputs-{system}{iteration}.jsonl"))
        assert all(isinstance(record, OutputRecord) for record in records), records
        assert {record.instance for record in records} == keys


def test_a_lemma_that_stands_again_in_the_next_iteration_is_counted_whatever_its_spaces():
    first = [
        LEMMA | {"statement": "Let $G$ be abelian."},
        LEMMA | {"statement": "Other.", "category": "math.GR"},
    ]
    second = [LEMMA | {"statement": "Let \\(G\\)  be abelian."}]
    found = iterations(*([_payload(lemma) for lemma in release] for release in (first, second)))
    assert (found["shares"]["lemmas_again"]["k"], found["shares"]["lemmas_again"]["n"]) == (1, 2)
    assert found["lemmas"] == {"first": 2, "second": 1}
    assert found["categories_of_the_first"]["math.GR"] == 1
    with pytest.raises(ValueError, match="none can be called proximate"):
        iterations([], [], proximate=["1"])


def test_of_the_sample_s_iterations_one_lemma_of_ten_stands_in_both_as_its_readme_says():
    releases = [list(PROTOCOL.read_release(SAMPLE / f"release{name}.jsonl")) for name in ("", "-2026-02")]
    found = iterations(*([row.payload for row in release] for release in releases))
    assert (found["shares"]["lemmas_again"]["k"], found["lemmas"]) == (1, {"first": 10, "second": 4})


def _payload(line):
    return {name: line[name] for name in Lemma.model_fields if name in line}
