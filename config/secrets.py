"""Secret keys: the demo's own, made once and kept next to its database, and what no study may use."""

import os
import secrets
import tempfile
import zlib
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from config.env import make_folder


def is_guessable(key: str) -> bool:
    """Whether a key is short, a repetition, a run through an alphabet, or Django's mark of an unsafe one.

    Forty random hexadecimal digits, the weakest that pass, compressed to 42 bytes or more in 200,000 tries.
    """
    steps = sum(abs(ord(a) - ord(b)) <= 1 for a, b in pairwise(key))
    return (
        len(key) < 40
        or len(zlib.compress(key.encode(), 9)) < 41
        or steps > len(key) / 2
        or key.startswith("django-insecure-")
    )


def demo_secret_key(runtime_dir: Path) -> str:
    """The key stored in `runtime_dir/secret-key`, made on first use; readable by its owner only."""
    path = runtime_dir / "secret-key"
    if not path.exists():
        make_folder(runtime_dir, "TOUCHSTONE_RUNTIME_DIR")
        with tempfile.NamedTemporaryFile(
            "w", dir=runtime_dir, encoding="ascii"
        ) as file:  # readable by its owner only
            file.write(secrets.token_urlsafe(50))
            file.flush()
            with suppress(
                FileExistsError
            ):  # of several processes that start at once, one makes the key of all
                os.link(file.name, path)
    return path.read_text(encoding="ascii").strip()
