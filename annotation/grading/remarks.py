"""Comments at their blocks, as pages for reading print them."""

from dataclasses import dataclass

from annotation.models import Comment, Grade


@dataclass(frozen=True)
class Remark:
    """A comment at a block of the page; `letter` stands for its grader where several are shown."""

    block: str
    comment: Comment
    letter: str = ""


def own_remarks(grade: Grade) -> list[Remark]:
    """The comments of the reviewer's own grade, on the page as they saw it."""
    return [Remark(comment.block, comment) for comment in grade.comments.order_by("pk")]
