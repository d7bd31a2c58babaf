"""Plain lines for the terminal, and the one error that these scripts explain to people."""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / ".runtime"


class Refused(Exception):
    """The script can't go on; the text says why and what to type."""


def say(line: str) -> None:
    """One line on standard output, at once."""
    print(line, flush=True)


def run_main(main: Callable[[], int]) -> None:
    """Runs `main` and leaves with its exit code; a refusal is one line on standard error and exit 1."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the reader of this line has an older one
        sys.exit(f"Touchstone needs Python 3.11 or newer, this is {sys.version.split()[0]}.")
    try:
        code = main()
    except Refused as refusal:
        print(refusal, file=sys.stderr, flush=True)
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
