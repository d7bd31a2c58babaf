"""The numbers of the recipe for masked steps."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """The paper has no numbers for its filters, so that all are ours; it says that very short and definitional blocks
    were left out, and proofs that external results dominate."""

    min_characters: int = 400  # of the proof, white space collapsed
    min_displays: int = 2
    max_depth: int = 3  # of a proof within others; more is no mathematics
    max_citations: int = 0  # different keys in the proof
    closure_depth: int = 3  # references followed from statement to statement
    closure_targets: int = 20
    closure_characters: int = 12_000
    max_masks: int = 3  # of a proof; as in the paper
    kinds: frozenset[str] = frozenset(
        ("theorem", "lemma", "proposition", "corollary", "claim", "fact", "sublemma", "subclaim", "criterion",
         "observation", "property", "conjecture", "scholium")
    )  # fmt: skip
