"""What is searched for, as values: words, a formula, how to rank, and filters. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from retrieval.filters import Filters
from retrieval.recipes import HYBRID

MAX_QUERY = 1_000  # characters of words
MAX_FORMULA = 20_000
MAX_K = 50
DEFAULT_K = 10
# Soft hyphens and the like, which come with what is copied from a page or a PDF, would part the words around them.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
FILTERS = {name.name: name for name in fields(Filters)}


@dataclass(frozen=True)
class Asked:
    """One search. `text` may have formulas between dollars; `formula` is LaTeX without them."""

    text: str = ""
    formula: str = ""
    mode: str = HYBRID
    k: int = DEFAULT_K
    filters: Filters = field(default_factory=Filters)

    @property
    def filters_given(self) -> dict[str, object]:
        """The filters that restrict something, as plain values."""
        default = Filters()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in FILTERS
            if (value := getattr(self.filters, name)) != getattr(default, name)
        }

    @property
    def legible(self) -> "Asked":
        """The same search without the characters that nobody sees."""
        return replace(self, text=self.text.translate(_UNSEEN), formula=self.formula.translate(_UNSEEN))

    def without(self, name: str) -> "Asked":
        """The same search without one of its filters."""
        return replace(self, filters=replace(self.filters, **{name: getattr(Filters(), name)}))


def filters_from(said: Mapping[str, Any]) -> Filters:
    """The filters among the fields of a request; a text is one value, and empty ones restrict nothing."""
    given: dict[str, Any] = {}
    for name in FILTERS:
        value = said.get(name)
        if value in (None, "", [], ()):
            continue
        if isinstance(getattr(Filters(), name), tuple):
            value = (value,) if isinstance(value, str) else tuple(value)
        given[name] = value
    if "kinds" in given:
        given["kinds"] = tuple(kind.lower() for kind in given["kinds"])
    return Filters(**given)
