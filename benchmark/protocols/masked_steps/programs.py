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
    # Formulas that differ in their letters may agree in this proof.
    doubt = ""
    if found.value == "no" and not speaks_of_numbers(words):
        doubt = "the text does not speak of numbers alone"
    elif found.value == "no":
        try:
            names = letters(read(mask.mask_content)) | letters(read(text))
        except NotUnderstood:
            tied = ["the formulas"]
        else:
            tied = ties(f"{mask.problem}\n{mask.mask_text}", names)
        doubt = f"an equation of the text ties their letters: {tied[0][:200]}" if tied else ""
    if doubt:
        return ProgramReply("uncertain", f"different as formulas, but {doubt}", evidence=evidence)
    return ProgramReply(found.value, found.reason, evidence=evidence)


ALGEBRA = ProgramJudge(
    name="algebra",
    version=3,
    predicates=("equivalent",),
    decide=decide,
    title="Equivalence by computer algebra",
    seconds=20.0,
)
