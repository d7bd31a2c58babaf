"""Agreement of calibration rounds before and after their discussion. Systems do not occur.

Before: the blind answers of every revealed item. After: the same labels, where a reviewer answered again with
their second answers instead; who did not answer again stays with the blind ones. Only the blind ones enter scores.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotation.campaigns.pairing import upright
from annotation.models import CalibrationItem, Campaign, LaterAnswer, LaterGrade, Occasion
from benchmark.rubrics import rubric_from_content
from reports.campaign.data import ReviewerLabel, campaign_data
from reports.campaign.reliability import agreement_of_all
from reports.scores.inputs import SEED
from reports.scores.shape import Agreement

FORMAT = "touchstone-calibration-1"


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """`before` are the blind answers, `after` those after the discussion; `changed` counts labels by question."""

    format: str
    campaign: str
    seed: int
    items: int
    blind: int
    answered_again: int
    questions: Mapping[str, str]
    changed: Mapping[str, int]
    before: Mapping[str, Agreement]
    after: Mapping[str, Agreement]


def calibration_agreement(campaign: Campaign) -> Calibration:
    """A fixed number of queries. `changed` counts by question the labels that differ after the discussion."""
    rubric = rubric_from_content(campaign.rubric.content)
    items = set(
        CalibrationItem.objects.filter(
            round__campaign=campaign, round__revealed_at__isnull=False
        ).values_list("item", flat=True)
    )
    later = LaterGrade.objects.filter(
        assignment__item__campaign=campaign, assignment__repeat=False, occasion=Occasion.DISCUSSION
    )
    data = campaign_data(campaign)
    before = [label for label in data.labels if label.item in items]
    cluster = {label.item: label.cluster for label in data.labels}
    second = [
        ReviewerLabel(
            answer.later.assignment.item_id,
            answer.later.assignment.reviewer_id,
            answer.question,
            upright(answer.value, swapped=answer.later.assignment.swapped),
            "answered" if answer.value else "abstain",
            cluster.get(answer.later.assignment.item_id, ""),
            answer.step,
        )
        for answer in LaterAnswer.objects.filter(later__in=later)
        .select_related("later__assignment")
        .order_by("pk")
    ]
    again = {(label.item, label.reviewer) for label in second}
    after = [label for label in before if (label.item, label.reviewer) not in again] + second
    # answers, by step, that are other ones after the discussion; one that is gone or new counts too
    one, other = (
        {(x.question, x.item, x.reviewer, x.step): x.value for x in labels} for labels in (before, after)
    )
    changed = Counter(key[0] for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    questions = [question for question in rubric.questions if question.scale.has_values]
    return Calibration(
        format=FORMAT,
        campaign=campaign.slug,
        seed=SEED,
        items=len(items),
        blind=len({(label.item, label.reviewer) for label in before}),
        answered_again=later.count(),
        questions={question.key: question.text for question in questions},
        changed={question.key: changed[question.key] for question in questions},
        before=agreement_of_all(rubric, replace(data, labels=tuple(before), times=()), seed=SEED),
        after=agreement_of_all(rubric, replace(data, labels=tuple(after), times=()), seed=SEED),
    )
