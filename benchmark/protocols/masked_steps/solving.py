"""What a solver is given of a mask, and its formula as a line of an outputs file. Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Solvable
from benchmark.protocols.masked_steps.schema import ATTEMPTS, Mask


def given(payload: Mapping[str, Any], track: str, condition: str) -> dict[str, Any]:
    """The problem, and the proof with its mask: neither the formula nor the whole proof."""
    mask = Mask.model_validate(payload)
    return {"problem": mask.problem, "masked_proof": mask.mask_text}


def answer(instance: str, attempt: int, state: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A line with the formula. The key of an instance is the number of its mask."""
    line: dict[str, Any] = {"index": int(instance), "attempt": attempt, "state": state}
    if state != "answered":
        return line
    return {**line, "text": result["formula"], "reasoning": result["reasoning"]}


SOLVING = Solvable(given=given, answer=answer, tracks={"raw": ("",)}, attempts=ATTEMPTS)
