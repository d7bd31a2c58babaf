"""Secret keys: the demo's own, made once and kept next to its database, and what no study may use."""

import os
import secrets
import zlib
from itertools import pairwise
from pathlib import Path


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
    runtime_dir.mkdir(parents=True, exist_ok=True)
    path = runtime_dir / "secret-key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    key = secrets.token_urlsafe(50)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    return key
