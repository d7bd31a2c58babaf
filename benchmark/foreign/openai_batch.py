"""Result files of OpenAI's Batch API, which other providers copy: JSON Lines with custom_id, response and error.

https://platform.openai.com/docs/api-reference/batch/request-output. Bodies are of chat completions or of the Responses
API. The order of lines is arbitrary; `custom_id` says what a line is about.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmark.foreign.rows import Row, State, json_lines, output_row, text_in, tokens_in
from benchmark.importing.records import RecordError

TITLE = "OpenAI batch results"
_OTHERS = {"response", "error", "body"}  # columns next to custom_id


def fits(path: Path) -> bool:
    """Whether the first line has a custom_id, as results and requests of batches have."""
    if not path.is_file() or path.suffix.lower() not in (".jsonl", ".ndjson", ".json"):
        return False
    with path.open("rb") as file:
        if b'"custom_id"' not in file.readline(100_000):
            return False
    first = next(json_lines(path), None)
    return isinstance(first, tuple) and not _OTHERS.isdisjoint(first[1]) and "custom_id" in first[1]


def rows(path: Path) -> Iterator[Row | RecordError]:
    """A row for each answer; a request that was not answered is a failed output, of the model that answered others."""
    models = {_model(found[1]) for found in json_lines(path) if isinstance(found, tuple)} - {""}
    only = models.pop() if len(models) == 1 else ""
    for found in json_lines(path):
        if isinstance(found, RecordError):
            yield found
            continue
        number, line = found
        name = line.get("custom_id")
        if not isinstance(name, str) or not name.strip():
            yield RecordError("must name the request", line=number, field="custom_id")
            continue
        if "response" not in line and "error" not in line:
            reason = "this is a request; the results are in the file that the batch names as its output"
            yield RecordError(reason, line=number, field="response" if "body" not in line else "body")
            continue
        name, system, response = name.strip(), _model(line) or only, _part(line, "response")
        body = _part(response, "body")
        try:
            tokens = tokens_in(body.get("usage"), line=number, field="response.body.usage")
        except RecordError as error:
            yield error
            continue
        if response.get("status_code") != 200 or body.get("error") or body.get("status") == "failed":
            yield number, output_row(name, state="failed", system=system, tokens=tokens)
            continue
        choices = listed if isinstance(listed := body.get("choices"), list) else []
        answers: list[tuple[str, State]] = []
        for choice in choices:
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict):
                text = text_in(message.get("content"))
                refused = not text and message.get("refusal")
                answers.append((text, "abstained" if refused else "answered"))
        answers = answers or [_of_items(body.get("output"))]
        for place, (text, state) in enumerate(answers, start=1):
            attempt = place if len(answers) > 1 else None
            used = tokens if place == 1 else None  # the tokens are those of all answers
            row = output_row(name, text=text, state=state, system=system, attempt=attempt, tokens=used)
            yield number, row


def _part(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _model(line: Mapping[str, Any]) -> str:
    found = _part(_part(line, "response"), "body").get("model")
    return found if isinstance(found, str) else ""


def _of_items(items: Any) -> tuple[str, State]:
    """The words of all messages among the items of a response, without its reasoning."""
    if not isinstance(items, list):
        return "", "failed"
    messages = [item for item in items if isinstance(item, dict) and item.get("type") == "message"]
    text = "".join(text_in(message.get("content")) for message in messages)
    parts = [
        part
        for message in messages
        if isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    refused = any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)
    return (text, "answered") if text or not refused else ("", "abstained")
