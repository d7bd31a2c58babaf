"""What differs between a file and what is stored under the same name."""

from collections.abc import Iterable

from benchmark.importing.keyindex import KeyIndex

EXAMPLES = 3


def describe(index: KeyIndex, stored: Iterable[tuple[str, str]]) -> str:
    """In words: how many records of the file are new, changed or gone against stored (key, hash) pairs."""
    changed: list[str] = []
    gone: list[str] = []
    known = 0
    for key, sha256 in stored:
        found = index.find(key)
        if found is None:
            gone.append(key)
        else:
            known += 1
            if found[0] != sha256:
                changed.append(key)
    parts = [_part(changed, "changed"), _part(gone, "missing from the file")]
    if len(index) > known:
        parts.append(f"{len(index) - known} only in the file")
    return "; ".join(part for part in parts if part)


def _part(keys: list[str], what: str) -> str:
    if not keys:
        return ""
    examples = ", ".join(keys[:EXAMPLES]) + (", ..." if len(keys) > EXAMPLES else "")
    return f"{len(keys)} {what} ({examples})"
