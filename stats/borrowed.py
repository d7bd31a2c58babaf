"""A corrected score whose unaudited strata borrow their rate from audits of the same class elsewhere.

A judge is audited over several systems at once, and of one system's outputs of some class none was drawn. No
design estimates that system's score. Under the assumption that the judge errs within a class on this system as on
the others it can still be said; the estimate carries TRANSPORT_ASSUMPTION, and is never the corrected score itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stats.beta_binomial import beta_binomial, central_range, convolve
from stats.corrected import JEFFREYS
from stats.estimate import Caution, Estimate
from stats.strata import Stratum, population


def borrowed_score(
    strata: Sequence[Stratum], rates: Mapping[str, tuple[int, int]], *, level: float = 0.95
) -> Estimate | None:
    """Share of true successes among the N units; `rates` gives unaudited strata (audited, true) elsewhere.

    The interval convolves Beta-Binomial counts as `corrected_score` does, those of an unaudited stratum from what
    was found elsewhere. None where a stratum was audited nowhere. Raises ValueError without an unaudited stratum.
    """
    empty = [stratum for stratum in strata if stratum.is_unaudited]
    if not empty:
        raise ValueError("no stratum is unaudited, so there is nothing to borrow")
    if any(rates.get(stratum.name, (0, 0))[0] == 0 for stratum in empty):
        return None
    known = [(s, s.sampled, s.successes) for s in strata if not s.is_unaudited]
    found = [*known, *((s, *rates[s.name]) for s in empty)]
    total = population(strata)
    audited = sum(stratum.successes for stratum in strata)
    counts = [
        beta_binomial(s.size - s.sampled, JEFFREYS + true, JEFFREYS + sampled - true)
        for s, sampled, true in found
        if not s.is_census
    ]
    low, high = central_range(convolve(counts), level)
    return Estimate(
        value=sum(s.size * true / sampled for s, sampled, true in found if s.size) / total,
        ci=((audited + low) / total, (audited + high) / total),
        level=level,
        method="bb_jeffreys_borrowed",
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        denom_rule="finite",
        warnings=(Caution.TRANSPORT_ASSUMPTION,),
    )
