"""The one shape in which every number leaves this package.

An undefined number is `value=None` with a reason, never 0 and never an exception; wrong arguments
(a negative count, an unknown level) are programming errors and raise `ValueError`.
"""

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar


class Reason(StrEnum):
    """Why a value, or the interval of a given value, is absent."""

    NO_ITEMS = "NO_ITEMS"  # nothing was labelled
    ONE_RATER = "ONE_RATER"  # agreement needs two raters
    NO_PAIRABLE = "NO_PAIRABLE"  # no item was labelled by two raters
    ONE_CATEGORY = "ONE_CATEGORY"  # everybody always chose one category: chance-corrected agreement is 0/0
    ONE_VALUE = "ONE_VALUE"  # one value occurs, and nothing says which others could
    ZERO_DENOM = "ZERO_DENOM"  # a ratio over nothing
    NOT_CONNECTED = "NOT_CONNECTED"  # systems that were never compared, not even through others
    SEPARATION = "SEPARATION"  # a group of systems never lost (or never won): strengths are infinite
    EMPTY_STRATUM = "EMPTY_STRATUM"  # a stratum without a single audited item
    CENSUS = "CENSUS"  # everything was audited: no sampling error by design
    DEGENERATE_BOOTSTRAP = "DEGENERATE_BOOTSTRAP"  # too few distinct replicates for percentiles
    JUDGE_UNINFORMATIVE = "JUDGE_UNINFORMATIVE"  # sensitivity + specificity <= 1
    LEVEL = "LEVEL"  # the level of measurement does not allow this coefficient
    NOT_TWO_RATERS = "NOT_TWO_RATERS"  # a coefficient for exactly two raters
    TOO_LARGE = "TOO_LARGE"  # the interval would take too long
    TOO_MANY_CATEGORIES = "TOO_MANY_CATEGORIES"  # too many for the coefficient, or for its interval
    INCOMPLETE = "INCOMPLETE"  # needs every item rated by every rater
    NO_DESIGN = "NO_DESIGN"  # the sampling design (stratum sizes) is unknown
    NO_JUDGE = "NO_JUDGE"  # no judge labels
    RATERS_ALIKE = "RATERS_ALIKE"  # raters who are not told apart
    NO_SUCCESS_SET = "NO_SUCCESS_SET"  # no value was named as success
    NOT_A_SHARE = "NOT_A_SHARE"  # scores that are not probabilities
    FEW_RATERS = "FEW_RATERS"  # two raters who vary their answers cannot tell errors from the truth
    FEW_EVENTS = "FEW_EVENTS"  # the method's condition on successes and failures fails


class Caution(StrEnum):
    """What a reader should know about a value that is given."""

    BORROWED = "BORROWED"  # small cells share the spread of their group
    CENSUS = "CENSUS"
    COLLAPSED = "COLLAPSED"  # a verdict of which a stratum has no audit takes its group's rate
    DEGENERATE_BOOTSTRAP = "DEGENERATE_BOOTSTRAP"
    FEW_CLUSTERS = "FEW_CLUSTERS"
    FEW_MINORITY = "FEW_MINORITY"  # few items (or clusters) hold a rarer label
    LOW_N = "LOW_N"
    MANY_RATERS = "MANY_RATERS"  # too many raters to look at every two of them
    MARGIN_CAP = "MARGIN_CAP"
    MIXED_RATER_KINDS = "MIXED_RATER_KINDS"
    MIXED_VALUES = "MIXED_VALUES"  # most values are numbers or ordered words; the others make names of all
    NONRESPONSE = "NONRESPONSE"  # drawn units without a label
    NO_SPREAD = "NO_SPREAD"  # the data show no variation
    OPEN_CASES = "OPEN_CASES"  # a person has still to look; the bounds decide them either way
    POOLED_ARMS = "POOLED_ARMS"  # outputs on several tracks or under several conditions
    POOLED_QUESTIONS = "POOLED_QUESTIONS"
    POOLED_SYSTEMS = "POOLED_SYSTEMS"
    PREVALENCE_PARADOX = "PREVALENCE_PARADOX"
    RATES_DIFFER = "RATES_DIFFER"  # cells that share a spread have different rates
    RATER_BIAS = "RATER_BIAS"
    SEPARATION = "SEPARATION"
    SMALL_FOR_MODEL = "SMALL_FOR_MODEL"
    SPLIT = "SPLIT"  # experts split evenly and nobody decided
    TRANSPORT_ASSUMPTION = "TRANSPORT_ASSUMPTION"
    TRUNCATED = "TRUNCATED"
    UNDRAWABLE = "UNDRAWABLE"  # units that no draw could take
    WHOLE_CLUSTERS = (
        "WHOLE_CLUSTERS"  # clusters were drawn as a whole, the interval takes outputs drawn one by one
    )


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with everything needed to read it.

    `reason` explains an absent value (or an absent interval of a given value); `warnings` qualify a given
    value. `k` is the exact numerator when the value is `k / n`, so that a page can round the exact ratio.
    `bounds` are logical limits (missing labels resolved in the worst and the best way), not an interval.
    """

    json_names: ClassVar = {"population": "N", "replicates": "B"}

    value: float | None
    se: float | None = None
    ci: tuple[float, float] | None = None
    level: float = 0.95
    method: str
    k: float | None = None
    n: int | None = None
    population: int | None = None
    clusters: int | None = None
    denom_rule: str | None = None
    n_abstain: int | None = None
    n_unavailable: int | None = None
    bounds: tuple[float, float] | None = None
    reason: Reason | None = None
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    replicates: int | None = None
    label_set_version: str | None = None
    judge_version: str | None = None
    release_id: str | None = None

    def __post_init__(self) -> None:
        for number in (self.value, self.se, *(self.ci or ()), *(self.bounds or ())):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"an estimate must be finite or None, got {number!r} ({self.method})")
        if self.value is None and self.reason is None:
            raise ValueError(f"an undefined estimate needs a reason ({self.method})")

    def as_json(self) -> dict[str, object]:
        """All fields, under the names that JSON documents keep (`json_names`)."""
        return {
            self.json_names.get(field.name, field.name): _plain(getattr(self, field.name))
            for field in fields(self)
        }


def undefined(method: str, reason: Reason, *, n: int | None = None, level: float = 0.95) -> Estimate:
    """An estimate that does not exist for these data, and why."""
    return Estimate(value=None, method=method, reason=reason, n=n, level=level)


def _plain(value: Any) -> Any:
    """numpy scalars become plain JSON numbers, -0.0 becomes 0.0, codes become text."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, int | str):
        return str(value) if isinstance(value, StrEnum) else value
    return float(value) + 0.0
