"""Labels given in sight of a judge's verdict: out of the primary scores, their effect shown next to them. No rows here.

Such a label is no independent judgment, whatever it says. The rule is the same in every campaign and was there
before any label, so there is nothing to choose after the fact (ADR 0019).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from reports.exclusions.rules import figures, named

Document = dict[str, Any]


def in_sight_document(
    inputs: Any, primary: Mapping[str, Any], score: Callable[[Any], Document]
) -> Document | None:
    """How many labels were in sight and how many independent, by campaign, and every figure with and without.

    `primary` is the score document of `inputs` without such labels, `score` computes one from inputs.
    None where no label was given in sight. A campaign is counted only if it has such labels, and its figures appear
    there only once it is closed.
    """
    if not inputs.in_sight:
        return None
    seen = Counter(label.campaign for label in inputs.in_sight)
    alone = Counter(label.campaign for label in inputs.labels)
    everything = figures(score(replace(inputs, labels=inputs.labels + inputs.in_sight, in_sight=())))
    without = figures(dict(primary))
    return {
        "labels": {"in_sight": seen.total(), "independent": sum(alone[slug] for slug in seen)},
        "campaigns": [
            {"campaign": slug, "in_sight": seen[slug], "independent": alone[slug]} for slug in sorted(seen)
        ],
        "figures": [
            {**named(key), "without": without.get(key), "with": estimate}
            for key, estimate in everything.items()
            if named(key)["campaign"] in seen
        ],
    }
