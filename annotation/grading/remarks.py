"""Comments at their blocks, as pages for reading print them."""

from dataclasses import dataclass

from annotation.grading.file_anchors import page_of, quote_of
from annotation.models import Comment


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
        """The words of the PDF that it is about."""
        return quote_of(self.comment.anchor)
