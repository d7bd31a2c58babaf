"""The numbers of the recipe for lemmas."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """Values of the paper, but where a comment says that they are ours."""

    kinds: frozenset[str] = frozenset(("lemma",))
    context: Literal["full", "lexical"] = (
        "full"  # what a model is shown; the paper compares "full" with vectors
    )
    recalled_within: int = 60  # characters of the statement in which a citation means it is recalled; ours
    max_depth: int = 1  # of a lemma within other statements; ours
    max_context: int = 400_000  # characters; the paper gives whatever the model reads; ours
    min_paragraphs: int = 3
    max_paragraphs: int = 12
    k1: float = 1.2  # of BM25, which is ours: the paper ranks by vectors
    b: float = 0.75
