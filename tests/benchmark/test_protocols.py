"""The contract of a protocol folder; every folder is held to it."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from annotation.models import Campaign
from benchmark.collecting.formats import formats_of
from benchmark.importing.keys import Key
from benchmark.protocol import InstanceRecord, LabelledOutput, OutputRecord, Part, Protocol
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rubrics import RubricError
from llm.prompts import load_prompt
from reports.scores.document import audited_metrics
from tests.benchmark.files import example, write_lines

FORMATS = {"latex", "markdown", "plain"}


@pytest.fixture(params=protocol_names())
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return get_protocol(request.param)


@pytest.fixture
def instance(protocol: Protocol, tmp_path: Path) -> InstanceRecord:
    (record,) = protocol.read_release(
        write_lines(tmp_path / "release.jsonl", example(protocol.name).instance)
    )
    assert isinstance(record, InstanceRecord), record
    return record


@pytest.fixture
def output(protocol: Protocol, tmp_path: Path) -> OutputRecord:
    path = write_lines(tmp_path / "outputs.jsonl", example(protocol.name).output)
    record = next(iter(protocol.read_outputs(path)))
    assert isinstance(record, OutputRecord), record
    return record


def labelled(protocol: Protocol, value: str, state: str = "answered") -> LabelledOutput:
    labels = {predicate.key: value for predicate in protocol.output_predicates}
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
    line = example(protocol.name).output | {"sistem": "gpt"}
    (error,) = protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))
    assert (error.line, error.field) == (1, "sistem")


def test_a_missing_field_of_an_instance_is_refused_by_name(protocol, tmp_path):
    key = example(protocol.name).key
    line = {name: value for name, value in example(protocol.name).instance.items() if name != key}
    (error,) = protocol.read_release(write_lines(tmp_path / "release.jsonl", line))
    assert (error.line, error.field, error.reason) == (1, key, "this field is missing")


def test_an_answered_output_without_text_is_refused(protocol, tmp_path):
    line = example(protocol.name).output | example(protocol.name).emptied
    (error,) = protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))
    said = "read_outputs refuses what `emptied` of example.json makes of its output: 'an answered output needs ...'"
    assert "an answered output needs" in error.reason, said


def test_its_parts_are_titled_texts_and_the_first_of_an_output_is_its_text(protocol, instance, output):
    shown = protocol.output_parts(output.payload, output.text, output.text_format)
    parts = [*protocol.instance_parts(instance.payload), *shown]
    assert all(isinstance(part, Part) and part.title and part.text for part in parts)
    assert {part.text_format for part in parts} <= FORMATS
    assert (shown[0].text, shown[0].text_format) == (output.text, output.text_format), (
        "comments are anchored to the first part, which is the output's text as it is"
    )


def test_each_field_of_its_files_says_what_it_is(protocol):
    silent = [field.name for form in formats_of(protocol) for field in form.fields if not field.meaning]
    assert not silent, (
        "write a string below these fields of release_line and output_line, for the pages about formats"
    )


def test_each_predicate_has_a_prompt_whose_places_are_filled(protocol, instance, tmp_path):
    for predicate in protocol.predicates:
        line = example(protocol.name).outputs_for.get(predicate.key, example(protocol.name).output)
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
        assert predicate.key in asked, "experts need a question with the key of the predicate"
        assert asked[predicate.key].scale.judged_like_predicates
        assert asked[predicate.key].scale.success == {"yes"}


def test_its_rubrics_say_in_words_what_each_value_means(protocol):
    kinds = dict(Campaign._meta.get_field("kind").choices)
    for rubric in protocol.rubrics:
        assert rubric.kind in kinds
        for question in rubric.questions:
            assert question.text
            assert question.help
            assert set(question.scale.anchors) == set(question.scale.values), f"anchors of {question.key}"
            assert question.scale.success <= set(question.scale.values)


def test_a_rubric_is_found_by_its_label_only(protocol):
    for rubric in protocol.rubrics:
        assert protocol.rubric(rubric.label) is rubric
    with pytest.raises(RubricError, match="has no rubric"):
        protocol.rubric("nonesuch-v1")


def test_its_metrics_need_known_predicates_and_an_abstention_never_succeeds(protocol):
    known = {predicate.key for predicate in protocol.output_predicates}
    abstained = labelled(protocol, "", "abstained")
    for metric in protocol.metrics:
        assert set(metric.needs) <= known
        assert metric.success(labelled(protocol, "yes"))
        assert not metric.success(labelled(protocol, "uncertain"))
        assert not metric.success(abstained)
    assert protocol.bucket(abstained) == "abstained"


def test_its_measures_stay_between_0_and_1_and_nothing_found_is_the_least(protocol, instance, output):
    for measure in protocol.measures:
        assert measure.title
        assert measure.definition
        found, nothing = (measure.value(instance.payload, given) for given in (output.payload, None))
        assert found is not None
        assert nothing is not None
        assert 0 <= nothing <= found <= 1
        assert not measure.binary or {found, nothing} <= {0, 1}


def test_its_step_measures_are_about_stepwise_questions_and_undecided_without_labels(protocol):
    asked = {question.key: question for rubric in protocol.rubrics for question in rubric.questions}
    for measure in protocol.step_measures:
        question = asked[measure.question]
        assert question.scale.stepwise
        for value in question.scale.judgments:
            found = measure.value([value])
            assert found is not None
            assert 0 <= found <= 1
        assert measure.value(["not_assessed"]) is None


def test_no_key_occurs_twice(protocol):
    measures = (*protocol.measures, *protocol.step_measures)
    for named in (protocol.metrics, protocol.all_predicates, measures):
        keys = [one.key for one in named]
        assert len(set(keys)) == len(keys)


def test_each_of_its_metrics_is_scored(protocol):
    """A predicate that no metric is about alone is scored under its own key, in place of any metric of that name."""
    metrics = {metric.key: metric for metric in protocol.metrics}
    scored = {metric.key: metric for metric in audited_metrics(protocol)}
    hidden = [key for key in metrics.keys() & scored.keys() if scored[key] is not metrics[key]]
    assert not hidden, "a metric that has a predicate's key needs this predicate and no other: rename it"


def test_its_condition_tables_are_about_its_metrics_and_types_of_success(protocol):
    metrics = {metric.key for metric in protocol.metrics}
    for table in protocol.condition_tables:
        assert {column.metric for column in table.columns} <= metrics
        arms = [(column.arm, column.metric) for column in table.columns]
        assert len(set(arms)) == len(arms)
        if table.success_type:
            assert table.success_type in protocol.success_types.titles
            assert protocol.success_types.metric == table.reference.metric


def test_no_protocol_by_another_name(protocol):
    with pytest.raises(KeyError, match=protocol.name):
        get_protocol("nonesuch")


def test_its_programs_answer_its_predicates_and_refuse_others(protocol, instance, output):
    known = {predicate.key for predicate in protocol.output_predicates}
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


@pytest.mark.parametrize("odd", ["two\nlines", "a\x1b[2Jb", "a\u2028b", "\x85", "   "])
def test_a_key_is_one_line_that_says_something(odd):
    """It is used in addresses, cells and file names; the page of a release could not link to two lines."""
    with pytest.raises(ValidationError):
        TypeAdapter(Key).validate_python(odd)
    assert TypeAdapter(Key).validate_python("a/b ü <x> 7") == "a/b ü <x> 7"


def test_an_instance_whose_key_has_two_lines_is_refused(protocol, tmp_path):
    line = dict(example(protocol.name).instance)
    name = "instance_id" if "instance_id" in line else "arxiv_id"
    (error,) = protocol.read_release(write_lines(tmp_path / "release.jsonl", line | {name: "two\nlines"}))
    assert (error.line, error.field) == (1, name)
