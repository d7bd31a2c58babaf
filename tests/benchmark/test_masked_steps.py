"""Masked steps: published format, four attempts, what the algebra judge says of the sample, Avg@4."""

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmark.protocol import LabelledOutput
from benchmark.protocols.masked_steps import PROTOCOL
from benchmark.protocols.masked_steps.context import assumed, is_ordered, speaks_of_numbers, ties
from benchmark.protocols.masked_steps.loader import published_line, shown
from benchmark.protocols.masked_steps.metrics import bucket
from tests.benchmark.files import ATTEMPT, MASK, write_lines

SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "masked_steps"
# What a mathematician says of the four attempts at masks 1 to 12; - was not answered.
RIGHT = {
    "aurora": [
        "yyyy",
        "yyyy",
        "yyyn",
        "yyyy",
        "yyyy",
        "yyyy",
        "yyyn",
        "yyyn",
        "yyyy",
        "yyyn",
        "yyyy",
        "yyyn",
        "yyyy",
        "yynn",
    ],
    "basalt": [
        "nnyn",
        "nnnn",
        "nnnn",
        "nnny",
        "nnnn",
        "nnyy",
        "nny-",
        "nnny",
        "nnn-",
        "nnyn",
        "nnny",
        "nnny",
        "nynn",
        "nnny",
    ],
}


def masks():
    return {record.key: record for record in PROTOCOL.read_release(SAMPLE / "release.jsonl")}


def attempts(system):
    return list(PROTOCOL.read_outputs(SAMPLE / f"outputs-{system}.jsonl"))


def decide(problem, mask_text, truth, answer):
    mask = MASK | {
        "problem": problem,
        "mask_text": mask_text,
        "mask_content": truth,
        "reference_solution": ".",
    }
    return PROTOCOL.program("algebra").decide("equivalent", mask, {}, answer)


def test_a_published_file_comes_back_value_for_value():
    lines = (SAMPLE / "release.jsonl").read_text("utf-8").splitlines()
    written = [published_line(record.payload) for record in PROTOCOL.read_release(SAMPLE / "release.jsonl")]
    assert written == lines
    assert list(json.loads(written[0]))[:7] == [
        "index",
        "arxiv_id",
        "proof_index",
        "problem",
        "reference_solution",
        "mask_text",
        "mask_content",
    ]


def test_the_sample_masks_hide_exactly_what_the_whole_proof_says():
    for record in masks().values():
        mask = record.payload
        unmasked = mask["mask_text"].replace("[MASK]", mask["mask_content"])
        if mask.get("variant") == "truncated":
            assert mask["reference_solution"].startswith(unmasked)
            assert mask["reference_solution"] != unmasked
        else:
            assert unmasked == mask["reference_solution"]


def test_the_sample_variants_are_linked_to_masks_of_their_proof():
    found = {record.key: PROTOCOL.variant_of(record.payload) for record in masks().values()}
    assert {key: (of.kind, of.original) for key, of in found.items() if of} == {
        "13": ("random", "4"),
        "14": ("truncated", "5"),
    }


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"mask_text": "no mask"}, "", "0 places marked"),
        ({"mask_text": "[MASK] and [MASK]"}, "", "2 places marked"),
        ({"variant": "random"}, "", "belong together"),
        ({"index": "6"}, "index", "integer"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused_with_its_line(tmp_path, changes, field, words):
    (error,) = PROTOCOL.read_release(write_lines(tmp_path / "release.jsonl", MASK | changes))
    assert error.line == 1
    assert error.field == field
    assert words in error.reason


def test_a_missing_attempt_becomes_a_failed_output_that_says_so(tmp_path):
    path = write_lines(tmp_path / "outputs.jsonl", ATTEMPT, ATTEMPT | {"attempt": 3})
    found = list(PROTOCOL.read_outputs(path))
    assert [(output.attempt, output.state) for output in found] == [
        (1, "answered"),
        (3, "answered"),
        (2, "failed"),
        (4, "failed"),
    ]
    assert found[2].payload == {"missing": True}


def test_a_fifth_attempt_is_refused(tmp_path):
    (error,) = PROTOCOL.read_outputs(write_lines(tmp_path / "outputs.jsonl", ATTEMPT | {"attempt": 5}))
    assert error.field == "attempt"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"\frac12 ", r"\[\frac12\]"),
        ("$x$", "$x$"),
        ("The answer is clear.", "The answer is clear."),
        (r"\operatorname{tr} A", r"\[\operatorname{tr} A\]"),
    ],
)
def test_a_bare_formula_is_shown_as_one_and_prose_as_prose(formula, text):
    assert shown(formula) == text


def test_a_grader_sees_mask_truth_and_answer_and_nothing_that_tells_systems_apart():
    parts = [
        *PROTOCOL.instance_parts(MASK),
        *PROTOCOL.output_parts({"reasoning": "canary"}, "$2+1$", "latex"),
    ]
    texts = " ".join(part.text for part in parts)
    assert r"\fbox{MASK}" in texts
    assert "1+1+1" in texts
    assert "$2+1$" in texts
    assert "canary" not in texts


@pytest.mark.slow
@pytest.mark.parametrize("system", sorted(RIGHT))
def test_the_algebra_judge_is_never_wrong_on_the_sample(system):
    known, found = masks(), Counter()
    for output in attempts(system):
        if output.state != "answered":
            continue
        reply = PROTOCOL.program("algebra").decide(
            "equivalent", known[output.instance].payload, output.payload, output.text
        )
        truth = RIGHT[system][int(output.instance) - 1][output.attempt - 1]
        assert (truth, reply.value) not in {("y", "no"), ("n", "yes")}, (output, reply)
        found[reply.value] += 1
    assert found["yes"] + found["no"] >= 0.6 * found.total()


@pytest.mark.parametrize(
    ("problem", "proof", "truth", "answer", "value"),
    [
        ("Let $x$ be real.", "Then $[MASK]$.", "x+1", "x+2", "no"),
        ("Let $a + b = 1$.", "Then $[MASK]$.", "a+b+1", "a+b+2", "uncertain"),
        ("Let $S = a + b$.", "Then $[MASK]$.", "a-b", "b-a", "no"),  # S is only defined
        ("Let $S = a + b$ and $S = ab$.", "Then $[MASK]$.", "a-b", "b-a", "uncertain"),
        ("We know that $(a+b)^2 = a^2+2ab+b^2$.", "Then $[MASK]$.", "a-b", "b-a", "no"),  # an identity
        ("We have $\\mu(a) = \\mu(b) + 1$.", "Then $[MASK]$.", "a-b", "b-a", "uncertain"),
        ("Let $x > 0$.", "Then $[MASK]$.", r"\sqrt{x^2}", "x", "yes"),
        ("Let $x$ be real.", "Then $[MASK]$.", r"\sqrt{x^2}", "x", "uncertain"),
        ("Let $a$, $b$ be elements of a group.", "Then $[MASK]$.", "ab", "ba", "uncertain"),
        ("Let $a$, $b$ be elements of a group.", "Then $[MASK]$.", "aab", "a^2 b", "yes"),
        ("Let $a$, $b$ be elements of a group.", "Then $[MASK]$.", "a^2", "a^3", "uncertain"),
        ("Compute modulo $2$.", "Then $[MASK]$.", "x", "-x", "uncertain"),
        ("Let $x$ be real.", "Then $[MASK]$.", "x", r"\gdef\x{1}\x", "uncertain"),
    ],
)
def test_what_the_proof_says_of_the_letters_is_heeded(problem, proof, truth, answer, value):
    reply = decide(problem, proof, truth, answer)
    assert reply.value == value
    assert reply.reason


def test_ranges_are_taken_from_the_problem_and_contradictions_cancel():
    assert assumed(r"Let $x > 0$, $n \ge 1$, $m \in \mathbb{N}$, $0 < t$, $z \in \mathbb{C}$.") == {
        "x": "positive",
        "n": "positive",
        "m": "natural",
        "t": "positive",
        "z": "complex",
    }
    assert assumed(r"$x > 0$, $x \in \mathbb{Z}$") == {"x": "natural"}
    assert assumed(r"$x > 0$, $x \in \mathbb{C}$") == {}
    assert assumed(r"$x > -1$, $x < 5$, $x \le y$") == {}


def test_words_that_change_what_a_product_or_a_difference_is():
    assert is_ordered("Let G be a finite group.")
    assert is_ordered("non-commuting variables")
    assert not is_ordered("We regroup the terms.")
    assert not speaks_of_numbers(r"$x \equiv 1 \pmod 3$")
    assert speaks_of_numbers("Let $x$ be real.")


def test_an_equation_with_the_mask_in_it_ties_nothing():
    assert ties("Then $a + b = [MASK]$.", frozenset({"a", "b"})) == []


def labelled(mask, attempt, value, state="answered"):
    return LabelledOutput("s", mask, "p", "algebra", attempt, state, {"equivalent": value} if value else {})


@pytest.mark.parametrize(
    ("value", "state", "expected"),
    [
        ("yes", "answered", "equivalent"),
        ("no", "answered", "not_equivalent"),
        ("uncertain", "answered", "uncertain"),
        ("", "answered", "unavailable"),
        ("", "failed", "abstained"),
        ("", "abstained", "abstained"),
    ],
)
def test_every_output_has_one_bucket(value, state, expected):
    assert bucket(labelled("1", 1, value, state)) == expected
