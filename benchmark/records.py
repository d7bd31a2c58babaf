"""Errors of imported files, with the place where they stand."""


class RecordError(ValueError):
    """A record that does not fit its schema. `line` is 1-based (0: the file as a whole)."""

    def __init__(self, reason: str, *, line: int = 0, field: str = "") -> None:
        self.reason = reason
        self.line = line
        self.field = field
        super().__init__(f"line {line}, field {field}: {reason}")
