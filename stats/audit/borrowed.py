"""A corrected score whose unaudited strata borrow their rate from audits of the same class elsewhere.

A judge is audited over several systems at once, and of one system's outputs of some class none was drawn. No
design estimates that system's score. Under the assumption that the judge errs within a class on this system as on
the others it can still be said; the estimate carries TRANSPORT_ASSUMPTION, and is never the corrected score itself.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from stats.audit.pooling import Pool, unaudited_range
from stats.core.estimate import Caution, Estimate
from stats.core.strata import Stratum, population


def borrowed_score(
    strata: Sequence[Stratum], rates: Mapping[str, tuple[int, int]], *, level: float = 0.95
) -> Estimate | None:
    """Share of true successes among the N units; `rates` gives unaudited strata (audited, true) elsewhere.

    The interval is that of `corrected_score`, an unaudited stratum having the posterior of what was found
    elsewhere. None where a stratum was audited nowhere. Raises ValueError without an unaudited stratum.
    """
    empty = [stratum for stratum in strata if stratum.is_unaudited]
    if not empty:
        raise ValueError("no stratum is unaudited, so there is nothing to borrow")
    if any(rates.get(stratum.name, (0, 0))[0] == 0 for stratum in empty):
        return None
    known = [(s, s.sampled, s.successes) for s in strata if not s.is_unaudited]
    found = [*known, *((s, *rates[s.name]) for s in empty)]
    total, audited = population(strata), sum(stratum.successes for stratum in strata)
    value = sum(s.size * true / sampled for s, sampled, true in found if s.size) / total
    groups = [
        Pool(np.array([at]), np.ones(1), s.size - s.sampled, sampled)
        for at, (s, sampled, _) in enumerate(found)
        if not s.is_census
    ]
    shares = np.array([[true / max(1, sampled) for _, sampled, true in found]])
    low, high = unaudited_range(groups, shares, level)
    return Estimate(
        value=value,
        ci=(min(value, float(audited + low[0]) / total), max(value, float(audited + high[0]) / total)),
        level=level,
        method="bb_jeffreys_borrowed",
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        denom_rule="finite",
        warnings=(Caution.TRANSPORT_ASSUMPTION,),
    )
