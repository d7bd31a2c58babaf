"""What is known of a campaign: progress, reliability of each question, reviewers. Nothing by system."""

from collections import Counter, defaultdict
from typing import Any

from accounts.refusal import Refused
from annotation.core.queries import progress_by_item
from annotation.models import Campaign
from benchmark.rubrics import RubricError, rubric_from_content
from reports.campaign.data import campaign_data, places_wanted, submitted_days
from reports.campaign.monitoring import anchoring_document, monitoring_document
from reports.campaign.reliability import errors_part, overview_document, reliability_document
from reports.core.seen_labels import seen_labels
from reports.scores.inputs import SEED

FORMAT = "touchstone-campaign-results-1"
COVERAGE = ("complete", "partly graded", "not begun")


def campaign_results_document(campaign: Campaign) -> dict[str, Any]:
    """A fixed number of queries, however large the campaign is."""
    rubric = rubric_from_content(campaign.rubric.content)
    return {
        "format": FORMAT,
        "campaign": campaign.slug,
        "phase": campaign.phase,
        "seed": SEED,
        "wanted": places_wanted(campaign),
        "days": [{"day": day.isoformat(), "submitted": n} for day, n in submitted_days(campaign)],
        "domains": _coverage(campaign),
        "questions": {q.key: q.text for q in rubric.questions if q.scale.has_values},
        "agreement": overview_document(rubric, campaign_data(campaign), seed=SEED),
    }


def _coverage(campaign: Campaign) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for item in progress_by_item(campaign):
        found[item.instance.domain][_state(item)] += 1
    return {domain: {state: counts[state] for state in COVERAGE} for domain, counts in found.items()}


def _state(item: Any) -> str:
    if not item.submitted:
        return "not begun"
    return "complete" if item.submitted >= item.places else "partly graded"


def question_document(campaign: Campaign, key: str, more: str = "") -> dict[str, Any]:
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
    document = reliability_document(rubric, data, key, seed=SEED)
    return document | ({"expert_errors": errors_part(rubric, data, key, seed=SEED)} if more else {})


def reviewers_document(campaign: Campaign) -> dict[str, Any]:
    """What monitoring knows of a campaign's reviewers."""
    rubric = rubric_from_content(campaign.rubric.content)
    document = monitoring_document(rubric, campaign_data(campaign))
    key, labels = seen_labels(campaign)
    document["anchoring"] = anchoring_document(rubric.question(key), labels) if key else None
    return document
