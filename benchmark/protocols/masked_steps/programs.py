"""The judge that needs no model: equivalence by computer algebra (docs/algebra.md)."""

from collections.abc import Mapping
from typing import Any

from algebra import NotUnderstood, compare, letters, read
from benchmark.protocol import ProgramJudge, ProgramReply
from benchmark.protocols.masked_steps.context import assumed, is_ordered, speaks_of_numbers, ties
from benchmark.protocols.masked_steps.schema import Mask


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """Equivalent: yes, no, or uncertain with the reason why computer algebra does not decide."""
    if predicate != "equivalent" or output is None:
        raise ValueError(f"the algebra program does not answer {predicate!r}")
    mask = Mask.model_validate(instance)
    words = f"{mask.problem}\n{mask.reference_solution}"
    ranges, ordered = assumed(mask.problem), is_ordered(words)
    found = compare(mask.mask_content, text, ranges, ordered=ordered)
    evidence = {**found.evidence, "assumed": dict(ranges), "ordered": ordered}
    if found.value == "unknown":
        return ProgramReply("uncertain", found.reason, evidence=evidence)
    doubt = _doubt(mask, words, text) if found.value == "no" else ""
    if doubt:
        return ProgramReply("uncertain", f"different as formulas, but {doubt}", evidence=evidence)
    return ProgramReply(found.value, found.reason, evidence=evidence)


def _doubt(mask: Mask, words: str, text: str) -> str:
    """Why formulas that differ in their letters may agree in this proof; "" if nothing says so."""
    if not speaks_of_numbers(words):
        return "the text does not speak of numbers alone"
    try:
        names = letters(read(mask.mask_content)) | letters(read(text))
    except NotUnderstood:
        return "an equation of the text ties their letters: the formulas"
    tied = ties(f"{mask.problem}\n{mask.mask_text}", names)
    return f"an equation of the text ties their letters: {tied[0][:200]}" if tied else ""


ALGEBRA = ProgramJudge(
    name="algebra",
    version=3,
    predicates=("equivalent",),
    decide=decide,
    title="Equivalence by computer algebra",
    seconds=20.0,
)
