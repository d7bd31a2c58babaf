"""The numbers of the recipe for lemmas."""

from dataclasses import dataclass
from typing import Annotated, Literal

from construction.recipes.about import About


@dataclass(frozen=True)
class Recipe:
    """What is taken for a lemma, and what a model is shown of the text before it."""

    kinds: Annotated[frozenset[str], About("Kinds of statements that are taken", "lemma")] = frozenset(
        ("lemma",)
    )
    context: Annotated[
        Literal["full", "lexical"],
        About(
            "What a model is shown before a lemma: the full text, or the paragraphs that its objects rank first",
            "full, compared with retrieval by vectors",
            "Without an embeddings endpoint paragraphs are ranked by their words, and the name says so.",
        ),
    ] = "full"
    recalled_within: Annotated[
        int,
        About(
            "Characters of a statement in which a citation means that it is recalled",
            "a lemma that carries a citation is recalled",
            "A citation later in the statement is usually one of a notion.",
        ),
    ] = 60
    max_depth: Annotated[
        int,
        About("Depth of a lemma within other statements", why="A lemma inside a lemma is part of its text."),
    ] = 1
    max_context: Annotated[
        int,
        About(
            "Characters before a lemma that a model is shown, at most",
            "as much as the model reads",
            "A limit keeps the cost of one question known before it is asked.",
        ),
    ] = 400_000
    min_paragraphs: Annotated[int, About("Paragraphs for an object, at least", "3")] = 3
    max_paragraphs: Annotated[int, About("Paragraphs for an object, at most", "12")] = 12
    k1: Annotated[
        float,
        About(
            "How soon repeated words stop counting (k1 of BM25)",
            "cosine above .75 between embeddings",
            "The paper ranks by vectors; here the usual value of BM25.",
        ),
    ] = 1.2
    b: Annotated[
        float,
        About(
            "How much the length of a paragraph counts (b of BM25)",
            "cosine above .75 between embeddings",
            "The paper ranks by vectors; here the usual value of BM25.",
        ),
    ] = 0.75
