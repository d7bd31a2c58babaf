"""Outputs as a folder of documents: `<instance>.tex`, `<instance>.md`, or `<instance>.<attempt>.tex`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.importing.jsonl import text_fault
from benchmark.importing.records import RecordError
from benchmark.protocol import OutputRecord

MAX_DOCUMENT_BYTES = 2_000_000
FORMATS = {".tex": "latex", ".md": "markdown"}
# an arXiv number such as 2401.00012 is not an attempt: attempts have at most three digits
_ATTEMPT = re.compile(r"(?P<instance>.+)\.(?P<attempt>[1-9]\d{0,2})")


def read_documents(folder: Path) -> Iterator[OutputRecord | RecordError]:
    """Each document of a folder as an answered output, ordered by name; hidden files are passed over.

    What is neither .tex nor .md, not a regular file (links are not followed), too large or not UTF-8 comes as
    a RecordError whose field is the file's name.
    """
    for name in sorted(os.listdir(folder)):
        if name.startswith("."):
            continue
        path = folder / name
        try:
            text_format = FORMATS.get(path.suffix)
            if text_format is None:
                raise RecordError("neither a .tex nor a .md file", field=name)
            # The bytes of a regular file; a link is refused while opening, so that it cannot be swapped in.
            if path.is_symlink() or not path.is_file():
                raise RecordError("not a regular file (links are not followed)", field=name)
            try:
                with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
                    content = file.read(MAX_DOCUMENT_BYTES + 1)
            except OSError as error:
                raise RecordError(f"cannot be read: {error.strerror}", field=name) from error
            text = decoded(content, name)
            if not text.strip():
                raise RecordError("the document is empty", field=name)
            named = _ATTEMPT.fullmatch(path.stem)
            yield OutputRecord(
                instance=named["instance"] if named else path.stem,
                attempt=int(named["attempt"]) if named else 1,
                text=text,
                text_format=text_format,
            )
        except RecordError as fault:
            yield fault


def decoded(content: bytes, name: str) -> str:
    """The text of a document called `name`; raises RecordError if it is too large, not UTF-8 or not storable."""
    if len(content) > MAX_DOCUMENT_BYTES:
        raise RecordError(f"larger than {MAX_DOCUMENT_BYTES:,} bytes", field=name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RecordError("not UTF-8; save it as UTF-8", line=line, field=name) from error
    if fault := text_fault(text):
        raise RecordError(fault, field=name)
    return text
