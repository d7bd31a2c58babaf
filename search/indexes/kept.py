"""Vectors that were computed once: a file for each model, by the hash of the text.

A record is the SHA-256 of the text, its vector, and the beginning of the SHA-256 of both. Records are only appended, so
a process that dies leaves at most a torn one at the end, which the next one that opens the file cuts off.
"""

import fcntl
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from retrieval.recipes import Model
from retrieval.vectors import Ints8

_HASH, _CHECK = 32, 8


class KeptVectors:
    """The kept vectors of a model; a context manager that other processes wait for."""

    def __init__(self, folder: Path, model: Model) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{model.digest}.vectors"
        self._size = _HASH + model.dimensions + _CHECK
        self._found: dict[bytes, bytes] = {}

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._file.seek(0)
        read = 0
        while len(record := self._file.read(self._size)) == self._size:
            if _check(record[:-_CHECK]) == record[-_CHECK:]:  # a damaged one is computed again
                self._found[record[:_HASH]] = record[_HASH:-_CHECK]
            read += self._size
        self._file.truncate(read)
        return self

    def __exit__(self, *raised: object) -> None:
        self._file.close()

    def __contains__(self, text: str) -> bool:
        return _of(text) in self._found

    def __getitem__(self, text: str) -> bytes:
        return self._found[_of(text)]

    def add(self, texts: Sequence[str], vectors: Ints8) -> None:
        """Keep the vectors of texts. Raises ValueError unless there is one for each."""
        for text, row in zip(texts, vectors, strict=True):
            record = _of(text) + row.tobytes()
            self._file.write(record + _check(record))
            self._found[record[:_HASH]] = record[_HASH:]
        self._file.flush()
        os.fsync(self._file.fileno())


def _of(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _check(record: bytes) -> bytes:
    return hashlib.sha256(record).digest()[:_CHECK]
