"""A refusal that carries its reason: what an action raises when the state does not allow the verb."""


class Refused(Exception):
    """The request was understood and is not allowed or not possible; nothing has been written.

    `reason` is a sentence for people. `code` is a stable word for programs. `line` and `field` say where in
    an imported file the fault lies, when there is one.
    """

    def __init__(
        self, reason: str, *, code: str = "refused", line: int | None = None, field: str = ""
    ) -> None:
        self.reason = reason
        self.code = code
        self.line = line
        self.field = field
        super().__init__(str(self))

    def further(self) -> dict[str, object]:
        """What else a program needs to go on: further fields of the refusal in REST."""
        return {}

    def __str__(self) -> str:
        place = [
            f"line {self.line}" if self.line is not None else "",
            f"field {self.field}" if self.field else "",
        ]
        where = ", ".join(part for part in place if part)
        return f"{where}: {self.reason}" if where else self.reason


class NotAllowed(Refused):
    """The person lacks the role or is not party to the thing."""

    def __init__(self, reason: str, *, code: str = "not_allowed", field: str = "") -> None:
        super().__init__(reason, code=code, field=field)
