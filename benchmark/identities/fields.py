"""The texts of an output that blinded people are shown, each under the name of its field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.protocol import Part, Protocol

TEXT = "text"


@dataclass(frozen=True)
class Field:
    """A text in the format in which people are shown it."""

    text: str
    format: str


def shown_fields(
    protocol: Protocol, payload: Mapping[str, Any], text: str, text_format: str
) -> dict[str, Field]:
    """Field by name: "text" for the output's text, "payload/a/0/b" for a string inside the payload.

    Only strings that the protocol's output parts really show; what graders never see, such as the titles of everything
    that was retrieved, reveals nothing to them. A string that several parts show has the format that hides most.
    """
    parts = protocol.output_parts(payload, text, text_format)
    fields = {TEXT: Field(text, _format(text, parts) or text_format)} if text else {}
    for name, value in _strings("payload", payload):
        if value and (found := _format(value, parts)):
            fields[name] = Field(value, found)
    return fields


def _format(value: str, parts: Sequence[Part]) -> str | None:
    """The format in which the parts show this text; none if they do not show it."""
    formats = {part.text_format for part in parts if value in part.text}
    return next((name for name in ("latex", "markdown", "plain") if name in formats), None)


def _strings(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(f"{name}/{key}", inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _strings(f"{name}/{place}", inner)


def with_fields(
    payload: Mapping[str, Any], text: str, replaced: Mapping[str, str]
) -> tuple[dict[str, Any], str]:
    """Payload and text with the fields of `replaced` put in; everything else is untouched."""
    changed = _replace("payload", payload, replaced)
    assert isinstance(changed, dict)
    return changed, replaced.get(TEXT, text)


def _replace(name: str, value: Any, replaced: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return replaced.get(name, value)
    if isinstance(value, Mapping):
        return {key: _replace(f"{name}/{key}", inner, replaced) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replace(f"{name}/{place}", inner, replaced) for place, inner in enumerate(value)]
    return value
