"""What graders are shown of a problem and of a proof."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.protocol import Content, Part
from benchmark.protocols.proofs.schema import Problem


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """The statement, then guidance and reference solution, folded away, as far as they are given."""
    problem = Problem.model_validate(payload)
    guidance = problem.guidance
    parts = [
        Part("Statement", problem.statement, problem.statement_format),
        Part("Target claim", guidance.target_claim, collapsed=True),
        Part("Relevant objects", _listed(guidance.objects), collapsed=True),
        Part("Common issues", _listed(guidance.common_issues), collapsed=True),
        Part("Reference solution", problem.reference_solution, collapsed=True),
    ]
    return [part for part in parts if part.text]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The proof; graders see nothing else of an output."""
    return [Part("Proof", text, text_format)]


def staff_facts(payload: Mapping[str, Any]) -> dict[str, str]:
    """The budget of an output in words. Payloads from before budgets had names of their own are read as they are."""
    budget = payload.get("budget", {})
    return {f"Budget, {name}": str(amount) for name, amount in sorted(budget.items()) if amount is not None}


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The problem as graders see it, and the proof. Raises KeyError for an unknown predicate."""
    if predicate != "correct":
        raise KeyError(f"proofs has no predicate {predicate!r}")
    return {**_problem_fields(instance), "proof": text}


def pair_fields(
    predicate: str, instance: Mapping[str, Any], first: Content, second: Content
) -> dict[str, str]:
    """The problem as graders see it, and the two proofs in the order given."""
    return {**_problem_fields(instance), "first": first[1], "second": second[1]}


def _problem_fields(payload: Mapping[str, Any]) -> dict[str, str]:
    problem = Problem.model_validate(payload)
    guidance = problem.guidance
    told = [guidance.target_claim, *guidance.objects, *guidance.common_issues]
    return {
        "statement": problem.statement,
        "guidance": "\n".join(filter(None, told)),
        "reference_solution": problem.reference_solution,
    }


def _listed(entries: Sequence[str]) -> str:
    if not entries:
        return ""
    items = "\n".join(f"\\item {entry}" for entry in entries)
    return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
