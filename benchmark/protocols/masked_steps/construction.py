"""The construction audit of one mask: what Mask-Proof's experts looked at (section 3.1), item by item.

A program answers what can be computed, models and experts the rest.
"""

import re
from collections.abc import Mapping
from typing import Any

from benchmark.instance_checks import links, typeset
from benchmark.protocol import ConstructionItem, Predicate, ProgramJudge, ProgramReply
from benchmark.protocols.masked_steps.loader import shown
from benchmark.protocols.masked_steps.schema import Mask

ITEMS = (
    ConstructionItem(
        "step_correct",
        "Correctness of the masked step",
        "The masked formula is right at its place in the proof.",
        program=False,
    ),
    ConstructionItem(
        "context_sufficient",
        "Sufficiency of the context",
        "Problem and proof say all that is needed to recover the formula, without another document.",
        program=False,
    ),
    ConstructionItem(
        "whole_step",
        "Completeness of the mask",
        "The mask is a step of the reasoning and not a fragment of a formula.",
        program=False,
    ),
    ConstructionItem(
        "shortcut_free",
        "Freedom from shortcuts",
        "Nothing around the mask gives the formula away.",
        limits="The program looks whether the formula occurs elsewhere in problem or proof, word for word.",
    ),
    ConstructionItem(
        "well_formed",
        "Well-formed LaTeX",
        "Every formula of problem and proof can be typeset.",
    ),
    ConstructionItem(
        "notation_explained",
        "Resolved notation",
        "No notation, reference or citation of the paper is left unexplained.",
        limits="The program finds references and citations that lead nowhere, but no notation without explanation.",
    ),
)
QUESTIONS = (
    Predicate("step_correct", "step-correct.v1"),
    Predicate("context_sufficient", "context-sufficient.v1"),
    Predicate("whole_step", "whole-step.v1"),
    Predicate("shortcut_free", "shortcut-free.v1"),
    Predicate("notation_explained", "notation-explained.v1"),
)
_SPACE = re.compile(r"\\(?:left|right|[,;:!> ]|quad|qquad)(?![a-zA-Z])|\$|\\[\[\]()]|\s+")
_TELLING = 8  # characters without spaces: a shorter formula may well occur twice


def instance_fields(predicate: str, payload: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`. Raises KeyError for others."""
    if predicate not in {question.key for question in QUESTIONS}:
        raise KeyError(f"masked_steps has no question {predicate!r} about an instance")
    mask = Mask.model_validate(payload)
    return {"problem": mask.problem, "masked_proof": mask.mask_text, "formula": mask.mask_content}


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """One item of ITEMS for one mask; `output` and `text` are ignored. Raises KeyError for any other item."""
    mask = Mask.model_validate(instance)
    whole = (mask.problem, mask.reference_solution)
    if predicate == "well_formed":
        return typeset((*whole, shown(mask.mask_content)))
    if predicate == "notation_explained":
        return links(whole, found_none="uncertain")
    if predicate != "shortcut_free":
        raise KeyError(f"the construction program does not answer {predicate!r}")
    formula = _SPACE.sub("", mask.mask_content).rstrip(".,;")
    if len(formula) < _TELLING:
        return ProgramReply("uncertain", "The formula is too short for its recurrence to mean anything.")
    for place, text in (("problem", mask.problem), ("proof", mask.mask_text)):
        if formula in _SPACE.sub("", text):
            reason = f"The formula occurs in the {place} a second time, word for word."
            return ProgramReply("no", reason, evidence={"place": place})
    return ProgramReply("uncertain", "The formula occurs nowhere else word for word; a person has to read.")


CONSTRUCTION = ProgramJudge(
    name="construction",
    version=1,
    predicates=tuple(item.key for item in ITEMS if item.program),
    decide=decide,
    title="Construction audit of masks",
    subject="instance",
)
