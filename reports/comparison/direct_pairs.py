"""Systems two at a time as experts chose between their outputs, shown side by side and blind.

The rows are those of the label table, so that a page and `analyse pairs` on the exported file agree. A pair
that came to its expert a second time with the sides exchanged is the second order of the same judgment.
"""

from collections.abc import Mapping

from annotation.core.phases import Phase
from annotation.models import Campaign, CampaignKind
from benchmark.models import Release
from benchmark.rubrics import rubric_from_content
from reports.comparison.implied_pairs import (
    FORMAT,
    chosen_key,
    implied_document,
    implied_kinds,
    pairs_of_rows,
)
from reports.core.wording import in_words
from reports.labels.filters import LabelFilter
from reports.labels.rows import label_rows
from reports.scores.inputs import Inputs


def direct_kinds(release: Release, track: str) -> dict[str, str]:
    """CAMPAIGN:QUESTION to a title, for every preference that a closed campaign of comparisons asked for."""
    campaigns = Campaign.objects.filter(
        release=release, track=track, kind=CampaignKind.COMPARE, phase=Phase.CLOSED
    )
    return {
        f"{campaign.slug}:{question.key}": f"{in_words(question.key).capitalize()}, {campaign.name}"
        for campaign in campaigns.select_related("rubric").order_by("slug")
        for question in rubric_from_content(campaign.rubric.content).questions
        if question.scale.kind == "preference"
    }


def pair_kinds(release: Release, inputs: Inputs) -> dict[str, str]:
    """Every way to compare the systems of a track two at a time; choices come before what grades imply."""
    return {**direct_kinds(release, inputs.track), **implied_kinds(inputs)}


def compared_document(release: Release, inputs: Inputs, key: str = "") -> dict[str, object]:
    """The direct or implied comparisons called `key`, "" for the first. Raises Refused for another."""
    direct = direct_kinds(release, inputs.track)
    chosen = chosen_key({**direct, **implied_kinds(inputs)}, key)
    if chosen not in direct:
        return implied_document(inputs, chosen)
    slug, _, question = chosen.partition(":")
    labels = label_rows(
        release, campaign=slug, wanted=LabelFilter({"question": {question}, "rater_kind": {"expert"}})
    )
    # the two systems without their track, which is one for the whole campaign
    rows = (
        {**label, "system": "|".join(arm.partition("@")[0] for arm in label["system"].split("|"))}
        for label in labels
    )
    return {
        "format": FORMAT,
        "source": "direct",
        "grades": {"key": chosen, "title": direct[chosen], "campaign": slug, "question": question},
        "seed": inputs.seed,
        **pairs_of_rows(rows, seed=inputs.seed),
    }


def other_document(release: Release, inputs: Inputs, shown: Mapping[str, object]) -> dict[str, object] | None:
    """The first comparisons of the other source than `shown`; None when there are none."""
    direct, implied = direct_kinds(release, inputs.track), implied_kinds(inputs)
    kinds = implied if shown["source"] == "direct" else direct
    return compared_document(release, inputs, next(iter(kinds))) if kinds else None
