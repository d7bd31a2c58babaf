"""Keys and hashes of a file's records, kept on disk: a file of any size is checked in constant memory."""

import sqlite3
from collections.abc import Iterator
from typing import Self

from benchmark.canonical import collection_sha256


class KeyIndex:
    """Maps each key to its hash and line number. A context manager; gone when closed."""

    def __init__(self) -> None:
        # SQLite keeps a database without a name in a temporary file of its own and removes it on close
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute(
            "CREATE TABLE seen (key TEXT PRIMARY KEY, sha256 TEXT, line INTEGER) WITHOUT ROWID"
        )
        self._rows.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.close()

    def __len__(self) -> int:
        return int(self._rows.execute("SELECT count(*) FROM seen").fetchone()[0])

    def add(self, key: str, sha256: str, line: int = 0) -> None:
        """Add a record; a key that is already known keeps its first entry."""
        self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (key, sha256, line))

    def find(self, key: str) -> tuple[str, int] | None:
        """The hash and line of a key, or None."""
        row: tuple[str, int] | None = self._rows.execute(
            "SELECT sha256, line FROM seen WHERE key = ?", (key,)
        ).fetchone()
        return row

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All (key, hash) pairs in the order of the keys."""
        return iter(self._rows.execute("SELECT key, sha256 FROM seen ORDER BY key"))

    def sha256(self) -> str:
        """The hash of the whole collection."""
        return collection_sha256(self.pairs())
