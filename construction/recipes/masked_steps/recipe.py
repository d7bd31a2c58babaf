"""The numbers of the recipe for masked steps."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from construction.recipes.about import About

MOST_MASKS = 100  # that a reply may choose in one proof
_SHORT = "The paper leaves out very short and definitional blocks without a number."


@dataclass(frozen=True)
class Recipe:
    """Which proofs are taken, and what is added so that a reader understands them. The paper has almost no numbers."""

    min_characters: Annotated[
        int, About("Characters of a proof, white space collapsed, at least", "very short blocks go", _SHORT)
    ] = 400
    min_displays: Annotated[
        int, About("Displayed formulas of a proof, at least", "definitional blocks go", _SHORT)
    ] = 2
    max_depth: Annotated[
        int, About("Depth of a proof within other proofs, at most", why="What is deeper is not mathematics.")
    ] = 3
    max_citations: Annotated[
        int,
        About(
            "Different keys cited in a proof, at most",
            "proofs that external results dominate go",
            "None at all is the only rule that needs no judgement.",
        ),
    ] = 0
    closure_depth: Annotated[
        int,
        About(
            "How far references are followed from statement to statement",
            why="The paper adds what a proof depends on and gives no limit.",
        ),
    ] = 3
    closure_targets: Annotated[
        int, About("Statements and formulas added for a reader, at most", why="A problem is to be read.")
    ] = 20
    closure_characters: Annotated[
        int, About("Characters added for a reader, at most", why="A problem is to be read.")
    ] = 12_000
    max_masks: Annotated[int, Field(le=MOST_MASKS), About("Masks of a proof, at most", "3")] = 3
    kinds: Annotated[
        frozenset[str],
        About(
            "Kinds of statements whose proofs are taken",
            "theorem-proof blocks",
            "Every kind that authors prove; the paper does not list them.",
        ),
    ] = frozenset(
        ("theorem", "lemma", "proposition", "corollary", "claim", "fact", "sublemma", "subclaim", "criterion",
         "observation", "property", "conjecture", "scholium")
    )  # fmt: skip
