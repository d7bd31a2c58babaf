"""Bodies of REST requests."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from llm.strict_json import NotJson, loads, storable


class BoundedJSONParser(JSONParser):
    """Strict JSON; a body that nests beyond Python's stack is bad input, and every text and number can be stored.

    Half a surrogate pair, left by a browser's text field where half an emoji was deleted, and NUL become U+FFFD, as in
    forms; a refusal would keep the whole text from being saved.
    """

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return storable(loads(stream.read()))
        except NotJson as error:
            raise ParseError(f"JSON parse error - {error}") from error
