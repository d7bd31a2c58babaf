"""A judge's reason as separate claims, and who sees a verdict before grading. Pure."""

import hashlib
import re
from collections.abc import Iterator

MAX_CLAIMS = 40
_LIST_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\(?\d{1,3}[.)])\s+(?=\S)")


def claims_of(reason: str) -> list[str]:
    """Paragraphs and list items of a reason, in order; what is beyond MAX_CLAIMS stays together in the last."""
    found = [claim for paragraph in re.split(r"\n[ \t]*\n", reason) for claim in _items(paragraph)]
    if len(found) <= MAX_CLAIMS:
        return found
    return [*found[: MAX_CLAIMS - 1], "\n\n".join(found[MAX_CLAIMS - 1 :])]


def _items(paragraph: str) -> Iterator[str]:
    lines: list[str] = []
    for line in paragraph.splitlines():
        start = _LIST_ITEM.match(line)
        if start:
            yield from _filled(lines)
            lines = [line[start.end() :]]
        else:
            lines.append(line)
    yield from _filled(lines)


def _filled(lines: list[str]) -> Iterator[str]:
    text = "\n".join(lines).strip()
    if text:
        yield text


def sees_before(*, seed: int, handle: str, share: float) -> bool:
    """Whether the place of that handle sees the verdict before: with probability `share`, always the same."""
    digest = hashlib.sha256(f"reveal:{seed}:{handle}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
