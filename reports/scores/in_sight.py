"""Labels given in sight of a judge's verdict: out of the primary scores, their effect shown next to them. No rows here.

Such a label is not an independent judgment, whatever it says. The rule is the same in every campaign and was there
before any label, so there is nothing to choose after the fact (ADR 0019).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reports.exclusions.rules import figures
from reports.scores.shape import InSight, InSightCampaign, InSightFigure, Score


def in_sight(inputs: Any, primary: Score, score: Callable[[Any], Score]) -> InSight | None:
    """How many labels were in sight and how many independent, by campaign, and every figure with and without.

    `primary` is the score of `inputs` without such labels, `score` computes one from inputs.
    None where no label was given in sight. A campaign is counted only if it has such labels, and its figures appear
    there only once it is closed.
    """
    if not inputs.in_sight:
        return None
    seen = Counter(label.campaign for label in inputs.in_sight)
    alone = Counter(label.campaign for label in inputs.labels)
    everything = figures(score(replace(inputs, labels=inputs.labels + inputs.in_sight, in_sight=())))
    without = figures(primary)
    return InSight(
        labels={"in_sight": seen.total(), "independent": sum(alone[slug] for slug in seen)},
        campaigns=[
            InSightCampaign(campaign=slug, in_sight=seen[slug], independent=alone[slug])
            for slug in sorted(seen)
        ],
        figures=[
            InSightFigure(**at._asdict(), without=without.get(at), with_=estimate)
            for at, estimate in everything.items()
            if at.campaign in seen
        ],
    )
