"""How reliable the experts' answers to one question of a campaign are. No rows here, and no systems.

The agreement bundle of the score document, with what is behind it: every pair of experts who share
enough outputs, and every value of the scale.
"""

from typing import Any

import numpy as np

from benchmark.rubrics import Question, Rubric
from reports.campaign.agreement import agreement_document, judged, problems_of, ratings_of
from reports.campaign.data import CampaignData, ReviewerLabel
from reports.core.datasets import ExpertLabel
from stats.agreement import gwet
from stats.agreement.bundle import Request
from stats.agreement.rater_pairs import MIN_OVERLAP, PairAgreement, rater_pairs
from stats.analyses.errors import ASSUMPTIONS, errors_json
from stats.raters.expert_errors import expert_errors

FORMAT = "touchstone-reliability-1"


def reliability_document(rubric: Rubric, data: CampaignData, key: str, *, seed: int) -> dict[str, Any]:
    """Everything about one question. Raises RubricError for a question that the rubric lacks."""
    question = rubric.question(key)
    labels = _labels(data, key)
    bundle = agreement_document(rubric, labels, seed=seed)[key]
    ratings, items = ratings_of(question, judged(question, labels))
    pairs, dropped = rater_pairs(ratings, Request(level=bundle["level"]), clusters=problems_of(items))
    return {
        "format": FORMAT,
        "question": key,
        "text": question.text,
        "scale": question.scale.name,
        "primary": question.scale.primary_coefficient,
        "seed": seed,
        **bundle,
        "values": _values(question, ratings.counts()),
        "raters": list(ratings.raters),
        "least_overlap": MIN_OVERLAP,
        "pairs": [_pair(pair) for pair in pairs],
        "pairs_dropped": dropped,
    }


def errors_part(rubric: Rubric, data: CampaignData, key: str, *, seed: int) -> dict[str, Any]:
    """What the labels say when the experts err (stats/raters/expert_errors.py), never by system; fitted when asked for.

    `subject` of an overturned majority is the output's number in this campaign.
    """
    question = rubric.question(key)
    ratings, items = ratings_of(question, judged(question, _labels(data, key)))
    successes = [code for code, value in enumerate(ratings.categories) if value in question.scale.success]
    success = np.array(successes) if successes else None
    found = expert_errors(ratings, success, units=problems_of(items), seed=seed)
    subjects = [subject.split("/")[1] + (f", step {step}" if step else "") for subject, step in items]
    return {**errors_json(found, ratings, success, subjects), "assumptions": list(ASSUMPTIONS)}


def overview_document(rubric: Rubric, data: CampaignData, *, seed: int) -> dict[str, Any]:
    """The agreement bundle of every question of a campaign."""
    return agreement_document(rubric, _labels(data), seed=seed)


def _labels(data: CampaignData, key: str = "") -> list[ExpertLabel]:
    """Labels under opaque subjects of the usual shape, PROBLEM/ITEM/ATTEMPT, whose first part is the cluster."""
    names = {reviewer.key: reviewer.name for reviewer in data.reviewers}
    twice = {name for name in names.values() if list(names.values()).count(name) > 1}
    raters = {r.key: f"{r.name} ({r.rater})" if r.name in twice else r.name for r in data.reviewers}
    return [_label(label, raters) for label in data.labels if key in ("", label.question)]


def _label(label: ReviewerLabel, raters: dict[int, str]) -> ExpertLabel:
    subject = f"{label.cluster}/{label.item}/1"
    rater = raters.get(label.reviewer, f"reviewer {label.reviewer}")
    return ExpertLabel(subject, "", label.question, label.step, rater, label.value, label.state)


def _values(question: Question, counts: Any) -> list[dict[str, Any]]:
    """Per value of the scale: how often it was chosen, and the agreement on it."""
    total = int(counts.sum())
    specific = gwet.specific_agreement(counts) if total else np.full(len(question.scale.judgments), np.nan)
    return [
        {
            "value": value,
            "n": int(n),
            "share": int(n) / total if total else None,
            "agreement": None if np.isnan(agreement) else float(agreement),
        }
        for value, n, agreement in zip(question.scale.judgments, counts.sum(axis=0), specific, strict=True)
    ]


def _pair(pair: PairAgreement) -> dict[str, Any]:
    return {
        "raters": list(pair.raters),
        "n_items": pair.n_items,
        "table": pair.table.tolist(),
        "percent": pair.percent.as_json(),
        **{name: estimate.as_json() for name, estimate in pair.kappas.items()},
        "kappa_max": pair.kappa_max,
        "prevalence_index": pair.prevalence_index,
        "bias_index": pair.bias_index,
    }
