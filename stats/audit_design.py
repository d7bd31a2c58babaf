"""The strata of an audit: from the design columns where they stand, else counted from the judge's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stats.audit import AuditStratum
from stats.audit_units import AuditUnits, Outcome
from stats.bootstrap import Ints
from stats.estimate import Reason
from stats.raw_rows import TableError
from stats.strata import Stratum
from stats.tables import Column

Source = Literal["design_columns", "stratum_column", "judge_value"]


@dataclass(frozen=True)
class Design:
    """Which units belong to which stratum, and how many units each stratum stands for.

    `member` (U,) is the stratum of every unit, -1 outside the population; `sizes` (H,) are N_h.
    """

    source: Source
    names: tuple[str, ...]
    member: Ints
    sizes: Ints

    def inside(self, stratum: int) -> np.ndarray:
        """(U,) the units of one stratum."""
        return np.asarray(self.member == stratum)


def audit_design(units: AuditUnits) -> Design:
    """Stratum sizes given in the table rule; else sizes are counted over judged units. Without a stratum
    column the judge's answer is the stratum. Raises TableError for a design that contradicts itself.
    """
    population = units.stratum_size >= 0 if units.has_sizes else units.judged | units.audited
    if units.strata.is_empty:
        member, names = _by_judge(units, population)
    else:
        member, names = _by_column(_within_questions(units), population)
    if units.has_sizes:
        given = [_given_size(units, member == h, name) for h, name in enumerate(names)]
        return Design("design_columns", names, member, np.array(given, dtype=np.int64))
    source: Source = "judge_value" if units.strata.is_empty else "stratum_column"
    return Design(source, names, member, np.bincount(member[member >= 0], minlength=len(names)))


def _within_questions(units: AuditUnits) -> Column:
    """The strata; with several questions each question has its own, as each output was drawn for all of them."""
    asked, strata = units.questions, units.strata
    if len(np.unique(asked.codes)) == 1:
        return strata
    kinds = len(strata.values)
    pairs, codes = np.unique(asked.codes.astype(np.int64) * kinds + strata.codes, return_inverse=True)
    names = tuple(f"{asked.values[pair // kinds]}: {strata.values[pair % kinds]}" for pair in pairs.tolist())
    return Column(codes.astype(np.int32), names)


def _by_column(strata: Column, population: np.ndarray) -> tuple[Ints, tuple[str, ...]]:
    used = sorted(np.unique(strata.codes[population]).tolist(), key=lambda code: strata.values[code])
    member = _consecutive(strata.codes.astype(np.int64), used, len(strata.values), population)
    return member, tuple(strata.values[code] for code in used)


def _by_judge(units: AuditUnits, population: np.ndarray) -> tuple[Ints, tuple[str, ...]]:
    answers = {
        Outcome.POSITIVE: units.positive,
        Outcome.NEGATIVE: units.negative,
        Outcome.UNCERTAIN: "uncertain",
        Outcome.UNDECIDED: "undecided",
        Outcome.ABSTAIN: "abstain",
        Outcome.NONE: "not judged",
        Outcome.UNAVAILABLE: "not judged",
    }
    order = tuple(dict.fromkeys(answers.values()))
    codes = np.zeros(len(units), dtype=np.int64)
    for outcome, name in answers.items():
        codes[units.judge == outcome] = order.index(name)
    used = np.unique(codes[population]).tolist()
    return _consecutive(codes, used, len(order), population), tuple(order[code] for code in used)


def _consecutive(codes: Ints, used: Sequence[int], kinds: int, population: np.ndarray) -> Ints:
    """Codes renumbered in the order of `used`, -1 outside the population."""
    places = np.full(kinds, -1, dtype=np.int64)
    places[list(used)] = np.arange(len(used))
    return np.where(population, places[codes], -1)


def _given_size(units: AuditUnits, inside: np.ndarray, name: str) -> int:
    sizes, drawn = np.unique(units.stratum_size[inside]), np.unique(units.sample_size[inside])
    if len(sizes) > 1 or len(drawn) > 1:
        which = "stratum_size" if len(sizes) > 1 else "sample_size"
        found = ", ".join(str(size) for size in (sizes if len(sizes) > 1 else drawn).tolist())
        raise TableError(f"stratum {name!r} has several sizes: {found}", column=which)
    size, sample = int(sizes[0]), int(drawn[0])
    labelled = int((inside & units.audited).sum())
    if sample >= 0 and not labelled <= sample <= size:
        raise TableError(
            f"stratum {name!r}: {labelled} audited units, sample_size {sample}, stratum_size {size}",
            column="sample_size",
        )
    if labelled > size:
        raise TableError(f"stratum {name!r}: {labelled} audited units of {size}", column="stratum_size")
    return size


def corrected_strata(units: AuditUnits, design: Design) -> list[Stratum]:
    """Audited successes per stratum; uncertain, abstained and undecided expert labels count negative.

    Outputs on which the judge abstained hold nothing that could be right: unaudited, they are known
    negatives, so their stratum counts as fully known.
    """
    strata = []
    for h, name in enumerate(design.names):
        inside = design.inside(h)
        audited = int((inside & units.audited).sum())
        successes = int((inside & (units.expert == Outcome.POSITIVE)).sum())
        size = int(design.sizes[h])
        known_negative = audited == 0 and bool((units.judge[inside] == Outcome.ABSTAIN).all())
        strata.append(Stratum(name, size, size if known_negative else audited, successes))
    return strata


def weighted_strata(units: AuditUnits, design: Design) -> list[AuditStratum] | Reason:
    """Confusion counts per stratum, or NO_DESIGN when nothing tells how many units were not audited."""
    if design.source != "design_columns" and not (units.judged & ~units.audited).any():
        return Reason.NO_DESIGN
    strata = []
    for h, name in enumerate(design.names):
        inside = design.inside(h) & units.audited
        cells = confusion_counts(units, inside)
        strata.append(
            AuditStratum(name, int(design.sizes[h]), *cells, ineligible=int(inside.sum()) - sum(cells))
        )
    return strata


def confusion_counts(units: AuditUnits, chosen: np.ndarray) -> tuple[int, int, int, int]:
    """(tp, fp, fn, tn) among the chosen units where both sides say yes or no."""
    judge, expert = units.judge[chosen], units.expert[chosen]
    yes, no = Outcome.POSITIVE, Outcome.NEGATIVE
    pairs = ((yes, yes), (yes, no), (no, yes), (no, no))
    tp, fp, fn, tn = (int(((judge == f) & (expert == y)).sum()) for f, y in pairs)
    return tp, fp, fn, tn
