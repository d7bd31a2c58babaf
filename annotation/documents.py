"""The rendered form of a part: blocks with stable ids, safe HTML and source."""

from typing import Any

from benchmark.protocol import Part


def document(part: Part) -> Any:
    """The part's rendered document, from the cache by content hash."""
    from benchmark.rendering import rendered

    return rendered(part.text, part.text_format)


def block_lengths(part: Part) -> dict[str, int]:
    """Length of the source of every block, by block id: what a comment's offsets must lie within."""
    return {block.id: len(block.source) for block in document(part).blocks}
