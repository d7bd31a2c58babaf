"""What a solver is given of a lemma, and its proof as a line of an outputs file. Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Solvable
from benchmark.protocols.lemmas.schema import Lemma, Passage


def given(payload: Mapping[str, Any], track: str, condition: str) -> dict[str, Any]:
    """The statement with its definitions and assumptions as texts."""
    lemma = Lemma.model_validate(payload)
    return {
        "statement": lemma.statement,
        "definitions": [_text(one) for one in lemma.definitions],
        "assumptions": [_text(one) for one in lemma.assumptions],
    }


def answer(instance: str, attempt: int, state: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A line with the steps of a proof."""
    line = {"instance_id": instance, "attempt": attempt, "state": state, "task": "proof"}
    if state != "answered":
        return line
    return {**line, "steps": [{"subgoal": one["subgoal"], "text": one["text"]} for one in result["steps"]]}


def _text(passage: Passage) -> str:
    return passage if isinstance(passage, str) else passage.text


SOLVING = Solvable(given=given, answer=answer, tracks={"raw": ("",)})
