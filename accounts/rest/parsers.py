"""Bodies of REST requests."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from llm.strict_json import NotJson, changed_strings, loads


class BoundedJSONParser(JSONParser):
    """Strict JSON; a body that nests beyond Python's stack is bad input, and every text and number can be stored."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return changed_strings(loads(stream.read()), _whole_characters)
        except NotJson as error:
            raise ParseError(f"JSON parse error - {error}") from error


def _whole_characters(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair that has lost its other half.

    A text field of a browser may hold one, for instance after half an emoji was deleted, and no database can store it;
    a refusal would keep the whole text from being saved.
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
