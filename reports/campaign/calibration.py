"""Agreement of calibration rounds before and after their discussion. Systems do not occur.

Before: the blind answers of every revealed item. After: the same labels, where a reviewer answered again with
their second answers instead; who did not answer again stays with the blind ones. Only the blind ones enter scores.
"""

from collections.abc import Sequence
from typing import Any

from annotation.campaigns.pairing import upright
from annotation.models import CalibrationItem, Campaign, LaterAnswer, LaterGrade, Occasion
from benchmark.rubrics import rubric_from_content
from reports.campaign.data import CampaignData, ReviewerLabel, campaign_data
from reports.campaign.reliability import overview_document
from reports.scores.inputs import SEED

FORMAT = "touchstone-calibration-1"


def calibration_document(campaign: Campaign) -> dict[str, Any]:
    """A fixed number of queries. `changed` counts by question the labels that differ after the discussion."""
    rubric = rubric_from_content(campaign.rubric.content)
    items = set(
        CalibrationItem.objects.filter(
            round__campaign=campaign, round__revealed_at__isnull=False
        ).values_list("item", flat=True)
    )
    data = campaign_data(campaign)
    before = [label for label in data.labels if label.item in items]
    after = _after(campaign, before)
    return {
        "format": FORMAT,
        "campaign": campaign.slug,
        "seed": SEED,
        "items": len(items),
        "blind": len({(label.item, label.reviewer) for label in before}),
        "answered_again": _later(campaign).count(),
        "questions": {q.key: q.text for q in rubric.questions if q.scale.has_values},
        "changed": {q.key: _changed(q.key, before, after) for q in rubric.questions if q.scale.has_values},
        "before": overview_document(rubric, _only(data, before), seed=SEED),
        "after": overview_document(rubric, _only(data, after), seed=SEED),
    }


def _later(campaign: Campaign) -> Any:
    return LaterGrade.objects.filter(
        assignment__item__campaign=campaign, assignment__repeat=False, occasion=Occasion.DISCUSSION
    )


def _only(data: CampaignData, labels: Sequence[ReviewerLabel]) -> CampaignData:
    return CampaignData(data.reviewers, tuple(labels), ())


def _after(campaign: Campaign, before: Sequence[ReviewerLabel]) -> list[ReviewerLabel]:
    second = [
        ReviewerLabel(
            answer.later.assignment.item_id,
            answer.later.assignment.reviewer_id,
            answer.question,
            upright(answer.value, swapped=answer.later.assignment.swapped),
            "answered" if answer.value else "abstain",
            answer.later.assignment.item.instance.key,
            answer.step,
        )
        for answer in LaterAnswer.objects.filter(later__in=_later(campaign))
        .select_related("later__assignment__item__instance")
        .order_by("pk")
    ]
    again = {(label.item, label.reviewer) for label in second}
    return [label for label in before if (label.item, label.reviewer) not in again] + second


def _changed(question: str, before: Sequence[ReviewerLabel], after: Sequence[ReviewerLabel]) -> int:
    """Answers, by step, that are other ones after the discussion; one that is gone or new counts too."""
    one, other = _values(question, before), _values(question, after)
    return sum(one.get(key) != other.get(key) for key in one.keys() | other.keys())


def _values(question: str, labels: Sequence[ReviewerLabel]) -> dict[tuple[int, int, str], str]:
    return {(x.item, x.reviewer, x.step): x.value for x in labels if x.question == question}
