"""The rendered form of parts: blocks with stable ids, safe HTML and source."""

from collections.abc import Sequence

from benchmark.protocol import Part
from benchmark.rendering import Rendered, rendered_all


def documents(parts: Sequence[Part]) -> list[Rendered]:
    """The parts' rendered documents in order, from the cache by content hash, with one query."""
    return rendered_all([(part.text, part.text_format) for part in parts])


def block_lengths(part: Part) -> dict[str, int]:
    """Length of the source of every block, by block id: what a comment's offsets must lie within."""
    (document,) = documents([part])
    return {block.id: len(block.source) for block in document.blocks}
