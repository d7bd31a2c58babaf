"""What the formats share: reading JSON that is not ours, and the row that an output becomes.

A row has the columns `instance_id` (the problem by the tool's own name), `system`, `attempt`, `state` and `text`, and
`budget.tokens` where the tool says how many were used, in the shape in which a protocol keeps them. If a
text is a JSON object, as where a system is to fill in fields, its fields are columns as well; but a system
does not say which problem or attempt its answer is for, what it used or how it is written.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from benchmark.importing.jsonl import MAX_DEPTH
from benchmark.importing.records import RecordError

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
Row = tuple[int, dict[str, Any]]
MOST_TOKENS = 10**12
_PARTS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
State = Literal["answered", "abstained", "failed"]
_NOT_OF_THE_REPLY = {  # all names under which columns are looked for
    *("index", "budget", "format", "textformat", "markup", "syntax", "infiles", "missing"),
    *("attempt", "attemptno", "sample", "try", "run", "seed", "trial", "repetition"),
}
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


def output_row(
    problem: str,
    *,
    text: str = "",
    state: State = "answered",
    system: str = "",
    attempt: int | None = None,
    tokens: int | None = None,
) -> dict[str, Any]:
    """The columns of one output; without `attempt` its number is left to the name of the problem."""
    row: dict[str, Any] = {"instance_id": problem, "system": system, "state": state}
    if attempt is not None:
        row["attempt"] = attempt
    if tokens is not None:
        row["budget"] = {"tokens": tokens}
    if state != "answered":
        return {**row, "text": ""}
    own = {
        name: value
        for name, value in fields_in(text).items()
        if re.sub(r"[\W_]+", "", name.partition(".")[0].casefold()) not in _NOT_OF_THE_REPLY
    }
    return {**own, **row, "text": text}


def tokens_in(*usages: Any, line: int, field: str) -> int | None:
    """The tokens of usages as providers tell them, in and out together; None if none says any.

    Raises RecordError where a number is not a whole one from 0.
    """
    told: list[Any] = []
    for usage in usages:
        if isinstance(usage, dict):
            parts = [usage.get(name) for name in _PARTS if usage.get(name) is not None]
            told += parts if usage.get("total_tokens") is None else [usage["total_tokens"]]
    if any(isinstance(one, bool) or not isinstance(one, int) or not 0 <= one <= MOST_TOKENS for one in told):
        raise RecordError("tokens are whole numbers from 0", line=line, field=field)
    return sum(told) if told else None


def fields_in(text: str) -> dict[str, Any]:
    """The fields of a text that is a JSON object, in a fence or bare; nothing for any other text."""
    fenced = _FENCE.fullmatch(text)
    bare = (fenced[1] if fenced else text).strip()
    if not bare.startswith("{"):
        return {}
    try:
        return json_object(bare.encode())
    except RecordError:
        return {}


def json_object(raw: bytes, line: int = 0) -> dict[str, Any]:
    """A JSON object of another tool; raises RecordError for anything else.

    Unlike our own lines it may hold large numbers and repeated keys, in fields that nobody imports: what is imported is
    written as one of our lines and checked again.
    """
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 at byte {error.start + 1}", line=line) from error
    except RecursionError as error:
        raise RecordError(f"nested deeper than {MAX_DEPTH} levels", line=line) from error
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg}", line=line or error.lineno) from error
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"not JSON that can be read: {error}", line=line) from error
    if not isinstance(value, dict):
        raise RecordError("a JSON object was expected", line=line)
    return value


def json_document(path: Path) -> dict[str, Any]:
    """The one JSON object in a file. Raises RecordError, also for a file that is too large to be read whole."""
    if path.stat().st_size > MAX_DOCUMENT_BYTES:
        raise RecordError(f"larger than {MAX_DOCUMENT_BYTES >> 20} MB")
    return json_object(path.read_bytes())


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]] | RecordError]:
    """The JSON objects of a file, one per line, or a RecordError in place of each that is not one."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(MAX_DOCUMENT_BYTES + 1):
            number += 1
            if len(raw) > MAX_DOCUMENT_BYTES:
                yield RecordError(f"longer than {MAX_DOCUMENT_BYTES >> 20} MB", line=number)
                return
            if raw.strip():
                try:
                    yield number, json_object(raw, number)
                except RecordError as error:
                    yield error


def text_in(content: Any) -> str:
    """The words of a message: its text, or the texts among its parts; "" if it has none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (
        part if isinstance(part, str) else part.get("text")
        for part in content
        if isinstance(part, str | dict)
    )
    return "".join(part for part in parts if isinstance(part, str))
