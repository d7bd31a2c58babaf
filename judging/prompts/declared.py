"""What an uploaded prompt declares: the fields of data that follow its words, and the format of its replies. Pure."""

import json
from collections.abc import Sequence

from llm.strict_json import NotJson, loads

MAX_BYTES = 100_000
MAX_LINES = 50
MAX_CHARS = 200  # of a heading, a key or a value


class DeclarationError(ValueError):
    """What was declared does not fit; the message begins with its line where there is one."""


def words_of(content: bytes) -> str:
    """The words of a file, unchanged. Raises DeclarationError."""
    if len(content) > MAX_BYTES:
        raise DeclarationError(f"The prompt is longer than {MAX_BYTES // 1000} kB.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DeclarationError(f"Line {line}: the prompt is not UTF-8.") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise DeclarationError(f"Line {line}: a NUL character is not text.")
    if not text.strip():
        raise DeclarationError("The prompt has no words.")
    return text


def fields_of(declared: str, known: Sequence[str]) -> list[list[str]]:
    """[field, heading] for each line `field: heading`; without any line all `known` ones under their own names."""
    found: list[list[str]] = []
    for number, line in _lines(declared):
        name, _, heading = (part.strip() for part in line.partition(":"))
        if name not in known:
            raise DeclarationError(
                f"Line {number}: there is no field {name!r} here; there are: {', '.join(known)}."
            )
        if name in (field for field, _ in found):
            raise DeclarationError(f"Line {number}: the field {name!r} is already declared.")
        found.append([name, heading or _in_words(name)])
    return found or [[name, _in_words(name)] for name in known]


def values_of(declared: str, labels: Sequence[str]) -> dict[str, str]:
    """JSON text of a value to its label, for each line `value: label`, such as `true: yes`."""
    found: dict[str, str] = {}
    for number, line in _lines(declared):
        written, _, label = (part.strip() for part in line.rpartition(":"))
        try:
            value = loads(written)
        except NotJson as error:
            raise DeclarationError(
                f'Line {number}: expected a JSON value and a label, such as true: {labels[0]} or "A": {labels[0]}.'
            ) from error
        if isinstance(value, (dict, list)):
            raise DeclarationError(f"Line {number}: a verdict is a word, a number, true, false or null.")
        if label not in labels:
            raise DeclarationError(f"Line {number}: {label!r} is not one of {', '.join(labels)}.")
        key = json.dumps(value, ensure_ascii=False)
        if key in found:
            raise DeclarationError(f"Line {number}: the value {key} is already declared.")
        found[key] = label
    if len(set(found.values())) < 2:
        raise DeclarationError("Say which values mean which label, for two labels at least.")
    return found


def keys_of(declared: str) -> list[str]:
    """The keys in a text, one in each line."""
    return [line for _, line in _lines(declared)]


def _lines(declared: str) -> list[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    found = [(number, line.strip()) for number, line in enumerate(declared.splitlines(), start=1)]
    found = [(number, line) for number, line in found if line]
    if len(found) > MAX_LINES:
        raise DeclarationError(f"There are more than {MAX_LINES} lines.")
    for number, line in found:
        if len(line) > MAX_CHARS:
            raise DeclarationError(f"Line {number} is longer than {MAX_CHARS} characters.")
    return found


def _in_words(name: str) -> str:
    return name.replace("_", " ").capitalize()
