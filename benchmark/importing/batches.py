"""The second pass over a file: the records that were checked, in batches ready to be written."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug

from accounts.refusal import Refused
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.progress import Progress
from benchmark.importing.records import RecordError

BATCH = 1000

Record = TypeVar("Record")


def check_slug(value: str, what: str, limit: int = 100) -> None:
    """Refuse a name that could not be part of a URL: letters, digits, hyphens and underscores only."""
    try:
        validate_slug(value)
    except ValidationError as error:
        reason = f"{value!r} cannot name a {what}: use letters, digits, hyphens and underscores"
        raise Refused(reason, code="bad_name") from error
    if len(value) > limit:
        raise Refused(f"the name of a {what} has at most {limit} characters", code="bad_name")


def existing(path: Path) -> Path:
    """The path, if it is a regular file or a folder: a file is read twice, so a pipe will not do."""
    if not path.exists():
        raise Refused(f"{path} does not exist", code="no_file")
    if not (path.is_file() or path.is_dir()):
        raise Refused(f"{path} is neither a regular file nor a folder", code="no_file")
    return path


def checked_batches(
    records: Iterable[Record | RecordError],
    index: KeyIndex,
    identify: Callable[[Record], tuple[str, str]],
    progress: Progress,
) -> Iterator[list[tuple[Record, str]]]:
    """Batches of (record, hash); raises Refused when the file is no longer what the first pass saw.

    `identify` returns a record's key and hash.
    """
    changed = Refused("the file changed while it was read; nothing was imported", code="file_changed")
    total, done, rows = len(index), 0, iter(records)
    while batch := list(islice(rows, BATCH)):
        checked = []
        for record in batch:
            if isinstance(record, RecordError):
                raise changed
            key, sha256 = identify(record)
            found = index.find(key)
            if found is None or found[0] != sha256:
                raise changed
            checked.append((record, sha256))
        yield checked
        done += len(checked)
        progress("writing", done, total)
    if done != total:
        raise changed
