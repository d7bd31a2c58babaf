"""Lines of batch files in the format that OpenAI introduced and others copy: requests, and results.

The order of results is arbitrary; `custom_id` says which question a line is about.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from accounts.refusal import Refused
from canonical import canonical_json
from llm.strict_json import NotJson, first_objection, loads, storable

ADDRESS = "/v1/chat/completions"
MAX_LINE_BYTES = 16 * 1024 * 1024  # above the reply that an endpoint may give, and its escapes
_CALLS = UUID("4a1f2c2e-6d0b-5b07-9a3e-0c1f7b9d52a1")  # tokens of calls are named below it
_NAME = re.compile(r"(?P<run>[0-9]{1,18})-(?P<step>[0-9]{1,18})-(?P<owner>[0-9a-f]{32})")
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Name:
    """What a custom_id says: run and step by number, and the export by the token that holds the step."""

    run: int
    step: int
    owner: str

    def __str__(self) -> str:
        return f"{self.run}-{self.step}-{self.owner}"

    @property
    def token(self) -> UUID:
        """Of the call: the result of one exported question is stored once."""
        return uuid5(_CALLS, str(self))


class _Response(BaseModel):
    model_config = ConfigDict(strict=True)

    status_code: int = Field(ge=100, le=599)
    body: Any = None


class _Result(BaseModel):
    model_config = ConfigDict(strict=True)

    custom_id: str = Field(min_length=1, max_length=200)
    response: _Response | None = None
    error: dict[str, object] | None = None


@dataclass(frozen=True)
class Result:
    """A line of a result file: the status and the body of the response, or the provider's error."""

    line: int
    custom_id: str
    status: int
    body: Any
    error: Mapping[str, Any] | None


def name_in(custom_id: str) -> Name | None:
    """What a custom_id says; None if it was not made here."""
    found = _NAME.fullmatch(custom_id)
    return Name(int(found["run"]), int(found["step"]), found["owner"]) if found else None


def request_line(name: Name, body: Mapping[str, Any]) -> bytes:
    """A request as a line, with its line feed."""
    return (
        canonical_json({"custom_id": str(name), "method": "POST", "url": ADDRESS, "body": dict(body)}) + b"\n"
    )


def results_in(path: Path) -> Iterator[Result]:
    """The results in a file, in its order; raises Refused with line and field for anything else. Blank lines do not
    count. Memory is bounded by one line."""
    try:
        file = path.open("rb")
    except OSError as error:
        reason = f"{path.name} cannot be read: {error.strerror}."
        raise Refused(reason, code="no_file", field="file") from error
    with file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                reason = f"The line is longer than {MAX_LINE_BYTES >> 20} MB."
                raise Refused(reason, code="too_long", line=number)
            if not raw.strip():
                continue
            try:
                document = storable(loads(raw))
            except NotJson as error:
                raise Refused(f"The line is not JSON: {error}.", code="not_json", line=number) from error
            if not isinstance(document, dict):
                raise Refused("A JSON object was expected.", code="not_json", line=number)
            if "response" not in document and "error" not in document and "body" in document:
                reason = (
                    "This is a request. The results are in the file that the provider names as its output."
                )
                raise Refused(reason, code="a_request", line=number, field="body")
            try:
                read = _Result.model_validate(document)
            except ValidationError as error:
                place = ".".join(map(str, error.errors()[0]["loc"]))
                reason = f"The line is not a result: {first_objection(error, whole='line')}."
                raise Refused(reason, code="bad_result", line=number, field=place) from error
            if read.error is None and read.response is None:
                reason = "The result has neither response nor error."
                raise Refused(reason, code="bad_result", line=number, field="response")
            response = read.response or _Response(status_code=599)
            usage = response.body.get("usage") if isinstance(response.body, dict) else None
            for name in ("prompt_tokens", "completion_tokens"):
                count = usage.get(name) if isinstance(usage, dict) else None
                if isinstance(count, int) and count > _LARGEST:  # no column holds it
                    place, reason = f"response.body.usage.{name}", "No request uses so many tokens."
                    raise Refused(reason, code="bad_usage", line=number, field=place)
            yield Result(number, read.custom_id, response.status_code, response.body, read.error)
