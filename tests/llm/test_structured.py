"""What is asked of endpoints with structured output: the reply of every prompt, as strict output takes it."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from construction.recipes.lemmas import pipeline as lemmas
from construction.recipes.masked_steps import pipeline as masks
from construction.recipes.re2math import pipeline as gaps
from llm.structured import StructuredPrompt, strict_schema
from solvers.recipe import get_recipe, recipe_names

# What the documentation of strict output has for shapes; everything else is refused, or known to some providers only.
KNOWN = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items", "properties", "required",
    "type",
}  # fmt: skip


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=10)]
    size: int = 0


class Whole(BaseModel):
    """A whole."""

    model_config = ConfigDict(extra="forbid")

    first: Part = Part(name="a")
    others: list[Part] = []
    title: str | None = None


def objections(schema: Any, place: str = "reply") -> Iterator[str]:
    """What a provider of strict output objects to."""
    if unknown := set(schema) - KNOWN:
        yield f"{place}: {', '.join(sorted(unknown))}"
    if "$ref" in schema and len(schema) > 1:
        yield f"{place}: words next to a reference"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{place}: open"
        if schema.get("required") != list(schema["properties"]):
            yield f"{place}: an optional key"
    for name, one in {**schema.get("$defs", {}), **schema.get("properties", {})}.items():
        yield from objections(one, f"{place}.{name}")
    for one in [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]:
        yield from objections(one, f"{place}[]")


def test_the_schema_that_is_sent_has_the_shape_alone_with_every_key_required() -> None:
    part = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
        "required": ["name", "size"],
        "additionalProperties": False,
    }
    assert strict_schema(Whole.model_json_schema()) == {
        "description": "A whole.",
        "type": "object",
        "$defs": {"Part": part},
        "properties": {
            "first": {"$ref": "#/$defs/Part"},
            "others": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
            "title": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["first", "others", "title"],
        "additionalProperties": False,
    }


def test_objections_are_found_in_the_schema_as_pydantic_has_it() -> None:
    found = list(objections(Whole.model_json_schema()))
    assert "reply: an optional key" in found
    assert "reply.first: words next to a reference" in found
    assert "reply.Part.name: maxLength, title" in found


def test_no_provider_objects_to_what_recipes_and_builds_ask_for() -> None:
    solving = [prompt for name in recipe_names() for prompt in get_recipe(name).prompts.values()]
    modules = [vars(module).values() for module in (gaps, lemmas, masks)]
    building = [one for values in modules for one in values if isinstance(one, StructuredPrompt)]
    assert (len(solving) > 20, len(building)) == (True, 9)
    for prompt in [*solving, *building]:
        sent = prompt.response_format["json_schema"]
        assert sent["strict"]
        assert not list(objections(sent["schema"], prompt.label))


def test_the_words_say_how_latex_is_written_in_json() -> None:
    prompt = get_recipe("single").prompts["draft.v1"]
    assert "a backslash of LaTeX is written twice" in prompt.render({"problem": "Show it."}, "0" * 32).system
