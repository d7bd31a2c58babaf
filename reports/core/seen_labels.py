"""Labels on items with an attached verdict, with the arm of their place: what anchoring is computed from."""

from dataclasses import dataclass

from annotation.models import Answer, Campaign, LabelState
from annotation.reveal.rules import reveal_of


@dataclass(frozen=True)
class SeenLabel:
    """An expert's answer to the verdict's question about an item; `before` says that the verdict was in sight."""

    item: int
    reviewer: int
    value: str
    verdict: str
    before: bool


def seen_labels(campaign: Campaign) -> tuple[str, list[SeenLabel]]:
    """The question that the attached verdicts answer ("" without any) and the answered live labels to it."""
    reveal = reveal_of(campaign)
    if reveal is None:
        return "", []
    rows = Answer.objects.filter(
        grade__superseded_by=None,
        grade__assignment__item__shown_verdict__reveal=reveal,
        question=reveal.question,
        step="",
        state=LabelState.ANSWERED,
    ).order_by("pk")
    values = rows.values_list(
        "grade__assignment__item",
        "grade__assignment__reviewer",
        "value",
        "grade__assignment__item__shown_verdict__value",
        "grade__assignment__reveal_arm__before",
    )
    return reveal.question, [SeenLabel(*row) for row in values]
