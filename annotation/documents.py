"""The rendered form of parts: blocks with stable ids, safe HTML and source."""

from collections.abc import Sequence

from benchmark.protocol import Part
from benchmark.rendering import Rendered, rendered, rendered_all


def documents(parts: Sequence[Part], anchored: Part) -> list[Rendered]:
    """The parts' rendered documents in order, from the cache by content hash, with one query.

    The part that comments are anchored to keeps its plain block ids; the others get a prefix each, because
    all of them stand on one page.
    """
    prefixes = ["" if part is anchored else f"part{number}-" for number, part in enumerate(parts, start=1)]
    return rendered_all(
        [(part.text, part.text_format, prefix) for part, prefix in zip(parts, prefixes, strict=True)]
    )


def anchored_document(part: Part) -> Rendered:
    """The text that comments are anchored to."""
    return rendered(part.text, part.text_format)


def block_lengths(part: Part) -> dict[str, int]:
    """Length of the source of every block, by block id: what a comment's offsets must lie within."""
    return {block.id: len(block.source) for block in anchored_document(part).blocks}
