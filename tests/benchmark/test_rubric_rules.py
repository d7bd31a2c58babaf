"""Rules of a rubric: what one answer demands of another one, or of the comments in the text."""

import tomllib

import pytest

from annotation.rubrics.available import RubricFileError, read_rubric_file, rubric_toml
from benchmark.protocols import get_protocol
from benchmark.rubric_rules import broken, contradictions
from benchmark.rubrics import rubric_from_content

FORM = """
[[rubric]]
name = "referee"
version = 1
kind = "grade"
title = "Referee's report"

[[rubric.questions]]
key = "level"
text = "Level"
[rubric.questions.scale]
level = "ordinal"
values = ["flawless", "minor", "major", "reject"]
success = ["flawless", "minor"]

[[rubric.questions]]
key = "accept"
text = "Accept?"
[rubric.questions.scale]
level = "nominal"
values = ["yes", "no"]
success = ["yes"]

[[rubric.questions]]
key = "report"
text = "Report"
scale = "text"

[[rubric.rules]]
question = "level"
values = ["reject"]
then = "accept"
allowed = ["no"]

[[rubric.rules]]
question = "level"
values = ["major", "reject"]
comments_at_least = "major"

[[rubric.rules]]
question = "level"
values = ["flawless"]
comments_at_most = "typo"
message = "A flawless proof has misprints at most."
"""
RUBRIC = rubric_from_content(tomllib.loads(FORM)["rubric"][0])


@pytest.mark.parametrize(
    ("answers", "severities", "found"),
    [
        ({"level": "minor", "accept": "yes"}, {"minor"}, {}),
        (
            {"level": "reject", "accept": "yes"},
            {"fatal"},
            {"accept": "You answered “reject”. Then this must be “no”."},
        ),
        ({"level": "reject"}, {"fatal"}, {}),  # what is missing contradicts nothing
        (
            {"level": "major", "accept": "no"},
            {"minor", "highlight"},
            {"comments": "You answered “major”. Please mark at least one passage as “fatal” or “major”."},
        ),
        ({"level": "flawless"}, {"typo"}, {}),
        ({"level": "flawless"}, {"minor"}, {"comments": "A flawless proof has misprints at most."}),
    ],
)
def test_a_broken_rule_says_where_and_what(answers, severities, found):
    assert dict(broken(RUBRIC.rules, answers, severities)) == found


def test_a_rubric_with_rules_is_the_same_after_export_and_import():
    (again,) = read_rubric_file(rubric_toml(RUBRIC).encode(), get_protocol("proofs"))
    assert again == RUBRIC
    assert again.sha256 == RUBRIC.sha256


def test_a_rubric_without_rules_keeps_its_hash():
    content = tomllib.loads(FORM)["rubric"][0]
    del content["rules"]
    plain = rubric_from_content(content)
    assert "rules" not in plain.content
    assert plain.sha256 == rubric_from_content({**content, "rules": []}).sha256
    assert plain.sha256 != RUBRIC.sha256


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"question": "level"}, "exactly one of"),
        (
            {"question": "level", "values": ["reject"], "then": "accept", "comments_at_most": "typo"},
            "exactly one",
        ),
        ({"question": "lever", "values": ["reject"], "comments_at_most": "typo"}, "no question 'lever'"),
        (
            {"question": "level", "values": ["rejected"], "comments_at_most": "typo"},
            "'rejected' is not one of",
        ),
        ({"question": "level", "values": [], "comments_at_most": "typo"}, "names no value of level"),
        ({"question": "report", "values": ["x"], "comments_at_most": "typo"}, "report has not"),
        ({"question": "level", "values": ["reject"], "then": "accept"}, "names no value of accept"),
        (
            {"question": "level", "values": ["reject"], "then": "level", "allowed": ["major"]},
            "the same question",
        ),
        ({"question": "level", "values": ["reject"], "comments_at_least": "grave"}, "'grave' is not one of"),
        (
            {"question": "level", "values": ["reject"], "comments_at_least": "major", "allowed": ["no"]},
            "allowed belongs to then",
        ),
        ({"question": "level", "values": "reject", "comments_at_least": "major"}, "values must be a list"),
        ({"question": "level", "is": ["reject"]}, "no field 'is'"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused_with_its_number(rule, reason):
    content = tomllib.loads(FORM)["rubric"][0]
    content["rules"].append(rule)
    with pytest.raises(Exception, match="rule 4: ") as refused:
        rubric_from_content(content)
    assert reason in str(refused.value)


def test_a_faulty_rule_in_a_file_is_refused_with_the_line_of_its_rubric():
    with pytest.raises(RubricFileError, match=r"Line 2: .*rule 1: 'maybe' is not one of yes, no"):
        read_rubric_file(
            FORM.replace('allowed = ["no"]', 'allowed = ["maybe"]').encode(), get_protocol("proofs")
        )


def test_rules_that_no_answer_can_satisfy_are_found():
    rules = [
        {"question": "level", "values": ["reject"], "then": "accept", "allowed": ["yes"]},
        {"question": "level", "values": ["reject"], "comments_at_most": "typo"},
    ]
    content = tomllib.loads(FORM)["rubric"][0]
    content["rules"] += rules
    assert list(contradictions(rubric_from_content(content).rules)) == [
        "With “reject” as the answer to level, two rules leave no answer to accept.",
        "With “reject” as the answer to level, one rule demands a major comment and another forbids it.",
    ]
    assert list(contradictions(RUBRIC.rules)) == []
