"""An estimate as a table cell: rounded for people, with its reason and its cautions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reports.core.wording import caution_sentence, method_words, reason_sentence
from stats.core.display import minus, percent, rounded, rounded_percent, signed
from stats.core.estimate import Estimate
from stats.core.scale import primary_coefficient

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """`value` is empty when undefined; then `reason` is a sentence. `interval` is empty where there is none.

    `clusters` says what the clusters are, "problems" or "papers", where the method of the estimate leaves it open.
    """

    value: str
    interval: str
    counts: str
    reason: str
    cautions: tuple[str, ...]
    estimate: Estimate
    clusters: str = ""

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What is needed to read the number: counts, denominator, interval, resampling, what was left out."""
        known = self.estimate
        how = method_words(known.method, self.clusters)[0]
        level = f"{rounded(known.level * 100, places=0)} %"
        resampled = f"{known.replicates} resamples, seed {known.seed}" if known.replicates else ""
        found = [
            ("Counts", self.counts),
            ("Denominator", known.denom_rule or ""),
            ("Interval" if self.interval else "Method", f"{level}, {how}" if self.interval else how),
            ("Clusters", "" if known.clusters is None else f"{known.clusters} {self.clusters}".strip()),
            ("Resampling", resampled),
            ("Abstained", str(known.n_abstain or "")),
            ("Unavailable", str(known.n_unavailable or "")),
        ]
        return [(name, text) for name, text in found if text]

    @property
    def definition(self) -> str:
        """Key of the definition that explains the method; "" when none does."""
        return method_words(self.estimate.method)[1]


@dataclass(frozen=True)
class NamedCell:
    """An estimate with what it is called."""

    name: str
    cell: Cell


def percent_cell(estimate: Estimate, *, clusters: str = "") -> Cell:
    """A proportion in percent with one decimal; k / n is rounded from its integers, half up."""
    k, n = estimate.k, estimate.n
    if estimate.value is None:
        value = ""
    elif k is not None and n and float(k).is_integer():
        value = percent(int(k), n)
    else:
        value = rounded_percent(estimate.value)
    return _cell(estimate, value, rounded_percent, unit=" %", clusters=clusters)


def number_cell(estimate: Estimate, *, places: int = 3, clusters: str = "") -> Cell:
    """A coefficient or a mean."""
    value = "" if estimate.value is None else rounded(estimate.value, places=places)
    return _cell(estimate, value, lambda end: rounded(end, places=places), unit="", clusters=clusters)


def points_cell(estimate: Estimate) -> Cell:
    """A difference of proportions in percentage points, with its sign."""
    value = "" if estimate.value is None else signed_points(estimate.value)
    return _cell(estimate, value, signed_points, unit=" pp")


def signed_points(share: float) -> str:
    """ "+23.3", "−4.0" or "0.0" for a difference of proportions."""
    return signed(rounded_percent(share))


def p_words(p: float | None) -> str:
    """A p-value with three decimals, "< 0.001" below that, "" where there is none."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else rounded(p, places=3)


def bounds_words(estimate: Estimate) -> str:
    """ "10.0 and 13.3 %" for between what the value could be if the unavailable judgments had been made, else ""."""
    bounds = estimate.bounds
    return f"{rounded_percent(bounds[0])} and {rounded_percent(bounds[1])} %" if bounds else ""


def _cell(
    estimate: Estimate, value: str, end: Callable[[float], str], *, unit: str, clusters: str = ""
) -> Cell:
    k, n, ends = estimate.k, estimate.n, estimate.ci
    if k is not None:  # experts who disagree leave shares of an output
        counts = f"{f'{k:.0f}' if float(k).is_integer() else rounded(k, places=2)}/{n}"
    elif estimate.population is not None:
        counts = f"{n} of {estimate.population}"
    else:
        counts = "" if n is None else f"n = {n}"
    return Cell(
        value=minus(f"{value}{unit}") if value else "",
        interval=minus(f"{end(ends[0])} to {end(ends[1])}") if ends else "",
        counts=counts,
        reason=reason_sentence(estimate.reason, valued=estimate.value is not None),
        cautions=tuple(caution_sentence(code) for code in estimate.warnings),
        estimate=estimate,
        clusters=clusters,
    )


def leading_first(level: str, coefficients: Mapping[str, Estimate]) -> list[tuple[str, Estimate]]:
    """The coefficients of a question, the primary one of its scale first."""
    primary = primary_coefficient(level)
    return sorted(coefficients.items(), key=lambda entry: entry[0] != primary)
