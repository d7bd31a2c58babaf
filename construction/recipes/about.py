"""Words about a recipe's numbers, kept where these are declared: pages, REST and documents show the same."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class About(NamedTuple):
    """What a number is, in words; what the paper has, "" where it says nothing; and why ours is another."""

    what: str
    paper: str = ""
    why: str = ""


@dataclass(frozen=True)
class DescribedNumber:
    """A number of a recipe as people read it. `ours` is its default and `value` its value, both plain JSON."""

    name: str
    what: str
    ours: Any
    value: Any
    paper: str
    why: str

    @property
    def differs(self) -> bool:
        """Whether this recipe has another value than ours."""
        return bool(self.value != self.ours)

    @property
    def ours_in_words(self) -> str:
        return in_words(self.ours)

    @property
    def value_in_words(self) -> str:
        return in_words(self.value)


def numbers_of(recipe: "DataclassInstance") -> dict[str, object]:
    """Every number of a recipe in JSON, the same for equal recipes."""
    sets = {item.name for item in fields(recipe) if isinstance(getattr(recipe, item.name), frozenset)}
    numbers = TypeAdapter(type(recipe)).dump_python(recipe, mode="json")
    return {name: sorted(value) if name in sets else value for name, value in numbers.items()}


def described(
    kind: "type[DataclassInstance]", values: Mapping[str, Any] | None = None
) -> list[DescribedNumber]:
    """The numbers of a recipe of that class in their order, with these values, which are plain JSON."""
    ours, hints = numbers_of(kind()), get_type_hints(kind, include_extras=True)
    found = []
    for field in fields(kind):
        about = next(one for one in get_args(hints[field.name]) if isinstance(one, About))
        value = ours[field.name] if values is None else values.get(field.name)
        found.append(DescribedNumber(field.name, about.what, ours[field.name], value, about.paper, about.why))
    return found


def in_words(value: Any) -> str:
    """A value as a table shows it: lists with commas, scores of rules as `rule 2`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        parts = (f"{one[0]} {one[1]:g}" if isinstance(one, list) else str(one) for one in value)
        return ", ".join(parts) or "none"
    return str(value)
