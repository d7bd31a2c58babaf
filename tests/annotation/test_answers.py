import pytest

from accounts.refusal import Refused
from annotation.grading.answers import CheckedAnswer, Incomplete, checked, shaped
from benchmark.rubrics import rubric_from_content
from canonical import sha256_of
from tests.annotation.samples import QUESTIONS

RUBRIC = rubric_from_content(
    {"name": "test", "version": 1, "kind": "grade", "title": "Test", "questions": QUESTIONS}
)
BLOCKS = {"b1": 20, "b2": 5}
ANSWERS = {"correctness": "correct", "rigour": "2"}


def remark(**fields) -> dict:
    return {"block": "b1", "start": 0, "end": 4, "severity": "minor", "text": "Why?"} | fields


def problems(content: dict) -> dict[str, str]:
    with pytest.raises(Incomplete) as refusal:
        checked(RUBRIC, content, BLOCKS)
    return refusal.value.problems


def test_answers_are_stored_in_their_canonical_form():
    submission = checked(RUBRIC, {"answers": {"correctness": " correct ", "rigour": "2.0"}}, BLOCKS)
    assert submission.answers == (CheckedAnswer("correctness", "correct"), CheckedAnswer("rigour", "2"))


def test_every_missing_required_answer_is_named_and_optional_ones_are_not():
    assert problems({}) == {
        "correctness": "This question still needs an answer.",
        "rigour": "This question still needs an answer.",
    }


@pytest.mark.parametrize("value", ["6", "-1", "2.5", "high", "NaN"])
def test_a_value_off_the_scale_is_refused_at_its_question(value):
    assert list(problems({"answers": ANSWERS | {"rigour": value}})) == ["rigour"]


def test_an_unknown_question_is_refused_by_name():
    assert "system_guess" in problems({"answers": ANSWERS | {"system_guess": "x"}})


@pytest.mark.parametrize("key", ["system_guess", "remarks"])
def test_a_comment_that_no_answer_would_keep_is_refused_and_not_lost(key):
    assert list(problems({"answers": ANSWERS, "comments": {key: "Words."}})) == [key]
    if key == "remarks":
        assert checked(RUBRIC, {"answers": ANSWERS, "comments": {key: " "}}, BLOCKS)


def test_a_question_that_cannot_be_judged_needs_a_word_of_reason():
    content = {"answers": {"correctness": "correct"}, "abstained": ["rigour"]}
    assert problems(content) == {"rigour": "Say in a few words why this cannot be judged."}
    submission = checked(RUBRIC, content | {"comments": {"rigour": "The page is empty."}}, BLOCKS)
    assert submission.answers[1] == CheckedAnswer("rigour", "", "The page is empty.", state="abstain")


def test_a_comment_keeps_its_place_severity_and_kind():
    (comment,) = checked(RUBRIC, {"answers": ANSWERS, "anchored": [remark(kind="gap")]}, BLOCKS).comments
    assert (comment.block, comment.start, comment.end) == ("b1", 0, 4)
    assert (comment.severity, comment.kind, comment.text) == ("minor", "gap", "Why?")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"block": "b9"}, "not in this document"),
        ({"end": 21}, "outside its block"),
        ({"start": 3, "end": 1}, "outside its block"),
        ({"severity": "cosmic"}, "unknown"),
        ({"kind": "rudeness"}, "unknown"),
        ({"text": "  "}, "empty"),
        ({"start": "here"}, "invalid literal"),
    ],
)
def test_a_comment_that_fits_nowhere_is_refused_with_its_number(fields, reason):
    found = problems({"answers": ANSWERS, "anchored": [remark(), remark(**fields)]})
    assert "Comment 2" in found["comments"]
    assert reason in found["comments"]


def test_correct_beside_a_fatal_comment_asks_which_is_meant():
    found = problems({"answers": ANSWERS, "anchored": [remark(severity="fatal")]})
    assert "the one that is wrong" in found["correctness"]
    checked(
        RUBRIC,
        {"answers": ANSWERS | {"correctness": "incorrect"}, "anchored": [remark(severity="fatal")]},
        BLOCKS,
    )


NOVELTY = {"level": "ordinal", "values": ["new", "partly", "known"], "success": ["new"]}
YES_NO = {"level": "nominal", "values": ["yes", "no"], "success": ["yes"]}


@pytest.mark.parametrize(
    ("scale", "value", "contradicts"),
    [
        (NOVELTY, "new", True),  # an ordinal scale is about correctness unless it says that it is not
        (NOVELTY | {"correctness": False}, "new", False),
        (NOVELTY | {"correctness": True}, "partly", False),
        (YES_NO, "yes", False),
        (YES_NO | {"correctness": True}, "yes", True),
        (YES_NO | {"correctness": True}, "no", False),
        ("predicate", "yes", False),
        ("unit", "1", False),
    ],
)
def test_only_a_success_on_a_scale_of_correctness_contradicts_a_fatal_comment(scale, value, contradicts):
    asked = {"key": "asked", "text": "?", "scale": scale}
    rubric = rubric_from_content(
        {"name": "own", "version": 1, "kind": "grade", "title": "Own", "questions": [asked]}
    )
    content = {"answers": {"asked": value}, "anchored": [remark(severity="fatal")]}
    if contradicts:
        with pytest.raises(Incomplete, match="marked a fatal comment"):
            checked(rubric, content, BLOCKS)
    else:
        assert checked(rubric, content, BLOCKS).comments[0].severity == "fatal"


@pytest.mark.parametrize(
    "content", [None, [], {"answers": []}, {"extra": 1}, {"seen_before": "yes"}, {"note": "x" * 1_000_001}]
)
def test_malformed_content_is_refused(content):
    with pytest.raises(Refused) as refusal:
        shaped(content)
    assert refusal.value.code == "malformed"


def test_the_fingerprint_does_not_depend_on_key_order():
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    assert sha256_of({"a": 1}) != sha256_of({"a": 2})
