"""Systems two at a time as experts chose between their outputs, shown side by side and blind.

The rows are those of the label table that the score counts, so that a page and `analyse pairs` on the exported file
agree where no exclusion rule is primary. A pair that came to its expert a second time with the sides exchanged is the
second order of the same judgment.
"""

from annotation.core.phases import Phase
from annotation.models import Campaign, CampaignKind
from benchmark.models import Release
from benchmark.rubrics import rubric_from_content
from reports.comparison.implied_pairs import FORMAT, pairs_of_rows
from reports.core.wording import in_words
from reports.exclusions.rules import left_out
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


def direct_document(release: Release, inputs: Inputs, key: str, title: str) -> dict[str, object]:
    """What `analyse pairs` says about the choices in one campaign, and the wins of every pair."""
    slug, _, question = key.partition(":")
    out = left_out(inputs)
    labels = label_rows(
        release, campaign=slug, wanted=LabelFilter({"question": {question}, "rater_kind": {"expert"}})
    )
    # the two systems without their track, which is one for the whole campaign
    rows = (
        {**label, "system": "|".join(arm.partition("@")[0] for arm in label["system"].split("|"))}
        for label in labels
        if label["instance"] not in out
    )
    return {
        "format": FORMAT,
        "source": "direct",
        "grades": {"key": key, "title": title, "campaign": slug, "question": question},
        "seed": inputs.seed,
        **pairs_of_rows(rows, seed=inputs.seed),
    }
