"""Choices between two outputs, read for an artifact: experts' of closed campaigns, and those of AI judges."""

from collections.abc import Sequence
from typing import Any

from annotation.core.phases import Phase
from annotation.models import Answer, Campaign, CampaignKind
from benchmark.models import Release
from benchmark.rubrics import rubric_from_content
from benchmark.subjects import Subject
from judging.models import Judge, Verdict
from reports.comparison.choices import Choice, Choices, PairJudge
from reports.core.datasets import campaign_info, judge_info, numbered_experts, numbers_of
from reports.scores.inputs import Inputs

_SIDE = ("run__system__slug", "attempt", "run__track", "run__condition")


def read_choices(release: Release, inputs: Inputs) -> Choices:
    """The choices between outputs that the score counts. An expert who also labelled single outputs has that number
    here, any other a number after those."""
    preferences = {
        (campaign.slug, question.key)
        for campaign in Campaign.objects.filter(
            release=release, kind=CampaignKind.COMPARE, phase=Phase.CLOSED, track=inputs.track
        ).select_related("rubric")
        for question in rubric_from_content(campaign.rubric.content).questions
        if question.scale.kind == "preference"
    }
    item = "grade__assignment__item__"
    answers = Answer.objects.filter(
        grade__superseded_by=None,
        **{f"{item}campaign__slug__in": {slug for slug, _ in preferences}, f"{item}second__isnull": False},
    ).values_list(
        f"{item}campaign__slug",
        "question",
        "grade__assignment__reviewer",
        "value",
        "state",
        "grade__assignment__swapped",
        f"{item}instance__key",
        *(f"{item}{side}__{name}" for side in ("output", "second") for name in _SIDE),
    )
    answered = []
    for slug, question, rater, value, state, swapped, instance, *sides in answers:
        if (slug, question) in preferences:
            pair = _sides(instance, sides, swapped=swapped)
            answered.append((rater, f"{slug}:{question}", *pair, value, state))
    numbers = numbered_experts(release, inputs.track, inputs.condition)
    numbers |= numbers_of((row for row in answered if row[0] not in numbers), after=len(numbers))
    found = [
        Choice(source, first, second, numbers[rater], 1, value, state)
        for rater, source, first, second, value, state in answered
    ]
    named = ("output__instance__key", *(f"{side}__{name}" for side in ("output", "second") for name in _SIDE))
    labels = {judge.pk: judge.label for judge in Judge.objects.all()}
    for judge, predicate, vote, order, value, state, instance, *sides in Verdict.objects.filter(
        output__run__release=release, second__isnull=False
    ).values_list("judge", "predicate", "vote", "order", "value", "state", *named):
        first, second = _sides(instance, sides, swapped=order == 2)
        said = "unavailable" if state == "unparsed" else state
        found.append(Choice(f"{predicate}@{labels[judge]}", first, second, labels[judge], vote, value, said))
    counted = {row.subject for row in inputs.outputs}
    kept = [row for row in found if counted >= {row.first, row.second}]
    campaigns = Campaign.objects.filter(release=release).select_related("rubric").order_by("slug")
    judges = Judge.objects.filter(protocol=inputs.protocol).order_by("slug", "version")
    used = {row.source.partition(":")[0] for row in kept if "@" not in row.source}
    spoke = {row.source.partition("@")[2] for row in kept if "@" in row.source}
    return Choices(
        campaigns=tuple(campaign_info(campaign) for campaign in campaigns if campaign.slug in used),
        judges=tuple(PairJudge(judge.slug, judge_info(judge)) for judge in judges if judge.label in spoke),
        rows=tuple(sorted(kept, key=lambda row: tuple(vars(row).values()))),
    )


def _sides(instance: str, sides: Sequence[Any], *, swapped: bool | None) -> tuple[str, str]:
    """The subjects of both outputs as they were shown; `sides` has the names of both, four each."""
    one, other = (str(Subject(instance, *side)) for side in (sides[:4], sides[4:]))
    return (other, one) if swapped else (one, other)
