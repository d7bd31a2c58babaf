"""What graders and judges are shown: the proof with its mask, the answer and the truth."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.masked_steps.loader import shown
from benchmark.protocols.masked_steps.schema import MASK, Attempt, Mask

_BOX = r"\fbox{MASK}"


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """The problem, the proof with its mask, the masked formula, and the whole proof, folded away."""
    mask = Mask.model_validate(payload)
    return [
        Part("Problem", mask.problem),
        Part("Proof with the mask", mask.mask_text.replace(MASK, _BOX)),
        Part("Truth: the masked formula", shown(mask.mask_content)),
        Part("Whole proof", mask.reference_solution, collapsed=True),
    ]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The answer; how a system found it would tell systems apart and is left out."""
    Attempt.model_validate(payload)
    return [Part("Answer", text, text_format)]


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`."""
    if predicate != "equivalent":
        raise KeyError(f"masked_steps has no predicate {predicate!r}")
    mask = Mask.model_validate(instance)
    return {
        "problem": mask.problem,
        "masked_proof": mask.mask_text,
        "truth": mask.mask_content,
        "answer": text,
    }
