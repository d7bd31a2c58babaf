"""How far the experts of a campaign agree, question by question. No rows here."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmark.rubrics import NOT_ASSESSED, Question, Rubric
from reports.core.datasets import ExpertLabel
from reports.scores.shape import METHODS, Agreement
from stats.agreement.bundle import COEFFICIENTS, Request, agreement
from stats.agreement.first_methods import first_agreement, third_agreement
from stats.agreement.icc import intraclass
from stats.core.bootstrap import Ints
from stats.scores.clusters import cluster_codes
from stats.tables.ratings import Ratings, scale_points


def agreement_by_question(
    rubric: Rubric,
    labels: Sequence[ExpertLabel],
    papers: Mapping[str, str],
    *,
    seed: int,
    methods: int = METHODS,
) -> dict[str, Agreement]:
    """Question key to its agreement bundle. `papers` has the paper of a problem; items of one are one cluster.

    Artifacts with `methods` before 20 count items that one expert labelled, those before 18 take the problems for
    papers, those before 4 have the intervals of stats.agreement.first_methods, and those before 3 use `seed`.
    """
    bundles = {}
    for question in (question for question in rubric.questions if question.scale.has_values):
        given = [label for label in labels if label.question == question.key]
        answered = judged(question, given)
        ratings, items = ratings_of(question, answered)
        clusters = clusters_of(items, papers if methods >= 18 else {})
        request = Request(level=question.scale.level, older=methods < 20)
        if methods < 3:
            found = first_agreement(ratings, request, seed=seed, clusters=clusters)
        elif methods == 3:
            found = third_agreement(ratings, request, clusters=clusters)
        else:
            correlations = partial(intraclass, beyond_one=methods < 9)
            found = agreement(ratings, request, clusters=clusters, correlations=correlations)
        not_assessed = sum(label.value == NOT_ASSESSED for label in given)
        bundles[question.key] = Agreement(
            level=question.scale.level,
            n_items=ratings.n_items,
            n_raters=len(ratings.raters),
            n_labels=len(answered),
            n_abstain=sum(label.state == "abstain" for label in given),
            n_unavailable=sum(label.state == "unavailable" for label in given),
            coefficients={
                name: estimate
                for name, estimate in found.items()
                if name not in COEFFICIENTS or COEFFICIENTS[name].since <= methods
            },
            n_not_assessed=not_assessed if question.scale.stepwise else None,
        )
    return bundles


def clusters_of(items: Sequence[tuple[str, str]], papers: Mapping[str, str]) -> Ints:
    """The paper of every item (subject, step), or its problem where `papers` lacks it, as cluster codes."""
    problems = [subject.rsplit("/", 2)[0] for subject, _ in items]
    return cluster_codes([papers.get(problem, problem) for problem in problems])


def judged(question: Question, labels: Sequence[ExpertLabel]) -> list[ExpertLabel]:
    """The labels that say something of the question: answered, and not "not assessed"."""
    return [
        label for label in labels if label.state == "answered" and label.value in question.scale.judgments
    ]


def ratings_of(question: Question, labels: Sequence[ExpertLabel]) -> tuple[Ratings, list[tuple[str, str]]]:
    """Judged labels as coded ratings, with (subject, step) in the order of their item codes: a step is an item."""
    categories = question.scale.judgments
    items = sorted({(label.subject, label.step) for label in labels})
    raters = sorted({label.rater for label in labels})
    return (
        Ratings(
            item=_codes([(label.subject, label.step) for label in labels], items),
            rater=_codes([label.rater for label in labels], raters),
            value=_codes([label.value for label in labels], categories),
            n_items=len(items),
            raters=tuple(raters),
            categories=categories,
            points=scale_points(categories),
        ),
        items,
    )


def _codes(values: Sequence[object], order: Sequence[object]) -> Any:
    position = {value: code for code, value in enumerate(order)}
    return np.array([position[value] for value in values], dtype=np.int64)
