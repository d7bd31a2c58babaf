"""Recipes: how an index ranks. A recipe is part of the index's manifest, so its digest names it as well."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

HYBRID, WORDS, MEANING, FORMULA = "hybrid", "words", "meaning", "formula"
MODES = (HYBRID, WORDS, MEANING, FORMULA)
PAPER = "paper-002"
SHORT = 5  # words; shorter queries are doubled in arXiv 2602.05216 (the text names no number, its code does)


class BadRecipe(ValueError):
    """A recipe with an unknown or missing field, or with a value that no index can have."""


@dataclass(frozen=True)
class Model:
    """The model that an index's vectors are from: `digest` is the SHA-256 of its weights, or for a model behind
    an endpoint that of its id and revision.

    The instructions come before the text of a query and of a statement; `max_tokens` cuts both.
    """

    name: str
    digest: str
    dimensions: int
    query_instruction: str = ""
    statement_instruction: str = ""
    max_tokens: int = 256


@dataclass(frozen=True)
class Recipe:
    """How statements are ranked: BM25 with its fields, the pools, the fusion of ranks, and the model if any.

    `mode` is what an evaluation of the recipe searches with. Below `exact_below` statements every vector is compared;
    from there on the `bits_pool` nearest by sign bits are, with all ties. `pool_per_k`, where it is not 0, makes that
    pool clamp(max(pool, pool_per_k * k), pool, bits_pool), as the paper does.
    """

    name: str
    mode: str = HYBRID
    k1: float = 1.2
    b: float = 0.75
    body_weight: int = 1
    context_weight: int = 1
    label_weight: int = 2
    slogan_weight: int = 1
    fusion_k0: int = 10
    pool: int = 200
    bits_pool: int = 4_096
    pool_per_k: int = 0
    exact_below: int = 200_000
    model: Model | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BadRecipe(f"mode is {self.mode!r}, not one of {', '.join(MODES)}")
        if not (0 <= self.k1 <= 10 and 0 <= self.b <= 1):
            raise BadRecipe(f"k1 must be from 0 to 10 and b from 0 to 1, not {self.k1} and {self.b}")
        if min(self.fusion_k0, self.pool, self.bits_pool) < 1:
            raise BadRecipe("fusion_k0, pool and bits_pool must be 1 or more")

    def query_text(self, text: str) -> str:
        """What a model of meaning reads of a query. The paper's recipe says a short query twice, as its authors do."""
        return f"{text} {text}" if self.name == PAPER and len(text.split()) < SHORT else text

    def as_json(self) -> dict[str, object]:
        """The recipe as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Recipe":
        """The inverse of `as_json`. Raises BadRecipe for a field that is unknown, missing or of a wrong type."""
        given = dict(value)
        model = given.pop("model", None)
        known = {field.name: field for field in fields(cls)}
        if unknown := given.keys() - known.keys():
            raise BadRecipe(f"unknown fields: {', '.join(sorted(unknown))}")
        if not isinstance(given.get("name"), str):
            raise BadRecipe("a recipe needs a name")
        for name, of in given.items():
            wanted: Any = known[name].type
            if not isinstance(of, int | float if wanted is float else wanted) or isinstance(of, bool):
                raise BadRecipe(f"{name} is {of!r}")
        try:
            return cls(model=None if model is None else Model(**model), **given)
        except TypeError as error:
            raise BadRecipe(f"model: {error}") from None


NAMED = {
    "words": Recipe("words", mode=WORDS),
    "hybrid": Recipe("hybrid"),
    "meaning-exact": Recipe("meaning-exact", mode=MEANING, exact_below=2**31),
    "formula": Recipe("formula", mode=FORMULA),
    # Sign bits, then cosine, in the pool of arXiv 2602.05216, section 3.4.
    PAPER: Recipe(PAPER, mode=MEANING, bits_pool=800, pool_per_k=12, exact_below=0),
}
