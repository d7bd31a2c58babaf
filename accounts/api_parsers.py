"""Bodies of REST requests."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class BoundedJSONParser(JSONParser):
    """JSON; a body that nests beyond Python's stack is bad input, and every text in it can be stored."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return _whole_characters(super().parse(stream, media_type, parser_context))
        except RecursionError as error:
            raise ParseError("JSON parse error - it nests too deeply") from error


def _whole_characters(value: Any) -> Any:
    """The value with U+FFFD for each half of a surrogate pair that has lost its other half.

    A text field of a browser may hold one, for instance after half an emoji was deleted, and no database can store it;
    a refusal would keep the whole text from being saved.
    """
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, list):
        return [_whole_characters(inner) for inner in value]
    if isinstance(value, dict):
        return {_whole_characters(name): _whole_characters(inner) for name, inner in value.items()}
    return value
