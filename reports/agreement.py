"""How far the experts of a campaign agree, question by question. No rows here."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmark.rubrics import Question, Rubric
from reports.datasets import ExpertLabel
from stats.agreement import Level, Request, agreement
from stats.clusters import cluster_codes
from stats.ratings import Ratings, scale_points

_LEVELS: Mapping[str, Level] = {"correctness": "ordinal", "ordinal": "interval", "unit": "interval"}


def agreement_document(rubric: Rubric, labels: Sequence[ExpertLabel], *, seed: int) -> dict[str, Any]:
    """Question key to its agreement bundle. Items of one problem are one cluster of the bootstrap."""
    return {
        question.key: _bundle(question, [label for label in labels if label.question == question.key], seed)
        for question in rubric.questions
        if question.scale != "text"
    }


def _bundle(question: Question, labels: Sequence[ExpertLabel], seed: int) -> dict[str, Any]:
    answered = [label for label in labels if label.state == "answered"]
    ratings, items = ratings_of(question, answered)
    level = _LEVELS.get(question.scale, "nominal")
    problems = cluster_codes([subject.rsplit("/", 2)[0] for subject in items])
    found = agreement(ratings, Request(level=level, seed=seed), clusters=problems)
    return {
        "level": level,
        "n_items": ratings.n_items,
        "n_raters": len(ratings.raters),
        "n_labels": len(answered),
        "n_abstain": sum(label.state == "abstain" for label in labels),
        "n_unavailable": sum(label.state == "unavailable" for label in labels),
        "coefficients": {name: estimate.as_json() for name, estimate in found.items()},
    }


def ratings_of(question: Question, labels: Sequence[ExpertLabel]) -> tuple[Ratings, list[str]]:
    """Answered labels as coded ratings, with the subjects in the order of their item codes."""
    categories = question.values
    items = sorted({label.subject for label in labels})
    raters = sorted({label.rater for label in labels})
    return (
        Ratings(
            item=_codes([label.subject for label in labels], items),
            rater=_codes([label.rater for label in labels], raters),
            value=_codes([label.value for label in labels], categories),
            n_items=len(items),
            raters=tuple(raters),
            categories=categories,
            points=scale_points(categories),
        ),
        items,
    )


def _codes(values: Sequence[str], order: Sequence[str]) -> Any:
    position = {value: code for code, value in enumerate(order)}
    return np.array([position[value] for value in values], dtype=np.int64)
