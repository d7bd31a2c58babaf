"""What graders and judges are shown of a lemma and of what a system gave for it."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.lemmas.loader import context_text
from benchmark.protocols.lemmas.schema import Given, Lemma, Task

_ASKED_OF: Mapping[str, Task] = {"accepted": "proof", "every_step": "proof", "self_contained": "context"}
_TITLES: Mapping[Task, str] = {"proof": "Proof", "context": "Definitions and assumptions of the system"}


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """The lemma, then the definitions and assumptions of the release."""
    lemma = Lemma.model_validate(payload)
    return [
        Part("Lemma", lemma.statement),
        Part("Definitions and assumptions", _context(lemma)),
    ]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The proof or the context."""
    return [Part(_TITLES[Given.model_validate(payload).task], text, text_format)]


def asked_of(predicate: str, output: Mapping[str, Any]) -> bool:
    """Whether the predicate is about what the system did: a proof, or a context."""
    task = Given.model_validate(output).task
    return _ASKED_OF.get(predicate, task) == task


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`.

    Raises KeyError for an unknown predicate, and ValueError where it does not fit what the system did.
    """
    if predicate not in _ASKED_OF:
        raise KeyError(f"lemmas has no predicate {predicate!r}")
    task = Given.model_validate(output).task
    if task != _ASKED_OF[predicate]:
        raise ValueError(f"{predicate} is asked of a {_ASKED_OF[predicate]}, and this output is a {task}")
    lemma = Lemma.model_validate(instance)
    if predicate == "self_contained":
        return {"lemma": lemma.statement, "context": text}
    shown = {"lemma": lemma.statement, "context": _context(lemma)}
    return (
        shown if predicate == "every_step" else {**shown, "proof": text}
    )  # whose steps are shown one by one


def _context(lemma: Lemma) -> str:
    return context_text(lemma.definitions, lemma.assumptions)
