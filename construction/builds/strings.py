"""The strings of a line by the names that provenance gives them: `definitions.0.text`."""

from typing import Any


def string_at(line: Any, path: str) -> str:
    """The string of that name."""
    return str(value_at(line, path))


def put_string(line: Any, path: str, text: str) -> None:
    """Replace the string of that name."""
    above, _, last = path.rpartition(".")
    if above:
        line = value_at(line, above)
    line[int(last) if isinstance(line, list) else last] = text


def value_at(line: Any, path: str) -> Any:
    """What a line has under that name, which may be more than a string."""
    for part in path.split("."):
        line = line[int(part)] if isinstance(line, list) else line[part]
    return line
