"""What a solver is given of a problem, and its proof as a line of an outputs file. Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Solvable
from benchmark.protocols.proofs.schema import Problem


def given(payload: Mapping[str, Any], track: str, condition: str) -> dict[str, Any]:
    """The title and the statement: guidance and reference solution are for graders."""
    problem = Problem.model_validate(payload)
    return {"title": problem.title, "statement": problem.statement}


def answer(instance: str, attempt: int, state: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A line with the proof, and with what was used as its budget."""
    line = {"instance_id": instance, "attempt": attempt, "state": state}
    if state == "answered":
        line |= {"text": result["proof_latex"], "format": "latex"}
    used = {name: result[name] for name in ("tokens", "rounds") if result.get(name) is not None}
    return {**line, "budget": used} if used else line


SOLVING = Solvable(given=given, answer=answer, tracks={"raw": ("",)})
