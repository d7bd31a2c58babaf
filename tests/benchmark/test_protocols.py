"""The contract of a protocol folder; every folder is held to it."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from annotation.models import Campaign
from benchmark.protocol import InstanceRecord, LabelledOutput, OutputRecord, Part, Protocol
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rubrics import RubricError
from llm.prompts import load_prompt
from tests.benchmark.files import (
    ANSWER,
    ATTEMPT,
    CONTEXT,
    GAP,
    LEMMA,
    MASK,
    PROBLEM,
    PROOF,
    STEPS,
    write_lines,
)

EXAMPLES = {
    "re2math": (GAP, ANSWER),
    "proofs": (PROBLEM, PROOF),
    "masked_steps": (MASK, ATTEMPT),
    "lemmas": (LEMMA, STEPS),
}
ASKED_OF = {("lemmas", "self_contained"): CONTEXT}  # predicates that are about another kind of output
NO_TEXT = {"re2math": {"statement": " "}, "lemmas": {"steps": []}}
KEYS = {"masked_steps": "index"}  # what an instance is called where the published file has no instance_id
FORMATS = {"latex", "markdown", "plain"}


@pytest.fixture(params=protocol_names())
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return get_protocol(request.param)


@pytest.fixture
def instance(protocol: Protocol, tmp_path: Path) -> InstanceRecord:
    (record,) = protocol.read_release(write_lines(tmp_path / "release.jsonl", EXAMPLES[protocol.name][0]))
    assert isinstance(record, InstanceRecord), record
    return record


@pytest.fixture
def output(protocol: Protocol, tmp_path: Path) -> OutputRecord:
    path = write_lines(tmp_path / "outputs.jsonl", EXAMPLES[protocol.name][1])
    record = next(iter(protocol.read_outputs(path)))
    assert isinstance(record, OutputRecord), record
    return record


def labelled(protocol: Protocol, value: str, state: str = "answered") -> LabelledOutput:
    labels = {predicate.key: value for predicate in protocol.predicates}
    return LabelledOutput("system", "i1", "paper", "algebra", 1, state, labels)


def test_it_is_called_after_its_folder(protocol):
    assert protocol.folder.name == protocol.name
    assert protocol.title


def test_its_records_survive_storage_as_json(instance, output):
    assert json.loads(json.dumps(instance.payload)) == instance.payload
    assert json.loads(json.dumps(output.payload)) == output.payload


def test_its_release_file_gives_key_domain_and_line(instance):
    assert (instance.key, instance.line) != ("", 0)
    assert instance.domain


def test_an_unknown_field_of_an_output_is_refused_by_name(protocol, tmp_path):
    line = EXAMPLES[protocol.name][1] | {"sistem": "gpt"}
    (error,) = protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))
    assert (error.line, error.field) == (1, "sistem")


def test_a_missing_field_of_an_instance_is_refused_by_name(protocol, tmp_path):
    key = KEYS.get(protocol.name, "instance_id")
    line = {name: value for name, value in EXAMPLES[protocol.name][0].items() if name != key}
    (error,) = protocol.read_release(write_lines(tmp_path / "release.jsonl", line))
    assert (error.line, error.field, error.reason) == (1, key, "this field is missing")


def test_an_answered_output_without_text_is_refused(protocol, tmp_path):
    line = EXAMPLES[protocol.name][1] | NO_TEXT.get(protocol.name, {"text": " "})
    (error,) = protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))
    assert "an answered output needs" in error.reason


def test_its_parts_are_titled_texts_and_the_first_of_an_output_is_its_text(protocol, instance, output):
    shown = protocol.output_parts(output.payload, output.text, output.text_format)
    parts = [*protocol.instance_parts(instance.payload), *shown]
    assert all(isinstance(part, Part) and part.title and part.text for part in parts)
    assert {part.text_format for part in parts} <= FORMATS
    assert (shown[0].text, shown[0].text_format) == (output.text, output.text_format)


def test_each_predicate_has_a_prompt_whose_places_are_filled(protocol, instance, tmp_path):
    for predicate in protocol.predicates:
        line = ASKED_OF.get((protocol.name, predicate.key), EXAMPLES[protocol.name][1])
        output = next(iter(protocol.read_outputs(write_lines(tmp_path / "asked.jsonl", line))))
        prompt = load_prompt(protocol.folder / "prompts" / f"{predicate.prompt}.md")
        fields = protocol.prompt_fields(predicate.key, instance.payload, output.payload, output.text)
        assert output.text in prompt.render(fields, "0123456789abcdef").user


def test_an_unknown_predicate_has_no_fields(protocol, instance, output):
    with pytest.raises(KeyError):
        protocol.prompt_fields("nonesuch", instance.payload, output.payload, output.text)


def test_each_predicate_is_a_question_with_the_same_values(protocol):
    asked = {question.key: question for rubric in protocol.rubrics for question in rubric.questions}
    for predicate in protocol.predicates:
        assert asked[predicate.key].scale == "predicate"
        assert asked[predicate.key].positive == "yes"


def test_its_rubrics_say_in_words_what_each_value_means(protocol):
    kinds = dict(Campaign._meta.get_field("kind").choices)
    for rubric in protocol.rubrics:
        assert rubric.kind in kinds
        for question in rubric.questions:
            assert question.text
            assert question.help
            assert set(question.anchors) == set(question.values)
            assert not question.positive or question.positive in question.values


def test_a_rubric_is_found_by_its_label_only(protocol):
    for rubric in protocol.rubrics:
        assert protocol.rubric(rubric.label) is rubric
    with pytest.raises(RubricError, match="has no rubric"):
        protocol.rubric("nonesuch-v1")


def test_its_metrics_need_known_predicates_and_an_abstention_never_succeeds(protocol):
    known = {predicate.key for predicate in protocol.predicates}
    abstained = labelled(protocol, "", "abstained")
    for metric in protocol.metrics:
        assert set(metric.needs) <= known
        assert metric.success(labelled(protocol, "yes"))
        assert not metric.success(labelled(protocol, "uncertain"))
        assert not metric.success(abstained)
    assert protocol.bucket(abstained) == "abstained"


def test_no_protocol_by_another_name(protocol):
    with pytest.raises(KeyError, match=protocol.name):
        get_protocol("nonesuch")


def test_its_programs_answer_its_predicates_and_refuse_others(protocol, instance, output):
    known = {predicate.key for predicate in protocol.predicates}
    for program in protocol.program_judges:
        assert protocol.program(program.name) is protocol.program(program.label) is program
        asked = set(program.predicates)
        assert asked <= known or not asked & known  # its questions are those of judges, or all its own
        for predicate in program.predicates:
            reply = program.decide(predicate, instance.payload, output.payload, output.text)
            assert json.loads(json.dumps(asdict(reply)))["reason"]
        with pytest.raises((KeyError, ValueError), match="nonesuch"):
            program.decide("nonesuch", instance.payload, output.payload, output.text)
    with pytest.raises(KeyError, match="has no program"):
        protocol.program("nonesuch")
