"""Errors of imported files, with their location."""

from collections.abc import Iterator

from pydantic import ValidationError


class RecordError(ValueError):
    """A record that does not fit its schema. `line` is 1-based (0: the file as a whole)."""

    def __init__(self, reason: str, *, line: int = 0, field: str = "") -> None:
        self.reason = reason
        self.line = line
        self.field = field
        super().__init__(reason)

    def __str__(self) -> str:
        place = [f"line {self.line}" if self.line else "", f"field {self.field}" if self.field else ""]
        where = ", ".join(part for part in place if part)
        return f"{where}: {self.reason}" if where else self.reason


_WORDS = {
    "missing": "this field is missing",
    "extra_forbidden": "this format has no such field",
    "string_too_short": "must not be empty",
}
# One line: a key is used in URLs, table cells and file names of exports. Pydantic's regex has no lookahead.
ONE_LINE = r"^[^\x00-\x1f\x7f\x85\u2028\u2029]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029]*$"
_PATTERNS = {ONE_LINE: "must be one line, and not blank", r"\S": "must not be blank"}


def record_errors(error: ValidationError, line: int) -> Iterator[RecordError]:
    """What pydantic found wrong with one record, a RecordError for each field."""
    for fault in error.errors(include_url=False):
        field = ".".join(str(part) for part in fault["loc"])
        said = _WORDS.get(fault["type"]) or _PATTERNS.get(str(fault.get("ctx", {}).get("pattern")))
        reason = said or fault["msg"].removeprefix("Value error, ")
        if field == "attempt" and fault["type"] == "greater_than_equal":
            reason = "attempts count from 1: where a file counts from 0, add 1 to all of them"
        elif field == "attempt" and fault["type"].startswith("int_"):
            reason = "an attempt is a whole number, such as 2 (run2, sample_02 in a table)"
        yield RecordError(reason[0].lower() + reason[1:], line=line, field=field)
