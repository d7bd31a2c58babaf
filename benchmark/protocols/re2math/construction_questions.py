"""What judges are asked about an instance: the six items of the construction audit (Re2Math, B.6)."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Predicate
from benchmark.protocols.re2math.schema import ProofGap

QUESTIONS = (
    Predicate("instrumental", "instrumental.v1"),
    Predicate("context_aligned", "context-aligned.v1"),
    Predicate("witness_sufficient", "witness-sufficient.v1"),
    Predicate("leak_free", "leak-free.v1"),
    Predicate("metadata_correct", "metadata-correct.v1"),
    Predicate("external_source", "external-source.v1"),
)
NOTHING_STORED = "None is stored."
_CITED = ("passage", "citation_key", "citation")
_NEEDS = {
    "instrumental": ("setup", "target_theorem", "local_context", *_CITED),
    "context_aligned": ("target_theorem", "local_context", "passage", "citation_key"),
    "witness_sufficient": ("setup", "target_theorem", "local_context", "passage", "witness"),
    "leak_free": ("anchor", "citation_key", "citation"),
    "metadata_correct": ("citing_paper", *_CITED, "identifiers"),
    "external_source": ("citing_paper", "setup", "target_theorem", "local_context", *_CITED, "witness"),
}


def instance_fields(predicate: str, payload: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`, only those that the item is about. Raises KeyError."""
    gap = ProofGap.model_validate(payload)
    context, cited, paper = gap.x.global_context, gap.z, gap.paper
    known = {
        "setup": context.setup,
        "target_theorem": context.target_theorem,
        "local_context": "\n\n".join(gap.x.local_context),
        "anchor": gap.x.anchor_hint or NOTHING_STORED,
        "witness": gap.y.reference_tool_latex,
        "passage": cited.locator_snippet or cited.locator or NOTHING_STORED,
        "citation_key": cited.citation_key,
        "citation": cited.citation_content,
        "identifiers": f"DOI: {cited.doi or 'none'}\narXiv: {cited.arxiv_id or 'none'}\nkind: {cited.source_type}",
        "citing_paper": f"{paper.title} ({paper.paper_id}, {paper.publication_date})",
    }
    return {name: known[name] for name in _NEEDS[predicate]}
