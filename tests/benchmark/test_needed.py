"""A pattern of the identity scan is tried where it can match, and hardly ever where it can't."""

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmark.identities import naming, phrases
from benchmark.identities.needed import Sought, lowered, needed
from latex.folding import read

SAMPLE = Path(__file__).parents[2] / "sample"
EVERY = [sought for *_, sought in phrases._patterns()] + [each for pair in phrases._signs() for each in pair]


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"\bas an assistant\b", {"as an assistant"}),
        (r"language models? (?:wrote|found)", {"language model"}),  # an s that may be missing breaks the text
        (r"my (?:training data|developers)", {"training data", "developers"}),
        (r"model|agent", {"model", "agent"}),
        (r"model|\d+", set()),  # one alternative needs nothing that is known
        (r"(?:hidden )?state", {"state"}),
        (r"(?:hidden )*of", set()),
        (r"(?:again ){0,2}of", set()),
        (r"(?:again ){1,2}of", {"again "}),
        (r"(?!never )of", set()),
        (r"(?<=never )of", set()),
        (r"[model]", set()),
        (r"[]model)]agent", {"agent"}),
        (r"[^]model|]agent", {"agent"}),
        (r"\(model\)|agent\|", {"model", "agent"}),
        (r"(?-i:LEAN)\d", {"lean"}),
        (r"模型(?:写了|跑)", {"模型"}),
        (r"[мM]oдeль", {"oдeль"}),
        (r"\w+@(?:ibm|fb)\.com", {"@"}),
        (r"for", {"for"}),
        (r"of", set()),  # too short to be rare
    ],
)
def test_what_a_pattern_needs(pattern: str, texts: set[str]) -> None:
    assert needed(pattern) == texts


def test_a_kind_of_group_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(\?P"):
        needed(r"(?P<name>model)")


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_whatever_a_pattern_matches_may_match(data: st.DataObject) -> None:
    sought = data.draw(st.sampled_from(EVERY))
    text = read(data.draw(st.from_regex(sought.pattern)), "plain").text
    assume(sought.pattern.search(text))
    assert sought.may_match(lowered(text))


def test_a_dotless_i_is_an_i() -> None:
    text = read("As an aı assıstant", "plain").text
    sought = Sought("as an ai assistant")
    assert sought.pattern.search(text)
    assert sought.may_match(lowered(text))


@pytest.mark.parametrize("letter", "вдостъςßſK")
def test_a_letter_that_python_takes_for_another_is_found_as_that(letter: str) -> None:
    """Some Cyrillic letters have a third form, sigma has two small ones."""
    sought = Sought(letter * 4)
    for written in {chr(code) for code in range(0x3000) if re.fullmatch(letter, chr(code), re.IGNORECASE)}:
        assert sought.may_match(lowered(written * 4)), written


def test_the_sure_names_are_found_as_if_all_were_tried() -> None:
    every = naming._sure(tuple(pattern for pattern, _ in naming._names().sure))
    names = naming.table()["unmistakable"]
    proofs = [path.read_text("utf-8") for path in sorted((SAMPLE / "proofs" / "outputs").rglob("*.tex"))]
    planted = [f"{proof[:500]} {name} {proof[500:]}" for proof, name in zip(proofs, names, strict=False)]
    for text in [*proofs, *planted, *names, "x.ai@ibm.com, agent-7b-sft", "ОPENAI, Мixtral"]:
        reading = read(text, "latex")
        tried = naming._sure_in(reading.text)
        assert [found.span() for found in tried] == [found.span() for found in every.finditer(reading.text)]


def test_of_hundreds_of_patterns_a_proof_is_searched_for_a_third_at_most() -> None:
    for path in sorted((SAMPLE / "proofs" / "outputs" / "aurora").glob("*.tex")):
        text = lowered(re.sub(r"\s", " ", read(path.read_text("utf-8"), "latex").text))
        assert sum(sought.may_match(text) for sought in EVERY) < len(EVERY) / 3
