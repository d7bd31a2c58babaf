"""How reliable the experts' answers to one question of a campaign are. No rows here, and no systems.

The agreement bundle of the score document, with what is behind it: every pair of experts who share
enough outputs, and every value of the scale.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from benchmark.rubrics import Rubric
from canonical.documents import Maybe
from reports.campaign.agreement import agreement_by_question, clusters_of, judged, ratings_of
from reports.campaign.data import CampaignData
from reports.core.datasets import ExpertLabel
from reports.scores.shape import Agreement
from stats.agreement import gwet
from stats.agreement.bundle import Request
from stats.agreement.rater_pairs import MIN_OVERLAP, DroppedPair, rater_pairs
from stats.analyses.errors import ASSUMPTIONS, errors_json
from stats.core.estimate import Estimate
from stats.raters.expert_errors import expert_errors

FORMAT = "touchstone-reliability-1"


@dataclass(frozen=True, kw_only=True)
class ScaleValue:
    value: str
    n: int
    share: float | None
    agreement: float | None


@dataclass(frozen=True, kw_only=True)
class RaterPair:
    raters: Sequence[str]
    n_items: int
    table: Sequence[Sequence[int]]
    percent: Estimate
    cohen_kappa: Estimate
    weighted_kappa_linear: Estimate
    weighted_kappa_quadratic: Estimate
    gwet_ac1: Estimate
    kappa_max: float | None
    prevalence_index: float | None
    bias_index: float | None

    @property
    def kappas(self) -> tuple[Estimate, Estimate, Estimate]:
        """Cohen's kappa, then with linear and with quadratic weights."""
        return self.cohen_kappa, self.weighted_kappa_linear, self.weighted_kappa_quadratic


@dataclass(frozen=True, kw_only=True)
class Reliability(Agreement):
    """The agreement bundle of one question with every pair of experts and every value of the scale."""

    format: str
    question: str
    text: str
    scale: str
    primary: Annotated[str, "The coefficient that leads: alpha at the level of the scale."]
    seed: int
    values: Sequence[ScaleValue]
    raters: Sequence[str]
    least_overlap: int
    pairs: Sequence[RaterPair]
    pairs_dropped: Sequence[DroppedPair]
    expert_errors: Annotated[
        Maybe[Mapping[str, Any]], "As `analyse errors` says it of one question; only with more=errors."
    ] = None


def reliability(rubric: Rubric, data: CampaignData, key: str, *, seed: int) -> Reliability:
    """Everything about one question. Raises RubricError for a question that the rubric lacks."""
    question = rubric.question(key)
    labels = _labels(data, key)
    found = agreement_by_question(rubric, labels, {}, seed=seed)[key]
    ratings, items = ratings_of(question, judged(question, labels))
    pairs, dropped = rater_pairs(
        ratings, Request(level=question.scale.level), clusters=clusters_of(items, {})
    )
    counts, values = ratings.counts(), question.scale.judgments
    total = int(counts.sum())
    specific = gwet.specific_agreement(counts) if total else np.full(len(values), np.nan)
    return Reliability(
        **vars(found),
        format=FORMAT,
        question=key,
        text=question.text,
        scale=question.scale.name,
        primary=question.scale.primary_coefficient,
        seed=seed,
        values=[
            ScaleValue(
                value=value,
                n=int(n),
                share=int(n) / total if total else None,
                agreement=None if np.isnan(agreement) else float(agreement),
            )
            for value, n, agreement in zip(values, counts.sum(axis=0), specific, strict=True)
        ],
        raters=ratings.raters,
        least_overlap=MIN_OVERLAP,
        pairs=[
            RaterPair(
                raters=pair.raters,
                n_items=pair.n_items,
                table=pair.table.tolist(),
                percent=pair.percent,
                **pair.kappas,
                kappa_max=pair.kappa_max,
                prevalence_index=pair.prevalence_index,
                bias_index=pair.bias_index,
            )
            for pair in pairs
        ],
        pairs_dropped=dropped,
    )


def errors_part(rubric: Rubric, data: CampaignData, key: str, *, seed: int) -> Mapping[str, Any]:
    """What the labels say when the experts err (stats/raters/expert_errors.py), never by system; fitted when asked for.

    `subject` of an overturned majority is the output's number in this campaign.
    """
    question = rubric.question(key)
    ratings, items = ratings_of(question, judged(question, _labels(data, key)))
    successes = [code for code, value in enumerate(ratings.categories) if value in question.scale.success]
    success = np.array(successes) if successes else None
    found = expert_errors(ratings, success, units=clusters_of(items, {}), seed=seed)
    subjects = [subject.split("/")[-2] + (f", step {step}" if step else "") for subject, step in items]
    return {**errors_json(found, ratings, success, subjects), "assumptions": list(ASSUMPTIONS)}


def agreement_of_all(rubric: Rubric, data: CampaignData, *, seed: int) -> dict[str, Agreement]:
    """The agreement bundle of every question of a campaign."""
    return agreement_by_question(rubric, _labels(data), {}, seed=seed)


def _labels(data: CampaignData, key: str = "") -> list[ExpertLabel]:
    """Labels under opaque subjects of the usual shape, PROBLEM/ITEM/ATTEMPT, with the paper in place of the problem."""
    names = {reviewer.key: reviewer.name for reviewer in data.reviewers}
    twice = {name for name in names.values() if list(names.values()).count(name) > 1}
    raters = {r.key: f"{r.name} ({r.rater})" if r.name in twice else r.name for r in data.reviewers}
    return [
        ExpertLabel(
            f"{label.cluster}/{label.item}/1",
            "",
            label.question,
            label.step,
            raters.get(label.reviewer, f"reviewer {label.reviewer}"),
            label.value,
            label.state,
        )
        for label in data.labels
        if key in ("", label.question)
    ]
