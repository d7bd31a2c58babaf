"""The strata of an audit: from the design columns where they are filled in, else counted from the judge's rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from stats.audit.rogan_gladen import transported_score
from stats.audit.units import AuditUnits, Outcome
from stats.audit.weighted import AuditStratum, collapsed
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Estimate, Reason
from stats.core.strata import Stratum
from stats.scores.clusters import cluster_codes, cluster_totals
from stats.tables.columns import Column
from stats.tables.raw_rows import TableError

Source = Literal["design_columns", "stratum_column", "judge_value"]


@dataclass(frozen=True)
class Design:
    """Which units belong to which stratum, and how many units each stratum stands for.

    `member` (U,) is the stratum of every unit, -1 outside the population; `sizes` (H,) are N_h, `drawn` (H,) the
    sample sizes n_h of the draw, -1 where the table does not say.
    """

    source: Source
    names: tuple[str, ...]
    member: Ints
    sizes: Ints
    drawn: Ints

    def inside(self, stratum: int) -> np.ndarray:
        """(U,) the units of one stratum."""
        return np.asarray(self.member == stratum)


MOST_ALONE = 4  # strata whose names say nothing about what is alike, up to which each has a spread of its own


def audit_design(units: AuditUnits) -> Design:
    """Stratum sizes given in the table rule; else sizes are counted over judged units. Without a stratum
    column the judge's answer is the stratum. Raises TableError for a design that contradicts itself.
    """
    population = units.stratum_size >= 0 if units.has_sizes else units.judged | units.audited
    if units.strata.is_empty:
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
        places = np.zeros(len(units), dtype=np.int64)
        for outcome, name in answers.items():
            places[units.judge == outcome] = order.index(name)
        used = np.unique(places[population]).tolist()
        member = _consecutive(places, used, len(order), population)
        names = tuple(order[code] for code in used)
    else:
        strata, asked = units.strata, units.questions
        if len(np.unique(asked.codes)) > 1:
            # Each question has strata of its own, because every output was drawn for all of them.
            kinds = len(strata.values)
            pairs, codes = np.unique(asked.codes.astype(np.int64) * kinds + strata.codes, return_inverse=True)
            own = (f"{asked.values[pair // kinds]}: {strata.values[pair % kinds]}" for pair in pairs.tolist())
            strata = Column(codes.astype(np.int32), tuple(own))
        used = sorted(np.unique(strata.codes[population]).tolist(), key=lambda code: strata.values[code])
        member = _consecutive(strata.codes.astype(np.int64), used, len(strata.values), population)
        names = tuple(strata.values[code] for code in used)
    if units.has_sizes:
        given = [_given_sizes(units, member == h, name) for h, name in enumerate(names)]
        sizes, drawn = np.array(given, dtype=np.int64).reshape(-1, 2).T
        return Design("design_columns", names, member, sizes, drawn)
    source: Source = "judge_value" if units.strata.is_empty else "stratum_column"
    counted = np.bincount(member[member >= 0], minlength=len(names))
    return Design(source, names, member, counted, np.full(len(names), -1))


def abstentions_apart(units: AuditUnits, design: Design) -> Design:
    """The design whose strata with some abstentions of the judge are two: what is not audited of these is negative.

    Where rows of a stratum are missing, an abstention among those that are there counts as drawn, unless that would be
    more than were: then its stratum is two as well, and the rest stays unknown.
    """
    abstained, unread = units.judge == Outcome.ABSTAIN, ~units.audited
    names, member = list(design.names), design.member.copy()
    sizes, drawn = design.sizes.tolist(), design.drawn.tolist()
    for h, name in enumerate(design.names):
        inside = design.inside(h)
        apart = inside & abstained
        n, size, wanted = int(apart.sum()), sizes[h], drawn[h]
        audited, known = int((inside & ~unread).sum()), int((apart & unread).sum())
        is_whole = int(inside.sum()) == size
        if n == 0 or n == size or not (is_whole or 0 <= wanted < audited + known):
            continue
        member[apart] = len(names)
        names.append(f"{name}, judge abstained")
        sizes[h], drawn[h] = size - n, max(wanted - n, audited - (n - known)) if wanted >= 0 else -1
        sizes.append(n)
        drawn.append(-1)
    return replace(design, names=tuple(names), member=member, sizes=np.array(sizes), drawn=np.array(drawn))


def _consecutive(codes: Ints, used: Sequence[int], kinds: int, population: np.ndarray) -> Ints:
    """Codes renumbered in the order of `used`, -1 outside the population."""
    places = np.full(kinds, -1, dtype=np.int64)
    places[list(used)] = np.arange(len(used))
    return np.where(population, places[codes], -1)


def _given_sizes(units: AuditUnits, inside: np.ndarray, name: str) -> tuple[int, int]:
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
    return size, sample


def borrowing_groups(units: AuditUnits, design: Design) -> list[str]:
    """For each stratum the group with which it shares its spread, "" where it stands alone (stats/audit/pooling.py).

    Strata named system/bucket share by bucket, within one question. Other names say nothing about what is alike: a few
    strata stand alone, more than MOST_ALONE share by the judge's answer. Any grouping leaves the value as it is.
    """
    buckets = [name.partition("/")[2] for name in design.names]
    by_answer = not any(buckets) and len(design.names) > MOST_ALONE
    groups = []
    for h, bucket in enumerate(buckets):
        inside = design.inside(h)
        question = units.questions.values[units.questions.codes[int(np.argmax(inside))]]
        if by_answer:
            answers = {Outcome(code).name.lower() for code in units.judge[inside].tolist()}
            bucket = f"judged {' or '.join(sorted(answers))}"
        groups.append(f"{question}: {bucket}" if bucket else "")
    return groups


def corrected_strata(units: AuditUnits, design: Design) -> list[Stratum]:
    """Audited successes per stratum; uncertain, abstained and undecided expert labels count negative.

    Outputs on which the judge abstained hold nothing that could be right: unaudited, they are known negatives.
    """
    strata = []
    groups = borrowing_groups(units, design)
    for h, name in enumerate(design.names):
        inside = design.inside(h)
        known = int((inside & (units.audited | (units.judge == Outcome.ABSTAIN))).sum())
        successes = int((inside & (units.expert == Outcome.POSITIVE)).sum())
        strata.append(Stratum(name, int(design.sizes[h]), known, successes, groups[h]))
    return strata


def missing_labels(design: Design, strata: Sequence[Stratum | AuditStratum]) -> list[int]:
    """How many drawn units of each stratum have no label, where the table says how many were drawn."""
    return [max(0, int(drawn) - stratum.sampled) for drawn, stratum in zip(design.drawn, strata, strict=True)]


def weighted_strata(units: AuditUnits, design: Design) -> list[AuditStratum] | Reason:
    """Confusion counts per stratum, or NO_DESIGN when nothing tells how many units were not audited.

    Where the table holds the judge's answer about every unit of a stratum, the stratum is split by it
    (post-stratified): the population's number of judged successes is known and need not be estimated.
    """
    if design.source != "design_columns" and not (units.judged & ~units.audited).any():
        return Reason.NO_DESIGN
    strata = []
    for h, whole in enumerate(drawn_strata(units, design)):
        inside, name, rest = design.inside(h), whole.name, whole.size
        if int(inside.sum()) < whole.size:
            strata.append(whole)
            continue
        for verdict, outcome in (("yes", Outcome.POSITIVE), ("no", Outcome.NEGATIVE)):
            part = inside & (units.judge == outcome)
            size = int(part.sum())
            if size:
                group = whole.group and f"{whole.group}, {verdict}"
                strata.append(replace(_audit_stratum(units, part, name, size, group), verdict=verdict))
                rest -= size
        if rest:  # without a yes or no they are ineligible whatever experts say
            strata.append(AuditStratum(name, rest, 0, 0, 0, 0, ineligible=rest, verdict="none"))
    return collapsed(strata)


def drawn_strata(units: AuditUnits, design: Design) -> list[AuditStratum]:
    """Confusion counts of the strata of the draw, in their order."""
    groups = borrowing_groups(units, design)
    return [
        _audit_stratum(units, design.inside(h), name, int(design.sizes[h]), groups[h])
        for h, name in enumerate(design.names)
    ]


def _audit_stratum(units: AuditUnits, inside: np.ndarray, name: str, size: int, group: str) -> AuditStratum:
    audited = inside & units.audited
    cells = confusion_counts(units, audited)
    return AuditStratum(name, size, *cells, ineligible=int(audited.sum()) - sum(cells), group=group)


def confusion_counts(units: AuditUnits, chosen: np.ndarray) -> tuple[int, int, int, int]:
    """(tp, fp, fn, tn) among the chosen units where both sides say yes or no."""
    judge, expert = units.judge[chosen], units.expert[chosen]
    yes, no = Outcome.POSITIVE, Outcome.NEGATIVE
    pairs = ((yes, yes), (yes, no), (no, yes), (no, no))
    tp, fp, fn, tn = (int(((judge == f) & (expert == y)).sum()) for f, y in pairs)
    return tp, fp, fn, tn


def cluster_counts(units: AuditUnits) -> Floats | None:
    """(C, 4) the same of the audited units of every cluster with an eligible one; None without clusters."""
    if units.clusters.is_empty:
        return None
    codes = cluster_codes(units.clusters.texts())
    yes_no = (Outcome.POSITIVE, Outcome.NEGATIVE)
    both = np.isin(units.judge, yes_no) & np.isin(units.expert, yes_no)
    cells = 2 * (units.judge == Outcome.NEGATIVE) + (units.expert == Outcome.NEGATIVE)
    counts = np.zeros((int(codes.max(initial=-1)) + 1, 4))
    np.add.at(counts, (codes[both], cells[both]), 1)
    return np.asarray(counts[counts.any(axis=1)])


def transported(units: AuditUnits, design: Design, *, level: float) -> Estimate:
    """The judge's share of yes corrected by its sensitivity and specificity in the audit, weighted by the design."""
    names = units.clusters.texts()
    codes, yes_no = cluster_codes(names), (Outcome.POSITIVE, Outcome.NEGATIVE)
    judged = np.isin(units.judge, yes_no)
    audited = units.audited & (design.member >= 0)
    drawn = np.bincount(design.member[audited], minlength=len(design.names))
    weights = np.zeros(len(units))
    weights[audited] = (design.sizes / np.maximum(drawn, 1))[design.member[audited]]
    both = judged & np.isin(units.expert, yes_no)
    cells = 2 * (units.judge == Outcome.NEGATIVE) + (units.expert == Outcome.NEGATIVE)
    tables = np.zeros((int(codes.max(initial=-1)) + 1, 4))
    np.add.at(tables, (codes[both], cells[both]), weights[both])
    own = np.unique(codes[judged], return_inverse=True)[1]
    said = cluster_totals(units.judge[judged] == Outcome.POSITIVE, own)
    return transported_score(said, tables, level=level)


def whole_clusters(units: AuditUnits) -> bool:
    """Whether the draw took clusters as a whole: each is audited fully or not at all, against odds of 1,000 to 1.

    Drawn one by one, the other units of a cluster of which one was drawn would be drawn with the audited share.
    """
    if units.clusters.is_empty or not units.audited.any() or units.audited.all():
        return False
    codes = cluster_codes(units.clusters.texts())
    drawn, size = np.bincount(codes, weights=units.audited), np.bincount(codes)
    touched = drawn > 0
    odds = float((size - 1)[touched].sum()) * math.log(units.audited.mean())
    return bool((drawn[touched] == size[touched]).all()) and odds < math.log(0.001)
