"""Does a reviewer follow a verdict that was in sight? (STATISTICS.md 3 ix)"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.estimate import Estimate
from stats.scores.clusters import cluster_codes, cluster_totals, wilson_on_effective_n
from stats.scores.compare import unpaired_newcombe


@dataclass(frozen=True)
class Anchoring:
    """Share of labels that agree with the judge, by whether its verdict was visible, and their difference.

    A positive difference means that visible verdicts are followed: a kappa against such labels is too high.
    """

    visible: Estimate
    hidden: Estimate
    difference: Estimate


def anchoring(
    agrees: ArrayLike,
    visible: ArrayLike,
    raters: Sequence[Hashable],
    items: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Anchoring:
    """From labels (L,): 1 where the expert says what the judge said, 1 where the verdict was in sight.

    Labels of one rater are alike, and so are those on one item, which meet the same verdict. So each share has Wilson's
    interval on its effective size by rater or by item, whichever is wider, with Student's t for few of them, and the
    difference Newcombe's from the ends of both. That a rater or an item may be on both sides would only narrow it.
    """
    same, shown = np.asarray(agrees, dtype=np.float64), np.asarray(visible, dtype=bool)
    if not same.shape == shown.shape == (len(raters),) == (len(items),):
        raise ValueError("agrees, visible, raters and items must have one length")
    codes = cluster_codes(raters), cluster_codes(items)

    def share(rows: np.ndarray) -> Estimate:
        clusters = (np.unique(own[rows], return_inverse=True)[1] for own in codes)
        found = (wilson_on_effective_n(cluster_totals(same[rows], own), level=level) for own in clusters)
        return max(found, key=lambda one: one.ci[1] - one.ci[0] if one.ci else 0.0)

    seen, unseen = share(shown), share(~shown)
    return Anchoring(seen, unseen, unpaired_newcombe(seen, unseen))
