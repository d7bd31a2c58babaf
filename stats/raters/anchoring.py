"""Does a reviewer follow a verdict that was in sight? (STATISTICS.md 3 ix)"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.estimate import Estimate
from stats.scores.clusters import ClusterTotals, cluster_codes, wilson_on_effective_n
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
    agrees: ArrayLike, visible: ArrayLike, raters: Sequence[Hashable], *, level: float = 0.95
) -> Anchoring:
    """From labels (L,): 1 where the expert says what the judge said, 1 where the verdict was in sight.

    Labels of one rater are alike, so each share has Wilson's interval on its effective size by rater, with Student's t
    for few raters, and the difference Newcombe's from the ends of both. That the same rater may be on both sides would
    only narrow it.
    """
    same, shown = np.asarray(agrees, dtype=np.float64), np.asarray(visible, dtype=bool)
    if not same.shape == shown.shape == (len(raters),):
        raise ValueError("agrees, visible and raters must have one length")
    codes = cluster_codes(raters)
    groups = []
    for rows in (shown, ~shown):
        own = np.unique(codes[rows], return_inverse=True)[1]
        sums = np.bincount(own, weights=same[rows]).astype(float)
        groups.append(ClusterTotals(sums, np.bincount(own).astype(np.int64)))
    seen, unseen = (wilson_on_effective_n(group, level=level) for group in groups)
    return Anchoring(seen, unseen, unpaired_newcombe(seen, unseen))
