"""What graders and judges are shown of a proof gap and of an output.

Planning, query and candidate list stay out: they tell how a system works, not whether its answer is right.
"""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap, Source


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """Setup, target, the proof up to the gap, and the authors' own tool, folded away."""
    gap = ProofGap.model_validate(payload)
    return [*_proof_state(gap), Part("Reference witness", gap.y.reference_tool_latex, collapsed=True)]


def audited_parts(payload: Mapping[str, Any]) -> list[Part]:
    """Everything that the items of the construction audit are about, the citation and its passage included."""
    gap = ProofGap.model_validate(payload)
    citation, paper = gap.z, gap.paper
    fields = {
        "Citation key": citation.citation_key,
        "Source type": citation.source_type,
        "DOI": citation.doi,
        "arXiv id": citation.arxiv_id,
        "Citing paper": f"{paper.title} ({paper.paper_id}, {paper.publication_date})",
    }
    return [
        *_proof_state(gap),
        Part("Passage around the citation", gap.z.locator_snippet or gap.z.locator or "None is stored."),
        Part("Anchor", gap.x.anchor_hint or "None is stored."),
        Part("Reference witness", gap.y.reference_tool_latex),
        Part("Stored citation", gap.z.citation_content),
        Part(
            "Fields of the citation",
            "\n\n".join(f"{name}: {value or 'none'}" for name, value in fields.items()),
            "plain",
        ),
    ]


def _proof_state(gap: ProofGap) -> list[Part]:
    context = gap.x.global_context
    return [
        Part("Setup", context.setup),
        Part("Target theorem", context.target_theorem),
        Part(
            "The proof up to the gap", "\n\n".join(gap.x.local_context) or "Nothing: it begins with the gap."
        ),
    ]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The statement, which comments are anchored to, then its source and the excerpt given for it."""
    answer = GapAnswer.model_validate(payload)
    return [
        Part("Statement", text, text_format),
        Part("Selected source", source_line(answer.selected_source), "plain"),
        Part("Excerpt of the source", answer.source_excerpt or "No excerpt was given.", "latex"),
    ]


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`."""
    gap, answer = ProofGap.model_validate(instance), GapAnswer.model_validate(output)
    if predicate == "ground":
        return {
            "citing_paper": gap.paper.title,
            "source": source_line(answer.selected_source),
            "statement": text,
            "excerpt": answer.source_excerpt,
        }
    context = {
        "setup": gap.x.global_context.setup,
        "target_theorem": gap.x.global_context.target_theorem,
        "local_context": "\n\n".join(gap.x.local_context),
    }
    if predicate == "suff":
        return {**context, "witness": gap.y.reference_tool_latex, "statement": text}
    if predicate == "anchor_match":
        return {**context, "anchor": gap.x.anchor_hint, "plan": answer.planning_anchor}
    if predicate == "query_match":
        del context["setup"]
        asked = {"anchor": gap.x.anchor_hint, "query": answer.query}
        return {**context, **asked, "witness": gap.y.reference_tool_latex}
    raise KeyError(f"re2math has no predicate {predicate!r}")


def source_line(source: Source | None) -> str:
    """A source as a bibliography would give it."""
    if source is None:
        return "No source was selected."
    year = str(source.year) if source.year is not None else ""
    return ", ".join(part for part in (source.authors, source.title, year, source.identifier) if part)
