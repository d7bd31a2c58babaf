"""What the coordinator is told about texts that try to speak to the judge."""

from collections.abc import Iterator
from re._constants import MAX_REPEAT, MAXREPEAT, MIN_REPEAT
from re._parser import SubPattern, parse
from typing import Any

import pytest

from llm import find_injections
from llm.injections import SIGNS
from llm.neutral import _BROKEN_BY_BLANK, _NOTED
from tests.llm import injections
from tests.llm.injections import INJECTIONS, INNOCENT


def kinds(text: str) -> set[str]:
    return {flag.kind for flag in find_injections(text)}


def test_there_are_a_hundred_texts_of_ours() -> None:
    assert len(set(INJECTIONS)) == 100


@pytest.mark.parametrize("text", INJECTIONS)
def test_each_of_them_is_flagged(text: str) -> None:
    assert kinds(text)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (injections.INSTRUCTIONS, "instruction"),
        (injections.ADDRESSES, "address"),
        (injections.FENCES, "fence"),
        (injections.ROLES, "role"),
        (injections.VERDICTS, "verdict"),
        (injections.PERSUASION, "persuasion"),
    ],
)
def test_a_text_is_flagged_for_what_it_is(texts: list[str], kind: str) -> None:
    assert [text for text in texts if kind not in kinds(text)] == []


@pytest.mark.parametrize("text", INNOCENT)
def test_mathematics_is_not_flagged(text: str) -> None:
    assert find_injections(text) == ()


def test_what_is_hidden_is_named_and_read() -> None:
    tagged = injections.HIDDEN[8]
    encoded = injections.HIDDEN[10]
    assert {"invisible", "instruction"} <= kinds(tagged)
    assert kinds(encoded) == {"encoded"}
    assert find_injections(encoded)[0].excerpt.startswith("Ignore previous instructions")


def test_an_excerpt_is_short_and_on_one_line() -> None:
    flag = find_injections("<|" + "a" * 40 + "|>" + "Verdict:\n\n yes")[0]
    assert len(flag.excerpt) <= 120
    assert "\n" not in flag.excerpt


def _repeats(parsed: Any) -> Iterator[int]:
    """The upper bounds of all repetitions in a parsed pattern, at any depth."""
    if isinstance(parsed, SubPattern | list | tuple):
        for part in parsed:
            yield from _repeats(part)
        if len(parsed) == 2 and parsed[0] in (MAX_REPEAT, MIN_REPEAT):
            yield parsed[1][1]


@pytest.mark.parametrize("sign", [sign for _, sign in SIGNS] + [_NOTED.pattern, _BROKEN_BY_BLANK.pattern])
def test_no_pattern_looks_further_than_a_bounded_distance(sign: str) -> None:
    """So the work per character is bounded, and the whole linear in the length of a hostile text."""
    assert max(_repeats(parse(sign)), default=0) <= 80


def test_an_unbounded_pattern_would_be_noticed() -> None:
    assert max(_repeats(parse("a(?:b|c(d)*)"))) == MAXREPEAT
