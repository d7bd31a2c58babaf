"""Outputs of MathArena (outputs/COMPETITION/SOLVER/PROBLEM.json): one problem, the conversations of all attempts.

The answer is the last message of a conversation, if it is a response of the assistant; a conversation that ends in any
other way is broken, as MathArena calls it, and the attempt failed. Its own grading is not imported.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmark.foreign.rows import Row, json_document, output_row, text_in, tokens_in
from benchmark.importing.records import RecordError

TITLE = "MathArena outputs"
_HEAD = 20_000  # bytes; `idx` comes first, `N` and `messages` after the statement


def fits(path: Path) -> bool:
    """Whether the file, or every file of a folder, is one of MathArena's."""
    if path.is_dir():
        files = files_of(path)
        return bool(files) and all(map(fits, files))
    if path.suffix.lower() != ".json":
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b'"idx"' not in head:
        return False
    try:
        document = json_document(path)
    except RecordError:
        return False
    return {"idx", "messages"} <= set(document) and bool({"N", "answers", "correct"} & set(document))


def files_of(folder: Path) -> list[Path]:
    """The JSON files below a folder."""
    return sorted(each for each in folder.rglob("*.json") if each.is_file())


def rows(path: Path) -> Iterator[Row | RecordError]:
    """A row for each attempt. In a folder, the name of the folder that a file lies in is that of the system."""
    files = files_of(path) if path.is_dir() else [path]
    number = 0
    for file in files:
        system = file.parent.name if file.parent != path and path.is_dir() else ""
        document = json_document(file)
        problem, conversations = document.get("idx"), document.get("messages")
        if not isinstance(problem, int | str) or isinstance(problem, bool) or problem == "":
            yield RecordError(f"{file.name} does not name its problem", line=number + 1, field="idx")
            continue
        if not isinstance(conversations, list):
            yield RecordError(f"{file.name} has no list of conversations", line=number + 1, field="messages")
            continue
        costs = found if isinstance(found := document.get("detailed_costs"), list) else []
        for attempt, conversation in enumerate(conversations, start=1):
            number += 1
            last = conversation[-1] if isinstance(conversation, list) and conversation else None
            message = last if isinstance(last, dict) else {}
            is_whole = message.get("role") == "assistant" and message.get("type", "response") == "response"
            words = text_in(message.get("content")).rpartition("</think>")[2].strip() if is_whole else ""
            used = costs[attempt - 1] if attempt <= len(costs) else None
            try:
                tokens = tokens_in(used, line=number, field="detailed_costs")
            except RecordError as error:
                yield RecordError(f"{file.name}: {error.reason}", line=number, field=error.field)
                continue
            yield (
                number,
                output_row(
                    str(problem),
                    text=words,
                    state="answered" if is_whole else "failed",
                    system=system,
                    attempt=attempt,
                    tokens=tokens,
                ),
            )
