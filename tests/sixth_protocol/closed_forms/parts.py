"""What graders and judges are shown."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.closed_forms.schema import Sum


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """The sum, and its closed form folded away."""
    given = Sum.model_validate(payload)
    return [Part("Sum", f"\\[{given.sum}\\]"), Part("Closed form", f"\\[{given.closed}\\]", collapsed=True)]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The answer."""
    return [Part("Answer", text, text_format)]


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`."""
    if predicate != "equal":
        raise KeyError(f"closed_forms has no predicate {predicate!r}")
    return {**Sum.model_validate(instance).model_dump(), "answer": text}
