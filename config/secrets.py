"""The demo's own secret key: made once, kept beside the demo's database, never a constant in the source."""

import os
import secrets
from pathlib import Path


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
