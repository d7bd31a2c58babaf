"""The bytes of an artifact's file, for the commands that read one."""

from pathlib import Path

from accounts.refusal import Refused


def read_file(path: Path) -> bytes:
    """Raises Refused when the file cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error
