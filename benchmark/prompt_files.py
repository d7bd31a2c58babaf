"""The prompt files of a protocol as text, for code that needs the words but not the questions."""

import hashlib

from benchmark.protocol import Protocol


def prompt_text(protocol: Protocol, label: str, sha256: str) -> str | None:
    """The file of a prompt version such as "grounding.v1"; None unless it is there with that hash."""
    for path in (protocol.folder / "prompts").glob("*.md"):
        content = path.read_bytes()
        if path.stem == label and hashlib.sha256(content).hexdigest() == sha256:
            return content.decode("utf-8")
    return None
