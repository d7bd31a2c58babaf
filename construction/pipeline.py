"""What a pipeline is: a function of a paper, a recipe and the replies so far.

It says for everything found in the paper how far it came: a question to a model, a refusal, or lines of a release.
Nothing else is kept between two calls, so that replies that are stored give the same release again.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from benchmark.importing.keys import PaperFields
from construction.recipes.passages import Drop, Made, not_set
from latex import Outline, Span
from llm.strict_json import first_objection
from llm.structured import StructuredPrompt, structured_prompt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PROMPTS = Path(__file__).with_name("prompts")
_RECIPES = Path(__file__).with_name("recipes")
Shape = TypeVar("Shape", bound=BaseModel)
Numbers = TypeVar("Numbers", bound="DataclassInstance")


@dataclass(frozen=True)
class Paper:
    """A source with what is known of it. `ordinal` is its place among the build's papers, from 0."""

    fields: PaperFields
    domain: str
    outline: Outline
    ordinal: int = 0
    category: str = ""


@dataclass(frozen=True)
class Question:
    """What a model is asked next about something."""

    stage: str
    prompt: StructuredPrompt[Any]
    fields: Mapping[str, str]


@dataclass(frozen=True)
class State:
    """How far something came. `key` names it within its paper; `stage` is where it waits, was refused, or ended."""

    key: str
    spans: tuple[Span, ...]
    stage: str
    outcome: Question | Drop | tuple[Made[Any], ...]


class Answers:
    """The replies to the questions about one thing, by stage."""

    def __init__(self, replies: Mapping[tuple[str, str], str], key: str) -> None:
        self._replies = replies
        self._key = key

    def to(self, stage: str, prompt: StructuredPrompt[Any], fields: Mapping[str, str]) -> str | Question:
        """The reply, or the question if nothing was answered yet."""
        reply = self._replies.get((self._key, stage))
        return Question(stage, prompt, fields) if reply is None else reply


class Pipeline(Protocol):
    """A recipe's steps. `stages` are in the order in which things come to them, with their titles; `numbers` is the
    class of its numbers, and `most_papers` how many a build may have, None if there is no bound. `common` are strings
    that all lines made of one thing share."""

    stages: Mapping[str, str]
    prompts: Sequence[StructuredPrompt[Any]]
    numbers: type[Any]
    most_papers: int | None = None
    common: Sequence[str] = ()

    def recipe(self, document: Mapping[str, object]) -> Any:
        """The recipe with these numbers. Raises ValueError naming the one that is wrong."""
        return read_recipe(self.numbers, document)

    def construct(
        self, paper: Paper, recipe: Any, replies: Mapping[tuple[str, str], str], seed: int
    ) -> Iterator[State]:
        """How far everything in the paper came; `replies` are by key and stage."""

    def select(self, lines: Sequence[Mapping[str, Any]], recipe: Any) -> "Selected":
        """The lines of all papers that make the release, in order: all of them, unless they compete."""
        return Selected(range(len(lines)))

    def expects(self, text: str, recipe: Any) -> "Expected":
        """What will be asked about a paper with this text, by what can be counted in it without reading it."""

    def objection(self, line: Mapping[str, Any], path: str, text: str, recipe: Any) -> Drop | None:
        """Why this text cannot be the string at `path` of a line, which has it there already."""
        return not_set(text)

    def disagreement(self, lines: Sequence[Mapping[str, Any]]) -> Drop | None:
        """Why these lines, which were made of one thing, cannot be released together."""
        return None

    def leak(self, line: Mapping[str, Any], path: str, text: str, recipe: Any) -> Drop | None:
        """What this text at `path` gives away that graders or systems must not be told."""
        return None


@dataclass(frozen=True)
class Range:
    """Between these two."""

    low: int
    high: int

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True)
class Expected:
    """Questions about a paper, and the characters that they send without the words of the prompts."""

    questions: Range
    characters: Range


@dataclass(frozen=True)
class Quota:
    """What a domain is to give, how many of its lines pass the filters, and how many of these it can give."""

    domain: str
    wanted: int
    passed: int
    given: int

    @property
    def missing(self) -> int:
        return max(0, self.wanted - self.given)


@dataclass(frozen=True)
class Selected:
    """Lines of a release by their places among all lines; for each of the others why it is not among them.

    `shortages` say why there can be no release. Where lines compete, `points` are those of each rule, and `ranks`
    count from 1 within a domain; both by place.
    """

    places: Sequence[int]
    reasons: Mapping[int, Drop] = field(default_factory=dict)
    shortages: Sequence[Drop] = ()
    points: Mapping[int, Sequence[tuple[str, float]]] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    quotas: Sequence[Quota] = ()


def read_recipe(kind: type[Numbers], document: Mapping[str, object]) -> Numbers:
    """The recipe with these numbers, the others as they are. Raises ValueError naming the one that is wrong."""
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(document) - known):
        raise ValueError(f"{unknown[0]}: the recipe has no such number; it has {', '.join(sorted(known))}")
    try:
        recipe = TypeAdapter(kind).validate_python(dict(document))
    except ValidationError as error:
        raise ValueError(first_objection(error)) from error
    for name, given in document.items():
        taken = getattr(recipe, name)
        if isinstance(given, bool) and not isinstance(taken, bool):
            raise ValueError(f"{name}: a number is asked for, not {str(given).lower()}")
        if isinstance(taken, int | float) and not 0 <= taken <= sys.float_info.max:
            raise ValueError(f"{name}: give 0 or a larger number, not {given}")
    return recipe


def prompt(name: str, reply: type[Shape]) -> StructuredPrompt[Shape]:
    """The prompt of that label."""
    return structured_prompt(PROMPTS / f"{name}.md", reply)


def pipeline_names() -> list[str]:
    """The protocols whose releases can be built, sorted."""
    return sorted(path.parent.name for path in _RECIPES.glob("*/pipeline.py"))


@cache
def get_pipeline(name: str) -> Pipeline:
    """The pipeline for a protocol; raises KeyError naming those that exist."""
    if name not in pipeline_names():
        raise KeyError(f"no recipe for {name!r}; there are {', '.join(pipeline_names())}")
    found: Pipeline = import_module(f"construction.recipes.{name}.pipeline").PIPELINE
    return found
