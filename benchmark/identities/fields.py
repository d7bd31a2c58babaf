"""The texts of an output that blinded people are shown, each under the name of its field."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmark.protocol import Protocol

TEXT = "text"


def shown_fields(
    protocol: Protocol, payload: Mapping[str, Any], text: str, text_format: str
) -> dict[str, str]:
    """Field to text: "text" for the output's text, "payload/a/0/b" for a string inside the payload.

    Only strings that the protocol's output parts really show; what graders never see, such as the titles of everything
    that was retrieved, reveals nothing to them.
    """
    shown = "\0".join(part.text for part in protocol.output_parts(payload, text, text_format))
    fields = {TEXT: text} if text else {}
    return fields | {name: value for name, value in _strings("payload", payload) if value and value in shown}


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
