"""What never reaches paper does not reach a grader's source view either, and offsets stay true."""

import pytest

from latex.visible import visible
from tests.growing import takes_less_than


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a % made by Gemini\nb", "a\nb"),
        ("10\\% of it % GPT", "10\\% of it"),
        ("\\\\% GPT", "\\\\"),
        ("\\author{GPT-5 \\and {Claude}}x", "x"),
        ("\\author[short]{GPT-5}x", "x"),
        ("\\thanks{Written by Qwen}", ""),
        ("\\authority{kept}", "\\authority{kept}"),
        ("\\author{never closed", "\\author{never closed"),
        ("zero\u200bwidth", "zero width"),
    ],
)
def test_latex_comments_authors_and_invisible_characters_are_blanked(text, shown):
    found = visible(text, "latex")
    assert len(found) == len(text)
    assert [line.rstrip() for line in found.lstrip().split("\n")] == shown.split("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <!-- by GPT --> b", "a b"),
        ("a <!-- by\nGPT --> b <!-- c -->", "a b"),
        ("a <!-- never closed GPT", "a"),
        ("a --> b", "a --> b"),
        ("100 % sure", "100 % sure"),
    ],
)
def test_markdown_comments_are_blanked_and_percent_signs_are_not(text, shown):
    found = visible(text, "markdown")
    assert len(found) == len(text)
    assert found.count("\n") == text.count("\n")
    assert found.split() == shown.split()


def test_plain_text_keeps_everything_that_can_be_seen():
    assert visible("% a <!-- b -->", "plain") == "% a <!-- b -->"


@pytest.mark.parametrize(
    "hostile", ["\\author{", "%", "{", "<!--", "\\author{}", "\\", "\\author[", "\u200b"]
)
@pytest.mark.parametrize("text_format", ["latex", "markdown"])
def test_hostile_floods_end_quickly(hostile, text_format):
    flood = hostile * 100_000
    assert len(visible(flood, text_format)) == len(flood)
    # Linear: well below a second; quadratic: minutes.
    assert takes_less_than(5, lambda: visible(flood, text_format))
