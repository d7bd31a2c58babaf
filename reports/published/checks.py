"""How published figures are recomputed: a check takes a row's inputs and gives figures by name.

Numbers are exact ratios where the inputs are counts, so that rounding to the printed decimals is exact too.
Figures in percent are scaled by 100. A check that asks whether a printed value is possible at all gets the
printed values as well and answers with the nearest possible one.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from stats.agreement.bundle import Request, agreement
from stats.agreement.cohen import kappa_max
from stats.audit.confusion import METRICS, Confusion, coefficient
from stats.audit.corrected import corrected_score
from stats.core.intervals import wilson
from stats.core.strata import Stratum
from stats.raters.aggregate import totals, unanimous
from stats.scores.retrieval import mrr_bounds
from stats.tables.ratings import from_matrix

Inputs = Mapping[str, Any]
Printed = Mapping[str, str]
Figures = Mapping[str, Fraction | float | int]
Check = Callable[[Inputs, Printed], Figures]

CORRECTNESS = ("correct", "inconclusive", "incorrect")


def percent(row: Inputs, printed: Printed) -> Figures:
    """k of n in percent."""
    return dict.fromkeys(printed, Fraction(100 * row["k"], row["n"]))


def gap(row: Inputs, printed: Printed) -> Figures:
    """k of n minus k0 of n0, in percentage points."""
    return dict.fromkeys(printed, 100 * (Fraction(row["k"], row["n"]) - Fraction(row["k0"], row["n0"])))


def total(row: Inputs, printed: Printed) -> Figures:
    """The sum of the parts, written with blanks between them."""
    return dict.fromkeys(printed, sum(_numbers(row["parts"])))


def difference(row: Inputs, printed: Printed) -> Figures:
    """a - b of two printed decimals."""
    return dict.fromkeys(printed, Fraction(row["a"]) - Fraction(row["b"]))


def wilson_interval(row: Inputs, printed: Printed) -> Figures:
    """Wilson's 95 % interval of k of n, in percent."""
    low, high = wilson(row["k"], row["n"])
    return {"low": 100 * low, "high": 100 * high}


def confusion(row: Inputs, printed: Printed) -> Figures:
    """Agreement, precision, recall and F1 in percent, and Cohen's kappa, of a judge's confusion matrix."""
    table = Confusion(*(row[cell] for cell in ("tp", "fp", "fn", "tn")))
    found = {metric: coefficient(metric, table) for metric in METRICS}
    return {key: value * (1 if key == "kappa" else 100) for key, value in found.items() if value is not None}


def confusions_that_fit(row: Inputs, printed: Printed) -> Figures:
    """How many confusion matrices of n pairs have the printed agreement, precision, recall and kappa.

    All matrices with tp > 0 are tried; rates are in percent with one decimal, kappa has three. Precision and recall
    depend on two of the counts only, so they go first: few matrices are left for the rest.
    """
    n = row["n"]

    def fits(metric: str, value: Any, half: float) -> Any:
        return np.abs(value - float(row[metric])) <= half * (1 + 1e-9)

    right, other = np.meshgrid(np.arange(1, n + 1), np.arange(n + 1), indexing="ij")
    share = 100 * right / (right + other)
    precise, recalled = fits("precision", share, 0.05), fits("recall", share, 0.05)
    row_of, fp, fn = np.nonzero(precise[:, :, None] & recalled[:, None, :])
    tp = row_of + 1
    tn = n - tp - fp - fn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = ((tp + tn) / n - chance) / (1 - chance)
    found = (tn >= 0) & fits("agreement", 100 * (tp + tn) / n, 0.05) & fits("kappa", kappa, 0.0005)
    return {"matrices": int(found.sum())}


def nearest_share(row: Inputs, printed: Printed) -> Figures:
    """For each printed share the nearest k of n, times the scale (100 for percent)."""
    unit = Fraction(row["scale"], row["n"])
    return {key: _nearest(Fraction(text), unit) for key, text in printed.items()}


def common_denominator(row: Inputs, printed: Printed) -> Figures:
    """How many n up to `most` let all printed percentages be k of `attempts` times n."""
    shares = [Fraction(text) for text in str(row["shares"]).split()]
    half = Fraction(1, 200)  # two decimals
    fitting = [
        n
        for n in range(1, row["most"] + 1)
        if all(abs(_nearest(share, Fraction(100, row["attempts"] * n)) - share) <= half for share in shares)
    ]
    return {"denominators": len(fitting)}


def possible_mrr(row: Inputs, printed: Printed) -> Figures:
    """The MRR@20 nearest to the printed one that P@1, Hit@10 and Hit@20 over n queries allow."""
    shares = [float(_nearest(Fraction(row[key]), Fraction(1, row["n"]))) for key in ("p1", "hit10", "hit20")]
    low, high = mrr_bounds(*shares)
    said = float(printed["mrr"])
    return {"mrr": said if low - 0.0005 <= said <= high + 0.0005 else min(max(said, low), high)}


def untied_spearman(row: Inputs, printed: Printed) -> Figures:
    """The rank correlation of n untied ranks nearest to the printed one: 1 - 6 S / (n^3 - n) with S even."""
    step = Fraction(12, row["n"] ** 3 - row["n"])
    return {key: 1 - step * round((1 - Fraction(text)) / step) for key, text in printed.items()}


def tie_share(row: Inputs, printed: Printed) -> Figures:
    """Share of ties, in percent, if win rates are wins over all comparisons: 1 - 2 times their mean."""
    rates = [Fraction(text) for text in str(row["rates"]).split()]
    return {"ties": 100 * (1 - 2 * sum(rates) / len(rates))}


def expert_counts(row: Inputs, printed: Printed) -> Figures:
    """Judgments by value, and problems by the rule that all experts must agree.

    A problem is three digits (correct, inconclusive, incorrect), or `-` when the system released nothing:
    then it counts as no judgment and, as published, as an incorrect problem.
    """
    labels = [_expanded(counts) for counts in str(row["problems"]).split()]
    settled = [unanimous(said, otherwise="inconclusive") or "incorrect" for said in labels]
    judgments = totals([label for said in labels for label in said], CORRECTNESS)
    problems = totals(settled, CORRECTNESS)
    return judgments | {f"problems_{value}": count for value, count in problems.items()}


def expert_agreement(row: Inputs, printed: Printed) -> Figures:
    """Krippendorff's alpha of experts' judgments on all systems, items as in expert_counts."""
    items = [_expanded(counts) for counts in str(row["problems"]).split() if counts != "-"]
    most = max(map(len, items))
    ratings = from_matrix([[*said, *[None] * (most - len(said))] for said in items], CORRECTNESS)
    found = agreement(ratings, Request(level="interval"))
    return {key: value for key in printed if (value := found[key].value) is not None}


def corrected(row: Inputs, printed: Printed) -> Figures:
    """The audit-corrected score with its interval, in percent; sizes, sampled and successes by stratum."""
    return _corrected(row, classes=0)


def corrected_by_system(row: Inputs, printed: Printed) -> Figures:
    """The same for several systems, three strata of each in turn; strata of one class share a spread."""
    return _corrected(row, classes=3)


def _corrected(row: Inputs, *, classes: int) -> Figures:
    columns = zip(*(_numbers(row[key]) for key in ("sizes", "sampled", "successes")), strict=True)
    strata = [
        Stratum(str(at), size, sampled, successes, group=str(at % classes) if classes else "")
        for at, (size, sampled, successes) in enumerate(columns)
    ]
    estimate = corrected_score(strata)
    if estimate.value is None or estimate.ci is None:
        return {}
    return {"value": 100 * estimate.value, "low": 100 * estimate.ci[0], "high": 100 * estimate.ci[1]}


def most_missed(row: Inputs, printed: Printed) -> Figures:
    """The largest number of successes among N outputs that n sampled ones without any leave possible.

    Possible means: with probability above 5 % (one-sided) and above 2.5 % (two-sided).
    """
    from scipy.stats import hypergeom

    missed = np.arange(row["N"] - row["n"] + 1)
    none = hypergeom.pmf(0, row["N"], missed, row["n"])
    return {name: int(missed[none > alpha].max()) for name, alpha in (("one", 0.05), ("two", 0.025))}


def sensitivity(row: Inputs, printed: Printed) -> Figures:
    """Se and Sp in percent of a judge, from its positive rate, its precision and the experts' rate."""
    rate, precision, truth = (Fraction(row[key]) / 100 for key in ("rate", "precision", "truth"))
    return {"se": 100 * rate * precision / truth, "sp": 100 * (1 - rate * (1 - precision) / (1 - truth))}


def highest_kappa(row: Inputs, printed: Printed) -> Figures:
    """The largest kappa that two judges with a and b positives among n can have."""
    a, b, n = row["a"], row["b"], row["n"]
    both = min(a, b)
    found = kappa_max(np.array([[both, a - both], [b - both, n - a - b + both]]))
    return {} if found is None else {"kappa": found}


def mean_without(row: Inputs, printed: Printed) -> Figures:
    """The mean of n values when `left_out` values of 1 are taken away."""
    rest = row["n"] - row["left_out"]
    return {"mean": (Fraction(row["mean"]) * row["n"] - row["left_out"]) / rest}


def _nearest(share: Fraction, unit: Fraction) -> Fraction:
    return unit * round(share / unit)


def _numbers(text: object) -> list[int]:
    return [int(part) for part in str(text).split()]


def _expanded(counts: str) -> Sequence[str]:
    if counts == "-":
        return []
    return [value for value, digit in zip(CORRECTNESS, counts, strict=True) for _ in range(int(digit))]


_ALL: tuple[Check, ...] = (
    percent, gap, total, difference, wilson_interval, confusion, confusions_that_fit, nearest_share,
    common_denominator, possible_mrr, untied_spearman, tie_share, expert_counts, expert_agreement,
    corrected, corrected_by_system, most_missed, sensitivity, highest_kappa, mean_without,
)  # fmt: skip
CHECKS: Mapping[str, Check] = {check.__name__: check for check in _ALL}
