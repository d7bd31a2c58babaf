"""Comments at their blocks, as pages for reading print them."""

from dataclasses import dataclass

from annotation.models import Comment


@dataclass(frozen=True)
class Remark:
    """A comment at a block of the page; `letter` stands for its grader where several are shown."""

    block: str
    comment: Comment
    letter: str = ""
