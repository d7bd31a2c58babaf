"""Models of meaning: which recipes have one, and the vector of a query. There is never a silent fallback."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from accounts.refusal import Refused
from retrieval import local, words
from retrieval.index import Entry
from retrieval.index import Index as OpenIndex
from retrieval.recipes import FORMULA, NAMED, WORDS, Recipe
from retrieval.vectors import quantised

_OF_WORDS = {"words", "formula"}


def recipe_named(name: str) -> Recipe:
    """The recipe, with the model on this machine if it ranks by meaning. Raises Refused."""
    if name not in NAMED:
        known = ", ".join(NAMED)
        raise Refused(f"There is no recipe {name!r}. Recipes: {known}.", code="no_recipe", field="recipe")
    if name in _OF_WORDS:
        return NAMED[name]
    model()
    return replace(NAMED[name], model=local.MODEL)


@lru_cache(maxsize=1)
def model() -> local.MiniLM:
    """The model on this machine, read once. Raises Refused where it is not installed."""
    try:
        return local.opened()
    except local.NotInstalled as error:
        reason = f"This recipe ranks by meaning, and its model is missing. {error}. Or use the recipe words."
        raise Refused(reason, code="no_model", field="recipe") from error


def query_vector(engine: OpenIndex, text: str, mode: str) -> bytes | None:
    """The vector of a query in the index's model; None if the index, or the mode, does not need one."""
    known = engine.manifest.recipe.model
    if known is None or mode in (WORDS, FORMULA):
        return None
    asked = model()
    if asked.model.digest != known.digest:
        raise Refused(
            f"This index was built with the model {known.name}, which is not on this machine.",
            code="no_model",
        )
    return quantised(asked([words.plain(known.query_instruction + text)]), known.dimensions).tobytes()


def vectors_of(entries: Iterable[Entry], before: OpenIndex | None) -> dict[str, bytes]:
    """The vector of each statement by key. Statements never change, so an index before this one has those of its own;
    the others are computed."""
    embed, found = model(), {}
    known = set(before.keys) if before is not None else set()
    for entry in entries:
        if before is not None and entry.key in known:
            found[entry.key] = before.vector_of(entry.key)
        else:
            texts = [entry.text_for_meaning()]
            found[entry.key] = quantised(embed(texts), embed.model.dimensions).tobytes()
    return found
