"""A judge's reason as separate claims, and who sees a verdict before grading. Pure."""

import hashlib
import re

MAX_CLAIMS = 40
_LIST_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\(?\d{1,3}[.)])\s+(?=\S)")


def claims_of(reason: str) -> list[str]:
    """Paragraphs and list items of a reason, in order; what is beyond MAX_CLAIMS stays together in the last."""
    texts: list[list[str]] = []
    for paragraph in re.split(r"\n[ \t]*\n", reason):
        texts.append([])
        for line in paragraph.splitlines():
            start = _LIST_ITEM.match(line)
            if start:
                texts.append([line[start.end() :]])
            else:
                texts[-1].append(line)
    found = [claim for lines in texts if (claim := "\n".join(lines).strip())]
    if len(found) <= MAX_CLAIMS:
        return found
    return [*found[: MAX_CLAIMS - 1], "\n\n".join(found[MAX_CLAIMS - 1 :])]


def sees_before(*, seed: int, handle: str, share: float) -> bool:
    """Whether the place of that handle sees the verdict before: with probability `share`, always the same."""
    digest = hashlib.sha256(f"reveal:{seed}:{handle}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
