"""Which tool wrote a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.foreign import inspect_log, matharena, openai_batch
from benchmark.foreign.rows import Row
from benchmark.importing.records import RecordError


@dataclass(frozen=True)
class Tool:
    """A tool whose files can be read: whether a file or folder is one of its, and its outputs as rows."""

    title: str
    fits: Callable[[Path], bool]
    rows: Callable[[Path], Iterator[Row | RecordError]]


TOOLS = tuple(Tool(each.TITLE, each.fits, each.rows) for each in (openai_batch, matharena, inspect_log))


def tool_of(path: Path) -> Tool | None:
    """The tool that wrote the file or folder; None for a table like any other."""
    return next((tool for tool in TOOLS if tool.fits(path)), None)
