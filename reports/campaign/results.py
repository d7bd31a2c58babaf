"""What is known of a campaign: progress, reliability of each question, reviewers. Nothing by system."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from accounts.refusal import Refused
from annotation.core.queries import progress_by_item
from annotation.models import Campaign
from benchmark.rubrics import RubricError, rubric_from_content
from reports.campaign.data import campaign_data, places_wanted, submitted_days
from reports.campaign.flagging import FlagAgreement, flag_agreement
from reports.campaign.monitoring import Monitoring, anchoring_of, monitoring
from reports.campaign.reliability import Reliability, agreement_of_all, errors_part, reliability
from reports.core.seen_labels import seen_labels
from reports.scores.inputs import SEED
from reports.scores.shape import Agreement

FORMAT = "touchstone-campaign-results-1"
COVERAGE = ("complete", "partly graded", "not begun")


@dataclass(frozen=True, kw_only=True)
class Day:
    day: dt.date
    submitted: Annotated[int, "So far."]


@dataclass(frozen=True, kw_only=True)
class CampaignResults:
    """`domains` counts drawn outputs by state; `agreement` is by question, `flags` by kind of leak."""

    format: str
    campaign: str
    phase: str
    seed: int
    wanted: int
    days: Sequence[Day]
    domains: Mapping[str, Mapping[str, int]]
    questions: Mapping[str, str]
    agreement: Mapping[str, Agreement]
    flags: Annotated[Mapping[str, FlagAgreement], "Empty where nobody was able to flag a leak."]


def campaign_results(campaign: Campaign) -> CampaignResults:
    """A fixed number of queries, however large the campaign is."""
    rubric = rubric_from_content(campaign.rubric.content)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    items: Iterable[Any] = progress_by_item(campaign)  # with what it annotates
    for item in items:
        done = "complete" if item.submitted >= item.places else "partly graded"
        found[item.instance.domain][done if item.submitted else "not begun"] += 1
    return CampaignResults(
        format=FORMAT,
        campaign=campaign.slug,
        phase=campaign.phase,
        seed=SEED,
        wanted=places_wanted(campaign),
        days=[Day(day=day, submitted=n) for day, n in submitted_days(campaign)],
        domains={domain: {state: counts[state] for state in COVERAGE} for domain, counts in found.items()},
        questions={q.key: q.text for q in rubric.questions if q.scale.has_values},
        agreement=agreement_of_all(rubric, campaign_data(campaign), seed=SEED),
        flags=flag_agreement(campaign, seed=SEED),
    )


def question_reliability(campaign: Campaign, key: str, more: str = "") -> Reliability:
    """The reliability of one question; `more` "errors" adds what the labels say when the experts err.

    Raises Refused for a question that the rubric lacks or that is free text, and for another `more`.
    """
    if more not in ("", "errors"):
        raise Refused(f"Unknown value {more!r} of `more`; known: errors.", code="unknown_more", field="more")
    rubric = rubric_from_content(campaign.rubric.content)
    try:
        scale = rubric.question(key).scale
    except RubricError as error:
        raise Refused(str(error), code="no_question") from error
    if not scale.has_values:
        raise Refused(
            f"{key} is answered in free text, for which there is no measure of agreement.", code="no_scale"
        )
    data = campaign_data(campaign)
    found = reliability(rubric, data, key, seed=SEED)
    return replace(found, expert_errors=errors_part(rubric, data, key, seed=SEED)) if more else found


def monitored_reviewers(campaign: Campaign) -> Monitoring:
    """What monitoring knows of a campaign's reviewers."""
    rubric = rubric_from_content(campaign.rubric.content)
    key, labels = seen_labels(campaign)
    found = monitoring(rubric, campaign_data(campaign))
    return replace(found, anchoring=anchoring_of(rubric.question(key), labels) if key else None)
