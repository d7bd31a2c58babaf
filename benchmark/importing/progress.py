"""Reporting the progress of long work to its caller."""

import sys
from collections.abc import Callable, Mapping

# phase, done, total (0 while the total is not known)
Progress = Callable[[str, int, int], None]
_WIDTH = 30


def silent(phase: str, done: int, total: int) -> None:
    """Reports nothing."""


def progress_bar() -> Progress:
    """A bar on standard error; silent where that is not a terminal."""
    out = sys.stderr
    if not out.isatty():
        return silent

    def show(phase: str, done: int, total: int) -> None:
        bar = "#" * (_WIDTH * done // total) if total else ""
        count = f"{done:,} of {total:,}" if total else f"{done:,}"
        out.write(f"\r{phase:<10} [{bar:<{_WIDTH}}] {count}" + ("\n" if total and done >= total else ""))
        out.flush()

    return show


def import_verb(document: Mapping[str, object]) -> str:
    """What a command says first of the report of an import."""
    if not document["changed"]:
        return "Unchanged:"
    return "Would import" if document["dry_run"] else "Imported"
