"""What experts answered about instances, for pages that show it together with what programs found.

Adjudicated values win over votes. Only closed campaigns count: an open one is still blind to its graders.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from annotation.adjudication.reading import primary_decisions
from annotation.core.phases import Phase
from annotation.models import Answer, CampaignKind, LabelState
from benchmark.models import Release


@dataclass(frozen=True)
class InstanceLabel:
    """The answers of all experts to one question about one instance.

    `counts` are answers by value, without those who could not judge it (`unjudged`). `value` is the decision of
    an adjudicator, or else the value of more than half of the answers, or "" where there is neither.
    """

    instance: str
    question: str
    counts: dict[str, int]
    unjudged: int
    value: str
    decided: bool


def instance_labels(release: Release) -> list[InstanceLabel]:
    """One for every instance and question that an expert answered in a closed construction audit, sorted."""
    given: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    rows = Answer.objects.filter(
        grade__superseded_by=None,
        grade__assignment__item__campaign__release=release,
        grade__assignment__item__campaign__kind=CampaignKind.CONSTRUCTION,
        grade__assignment__item__campaign__phase=Phase.CLOSED,
    )
    for instance, question, value, state in list(
        rows.values_list("grade__assignment__item__instance__key", "question", "value", "state")
    ):
        given[instance, question][value if state == LabelState.ANSWERED else ""] += 1
    decisions = primary_decisions().filter(
        item__campaign__release=release, item__campaign__kind=CampaignKind.CONSTRUCTION
    )
    latest = decisions.order_by("decided_at", "pk").values_list("item__instance__key", "question", "value")
    decided = {(instance, question): value for instance, question, value in latest}
    labels = []
    for key, counts in sorted(given.items()):
        unjudged = counts.pop("", 0)
        most, votes = counts.most_common(1)[0] if counts else ("", 0)
        majority = most if 2 * votes > counts.total() else ""
        decision = decided.get(key, "")
        value = decision or majority
        labels.append(InstanceLabel(*key, dict(sorted(counts.items())), unjudged, value, bool(decision)))
    return labels
