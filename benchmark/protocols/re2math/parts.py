"""What graders and judges are shown of a proof gap and of an output.

Planning, query and candidate list stay out: they tell how a system works, not whether its answer is right.
"""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.re2math.schema import Answer, ProofGap, Source


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """Setup, target, the proof up to the gap, and the authors' own tool, folded away."""
    gap = ProofGap.model_validate(payload)
    context = gap.x.global_context
    return [
        Part("Setup", context.setup),
        Part("Target theorem", context.target_theorem),
        Part("The proof up to the gap", _paragraphs(gap.x.local_context)),
        Part("Reference witness", gap.y.reference_tool_latex, collapsed=True),
    ]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The statement, which comments are anchored to, then its source and the excerpt given for it."""
    answer = Answer.model_validate(payload)
    return [
        Part("Statement", text, text_format),
        Part("Selected source", source_line(answer.selected_source), "plain"),
        Part("Excerpt of the source", answer.source_excerpt or "No excerpt was given.", "latex"),
    ]


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`."""
    gap, answer = ProofGap.model_validate(instance), Answer.model_validate(output)
    if predicate == "ground":
        return {
            "citing_paper": gap.paper.title,
            "source": source_line(answer.selected_source),
            "statement": text,
            "excerpt": answer.source_excerpt,
        }
    if predicate == "suff":
        return {
            "setup": gap.x.global_context.setup,
            "target_theorem": gap.x.global_context.target_theorem,
            "local_context": _paragraphs(gap.x.local_context),
            "witness": gap.y.reference_tool_latex,
            "statement": text,
        }
    raise KeyError(f"re2math has no predicate {predicate!r}")


def source_line(source: Source | None) -> str:
    """A source as a bibliography would give it."""
    if source is None:
        return "No source was selected."
    year = str(source.year) if source.year is not None else ""
    return ", ".join(part for part in (source.authors, source.title, year, source.identifier) if part)


def _paragraphs(blocks: list[str]) -> str:
    return "\n\n".join(blocks)
