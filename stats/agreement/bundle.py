"""The agreement bundle: never one coefficient alone (STATISTICS.md 3 ii).

Errors come from leaving out one item at a time, or one cluster of items when several share a problem or a paper;
intervals are Student's t on Fisher's z, for percent agreement Wilson's (`stats.core.jackknife`).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from stats.agreement import cohen, gwet, krippendorff
from stats.agreement.icc import FORMS, intraclass
from stats.agreement.sums import MAX_CATEGORIES, MAX_CELLS, AgreementSums, agreement_sums
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import LEAST_DEGREES, fisher_interval, leave_one_out, share_left_out, widened
from stats.tables.ratings import Ratings

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
LOW_N = 30
FEW_MINORITY = 10  # below so many units with a rarer label, alpha's interval covers less than it says


@dataclass(frozen=True)
class Coefficient:
    """Its name in words, the lowest level of measurement that allows it, the first `methods` of scores that have it,
    and whether it needs exactly two raters."""

    name: str
    lowest: Level
    since: int
    two_raters: bool = False


COEFFICIENTS: Mapping[str, Coefficient] = {
    "percent": Coefficient("Percent agreement", "nominal", since=1),
    "cohen_kappa": Coefficient("Cohen’s kappa", "nominal", since=1, two_raters=True),
    "weighted_kappa_linear": Coefficient("Weighted kappa, linear", "ordinal", since=1, two_raters=True),
    "weighted_kappa_quadratic": Coefficient("Weighted kappa, quadratic", "ordinal", since=1, two_raters=True),
    "fleiss_kappa": Coefficient("Fleiss’ kappa", "nominal", since=1),
    "krippendorff_alpha_nominal": Coefficient("Krippendorff’s alpha, nominal", "nominal", since=1),
    "krippendorff_alpha_ordinal": Coefficient("Krippendorff’s alpha, ordinal", "ordinal", since=1),
    "krippendorff_alpha_interval": Coefficient("Krippendorff’s alpha, interval", "interval", since=1),
    "krippendorff_alpha_ratio": Coefficient("Krippendorff’s alpha, ratio", "ratio", since=1),
    "gwet_ac1": Coefficient("Gwet’s AC1", "nominal", since=1),
    "gwet_ac2_linear": Coefficient("Gwet’s AC2, linear weights", "ordinal", since=1),
    "gwet_ac2_quadratic": Coefficient("Gwet’s AC2, quadratic weights", "ordinal", since=1),
}
TWO_RATERS = tuple(name for name, one in COEFFICIENTS.items() if one.two_raters)


@dataclass(frozen=True)
class Request:
    """How a bundle is computed: level of measurement, confidence level.

    `older` is for artifacts by methods before 20: items with one label count, though nobody can agree about them, and
    percent agreement has one degree of freedom where one unit shows all the disagreement.
    """

    level: Level
    confidence: float = 0.95
    older: bool = False

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"unknown level {self.level!r}: {', '.join(LEVELS)}")

    def allows(self, level: Level) -> bool:
        """Whether data at the requested level support a coefficient of this level."""
        return LEVELS.index(level) <= LEVELS.index(self.level)


def agreement(
    ratings: Ratings,
    request: Request,
    *,
    clusters: Ints | None = None,
    correlations: Callable[..., dict[str, Estimate]] = intraclass,
) -> dict[str, Estimate]:
    """Every coefficient of COEFFICIENTS and the six intraclass correlations, undefined ones with reason.

    `clusters` (n_items,) are consecutive cluster codes; None when every item stands alone. `correlations` is for older
    artifacts.
    """
    if ratings.q == 1:  # somebody could have given another value, whatever it is called
        more = np.append(ratings.points, ratings.points + 1)
        ratings = replace(ratings, categories=(*ratings.categories, ""), points=more)
    level, whole = request.confidence, absence(ratings)
    shared = np.flatnonzero(np.bincount(ratings.item) > (0 if request.older else 1))  # items with two labels
    n, found = len(shared), {}
    if whole is not None:
        found = {name: undefined(name, whole, n=n, level=level) for name in COEFFICIENTS}
    else:
        sums = agreement_sums(ratings, clusters)
        functions = coefficient_functions(ratings, sums)
        units = n if clusters is None else len(np.unique(clusters[shared]))
        if request.older:
            units = int(sums.counts.sum())
        for name in COEFFICIENTS:
            reason = refusal(name, ratings, request, functions)
            if reason is not None:
                found[name] = undefined(name, reason, n=n, level=level)
            else:
                estimate = _estimate(name, functions[name], sums, request, n, units, clusters is not None)
                found[name] = estimate
    # Intraclass correlations are over the items that every rater rated.
    lacking = whole if request.allows("interval") else Reason.LEVEL
    if lacking is None:
        table = ratings.matrix().T
        rated = (table >= 0).all(axis=1)
        scores = ratings.points[table[rated]]
        if min(scores.shape) >= 2:
            codes = None if clusters is None else np.unique(clusters[rated], return_inverse=True)[1]
            return found | correlations(scores, level=level, clusters=codes)
        lacking = Reason.INCOMPLETE
    return found | {form: undefined(form, lacking, level=level) for form in FORMS}


def absence(ratings: Ratings) -> Reason | None:
    """Why nothing at all can be said about agreement."""
    if not len(ratings.item):
        return Reason.NO_ITEMS
    if np.count_nonzero(np.bincount(ratings.rater)) < 2:
        return Reason.ONE_RATER
    if np.bincount(ratings.item).max() < 2:
        return Reason.NO_PAIRABLE
    return None


def refusal(name: str, ratings: Ratings, request: Request, functions: Mapping[str, object]) -> Reason | None:
    """Why this coefficient is not computed; None if it is. Raises LookupError if nobody wrote how."""
    if not request.allows(COEFFICIENTS[name].lowest):
        return Reason.LEVEL
    if name in TWO_RATERS and len(ratings.raters) != 2:
        return Reason.NOT_TWO_RATERS
    if name in functions:
        return None
    if ratings.q > MAX_CATEGORIES:
        return Reason.TOO_MANY_CATEGORIES
    raise LookupError(f"{name} is in COEFFICIENTS, but coefficient_functions does not compute it")


def coefficient_functions(ratings: Ratings, sums: AgreementSums) -> dict[str, Callable[[Floats], Floats]]:
    """Coefficient -> function of sums (B, d)."""
    points, part = ratings.points, sums.part
    found: dict[str, Callable[[Floats], Floats]] = {
        "krippendorff_alpha_interval": lambda s: krippendorff.interval_alpha(part(s, "moments"))
    }
    if ratings.q > MAX_CATEGORIES:
        return found
    identity = np.eye(ratings.q)
    linear, quadratic = gwet.weights("linear", points), gwet.weights("quadratic", points)

    def weighted(s: Floats, kind: str) -> Floats:
        return np.hstack([part(s, kind), part(s, "shares")[:, 1:]])

    found |= {
        "percent": lambda s: gwet.percent(part(s, "shares")),
        "fleiss_kappa": lambda s: gwet.fleiss(part(s, "shares")),
        "gwet_ac1": lambda s: gwet.gwet(part(s, "shares"), identity),
        "gwet_ac2_linear": lambda s: gwet.gwet(weighted(s, "linear"), linear),
        "gwet_ac2_quadratic": lambda s: gwet.gwet(weighted(s, "quadratic"), quadratic),
        "krippendorff_alpha_nominal": lambda s: krippendorff.alpha(
            part(s, "coincidences"), "nominal", points
        ),
        "krippendorff_alpha_ordinal": lambda s: krippendorff.alpha(
            part(s, "coincidences"), "ordinal", points
        ),
        "krippendorff_alpha_ratio": lambda s: krippendorff.alpha(part(s, "coincidences"), "ratio", points),
    }
    if len(ratings.raters) == 2:
        by_line, by_square = cohen.disagreement("linear", points), cohen.disagreement("quadratic", points)
        found |= {
            "cohen_kappa": lambda s: cohen.kappa(part(s, "table")),
            "weighted_kappa_linear": lambda s: cohen.kappa(part(s, "table"), by_line),
            "weighted_kappa_quadratic": lambda s: cohen.kappa(part(s, "table"), by_square),
        }
    return found


def _estimate(
    name: str,
    function: Callable[[Floats], Floats],
    sums: AgreementSums,
    request: Request,
    n: int,
    units: int,
    clustered: bool,
) -> Estimate:
    """A coefficient over `n` items in `units`: these items, or the clusters that hold them."""
    total, level = sums.total(), request.confidence
    value = float(function(total)[0])
    if math.isnan(value):
        return undefined(name, Reason.ONE_CATEGORY, n=n, level=level)
    error = leave_one_out(function, sums.rows, sums.counts) if sums.rows.size <= MAX_CELLS else None
    cautions = [Caution.LOW_N] if n < LOW_N else []
    if clustered and units < LOW_N:
        cautions.append(Caution.FEW_CLUSTERS)
    if sums.minority < FEW_MINORITY:
        cautions.append(Caution.FEW_MINORITY)
    ends, is_share = None, name == "percent"
    at_end = is_share and value in (0, 1)
    if error is not None and error[0] > 0 and (request.older or not at_end):
        if is_share and not at_end:
            least = 1 if request.older else LEAST_DEGREES
            ends = share_left_out(value, error, units, level, least_degrees=least)
        else:
            ends = fisher_interval(value, *error, level)
    elif error is not None:
        # With clusters, a whole one of one kind goes unseen.
        unseen = sums.possible * n / units if clustered else sums.possible
        ends = widened(function, total, unseen, units, level)
        cautions.append(Caution.NO_SPREAD)
    reason = Reason.TOO_MANY_CATEGORIES if sums.rows.size > MAX_CELLS else Reason.FEW_EVENTS
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=f"{name}, {'cluster' if clustered else 'item'} jackknife",
        se=None if error is None else error[0],
        n=n,
        clusters=units if clustered else None,
        reason=reason if ends is None else None,
        warnings=tuple(cautions),
    )
