"""Pipelines: the same paper, recipe and replies give the same lines, and one thing is asked after another."""

import json
from collections import Counter

import pytest

from benchmark.importing.keys import PaperFields
from benchmark.protocols.lemmas.schema import LemmaLine
from benchmark.protocols.masked_steps.schema import Mask
from construction.pipeline import Paper, Question, State, get_pipeline, pipeline_names
from construction.recipes.passages import Drop, read_alone

TEXT = r"""\documentclass{article}\newtheorem{theorem}{Theorem}\newtheorem{lemma}[theorem]{Lemma}
\begin{document}
A \emph{gadget} is a finite set with two points.

\begin{lemma}\label{two} Every gadget has a point. \end{lemma}
\begin{theorem}\label{main} Every gadget $G$ satisfies $|G| = 2$. \end{theorem}
\begin{proof} Let $G$ be a gadget; we count its points one by one, without haste, and never twice. By Lemma~\ref{two} it
has a point, say $p$, so that
\[ |G| = 1 + |G \setminus \{p\}|. \]
What is left is a finite set with a single point, because of the two points that the gadget had we have taken away just
one and no other, and so we find
\[ |G \setminus \{p\}| = 1, \]
by the definition of a gadget, which leaves no room for another point. Adding both, the number of points is
\[ |G| = 1 + 1. \]
That is what was to be shown, and the reader may wish to draw a picture of the two points and of the set around them.
\end{proof}
\end{document}
"""
SYMBOLS = {
    "symbols": [{"symbol": "gadget", "quote": "A \\emph{gadget} is a finite set with two points."}],
    "external": False,
}
MASK = {
    "candidate": 1, "reason": "It begins the count.", "step_type": "structural transformation",
    "proof_family": "direct", "why_not_local": "The point is taken away later.",
}  # fmt: skip
NEEDS = {
    "definitions": [{"quotes": ["A \\emph{gadget} is a finite set with two points."]}],
    "assumptions": [],
    "missing": [],
}


def states(
    protocol: str,
    replies: dict[tuple[str, str], str],
    *,
    text: str = TEXT,
    ordinal: int = 0,
    **numbers: object,
) -> list[State]:
    pipeline = get_pipeline(protocol)
    paper = Paper(PaperFields(key="2601.00001", title="Gadgets"), "combinatorics", read_alone(text), ordinal)
    return list(pipeline.construct(paper, pipeline.recipe(numbers), replies, seed=1))


def test_a_proof_comes_to_masks_by_two_questions_one_after_the_other() -> None:
    (first,) = states("masked_steps", {})
    assert isinstance(first.outcome, Question)
    assert (first.key, first.stage) == ("proof-0", "symbols")
    assert "A \\emph{gadget}" in first.outcome.fields["paper"]
    assert "never twice" not in first.outcome.fields["paper"]  # that is the proof, which is given apart
    replies = {("proof-0", "symbols"): json.dumps(SYMBOLS)}
    (second,) = states("masked_steps", replies)
    assert isinstance(second.outcome, Question)
    assert second.stage == "choice"
    assert "<<1>>|G| = 1 + |G \\setminus \\{p\\}|<</1>>" in second.outcome.fields["proof"]
    replies["proof-0", "choice"] = f"```json\n{json.dumps({'masks': [MASK]})}\n```"
    (third,) = states("masked_steps", replies)
    assert not isinstance(third.outcome, Question | Drop)
    masks = [made.line for made in third.outcome]
    assert all(isinstance(mask, Mask) for mask in masks)
    assert Counter(mask.variant for mask in masks) == {"": 1, "random": 1, "truncated": 1}
    assert third == states("masked_steps", replies)[0]


@pytest.mark.parametrize(
    ("symbols", "masks", "stage", "code"),
    [
        ("no", [], "symbols", "not_json"),
        (SYMBOLS | {"external": True}, [], "symbols", "external_notation"),
        (SYMBOLS, [], "choice", "no_mask"),
        (SYMBOLS, [MASK | {"candidate": 9}], "choice", "unknown_candidate"),
    ],
)
def test_a_proof_is_refused_where_a_reply_cannot_be_used(
    symbols: object, masks: list[object], stage: str, code: str
) -> None:
    replies = {
        ("proof-0", "symbols"): json.dumps(symbols),
        ("proof-0", "choice"): json.dumps({"masks": masks}),
    }
    if symbols == "no":
        replies["proof-0", "symbols"] = "no"
    (found,) = states("masked_steps", replies)
    assert isinstance(found.outcome, Drop)
    assert (found.stage, found.outcome.code) == (stage, code)


def test_a_proof_whose_masks_would_take_numbers_of_the_next_paper_is_never_asked_about() -> None:
    before = "\\begin{lemma}A.\\end{lemma}\\begin{proof}So.\\end{proof}\n"
    numbers: list[list[int]] = []
    for proofs in (332, 333):  # before it, each with room for 100 masks and their variants
        key, text = f"proof-{proofs}", TEXT.replace("\\begin{theorem}", before * proofs + "\\begin{theorem}")
        replies = {
            (key, "symbols"): json.dumps({"symbols": [], "external": False}),
            (key, "choice"): json.dumps({"masks": [MASK]}),
        }
        last = states("masked_steps", replies, text=text, max_masks=100)[-1]
        assert last.key == key
        if isinstance(last.outcome, tuple) and not isinstance(last.outcome, Drop):
            numbers.append([made.line.index for made in last.outcome])
        else:
            assert isinstance(last.outcome, Drop)
            assert (last.stage, last.outcome.code) == ("pairs", "no_number_left")
    assert numbers == [[99_600, 99_601, 99_602]]


def test_the_last_paper_that_a_build_may_have_has_numbers_for_its_masks() -> None:
    most = get_pipeline("masked_steps").most_papers
    assert most == 10_000
    replies = {
        ("proof-0", "symbols"): json.dumps(SYMBOLS),
        ("proof-0", "choice"): json.dumps({"masks": [MASK]}),
    }
    (state,) = states("masked_steps", replies, ordinal=most - 1)
    assert not isinstance(state.outcome, Question | Drop)
    assert [made.line.index for made in state.outcome] == [999_900_000, 999_900_001, 999_900_002]


def test_a_proof_that_is_too_short_is_never_asked_about() -> None:
    (found,) = states("masked_steps", {}, min_characters=5_000)
    assert isinstance(found.outcome, Drop)
    assert (found.stage, found.outcome.code) == ("pairs", "short_proof")


def test_a_lemma_comes_to_a_line_with_the_definition_that_the_reply_quotes() -> None:
    (first,) = states("lemmas", {})
    assert isinstance(first.outcome, Question)
    assert first.outcome.fields["before"].strip() == "A \\emph{gadget} is a finite set with two points."
    (second,) = states("lemmas", {(first.key, "needs"): json.dumps(NEEDS)})
    assert not isinstance(second.outcome, Question | Drop)
    line = second.outcome[0].line
    assert isinstance(line, LemmaLine)
    assert [entry.text for entry in line.definitions] == ["A \\emph{gadget} is a finite set with two points."]


def test_by_words_a_lemmas_objects_are_asked_for_first() -> None:
    (first,) = states("lemmas", {}, context="lexical")
    assert first.stage == "objects"
    (second,) = states("lemmas", {(first.key, "objects"): '{"objects": ["gadget"]}'}, context="lexical")
    assert second.stage == "needs"


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"min_charcters": 1}, "min_charcters: the recipe has no such number"),
        ({"max_masks": "many"}, "max_masks"),
        ({"max_depth": -1}, "max_depth: give 0 or a larger number, not -1"),
        ({"max_masks": 101}, "max_masks: Input should be less than or equal to 100"),
        ({"max_depth": True}, "max_depth: a number is asked for, not true"),
    ],
)
def test_a_wrong_number_of_a_recipe_is_named(document: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        get_pipeline("masked_steps").recipe(document)


def test_every_pipeline_is_of_a_protocol_and_says_what_its_stages_are() -> None:
    for name in pipeline_names():
        assert get_pipeline(name).stages
    with pytest.raises(KeyError, match="no recipe"):
        get_pipeline("proofs")
