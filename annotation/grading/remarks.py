"""Comments at their blocks, as pages for reading print them."""

from dataclasses import dataclass

from annotation.grading.file_anchors import page_of, quote_of
from annotation.grading.word_anchors import Anchored, anchored_to
from annotation.models import Comment


def words_between(source: str, start: int, end: int) -> str:
    """The words of a block's `source` that a comment is about; empty if that is the block as a whole."""
    return "" if end - start >= len(source) else " ".join(source[start:end].split())


@dataclass(frozen=True)
class Remark:
    """A comment at a block of the page; `letter` stands for its grader where several are shown."""

    block: str
    comment: Comment
    letter: str = ""

    @property
    def page(self) -> int:
        """Of a PDF; 0 for a comment in the text."""
        return page_of(self.comment.anchor)

    @property
    def quote(self) -> str:
        """The words that it is about, where its place in the text does not say them."""
        return quote_of(self.comment.anchor)

    @property
    def is_lost(self) -> bool:
        """It came with words or a place that the text does not have."""
        return anchored_to(self.comment.anchor) == Anchored.LOST

    @property
    def has_no_place(self) -> bool:
        """It is about the text as a whole, or about something that the text does not have."""
        return anchored_to(self.comment.anchor) in (Anchored.LOST, Anchored.WHOLE)
