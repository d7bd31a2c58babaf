"""Two raters on the same subjects: how far they agree, and where they do not. No rows here.

Mostly two judges, or two versions of one, on outputs; the construction audit compares programs, judges and experts
on instances in the same way.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchmark.protocol import PROGRAM_VALUES
from judging.runs.tally import Tally
from reports.core.datasets import JudgeInfo, OutputRow
from stats.agreement.bundle import Request, agreement
from stats.agreement.cohen import kappa_max
from stats.core.estimate import Estimate
from stats.scores.clusters import cluster_codes
from stats.tables.ratings import Ratings

FORMAT = "touchstone-judge-pair-1"
EXCLUSIONS = ("neither has spoken", "only the first has spoken", "only the second has spoken", "unusable")
Settled = Mapping[str, Mapping[str, Tally]]


class JudgedSubject(Protocol):
    """What was judged. `subject` names it; `cluster` is its paper, or the instance without one."""

    @property
    def subject(self) -> str: ...

    @property
    def cluster(self) -> str: ...


@dataclass(frozen=True)
class Differing:
    """An output about which two judges decided differently; `first` and `second` are their values."""

    subject: str
    predicate: str
    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class TwoRaters:
    """Counts (the first rater's values in rows), coefficients with intervals, and why what is left out."""

    values: Sequence[str]
    table: Sequence[Sequence[int]]
    compared: int
    differing: int
    left_out: Mapping[str, int]
    percent: Estimate
    cohen_kappa: Estimate
    gwet_ac1: Estimate
    kappa_max: float | None


@dataclass(frozen=True, kw_only=True)
class PredicateAgreement(TwoRaters):
    predicate: str


@dataclass(frozen=True, kw_only=True)
class JudgePair:
    """Two judges on the answered outputs of one track, by predicate."""

    release: str
    track: str
    format: str
    seed: int
    judges: Sequence[Mapping[str, str]]
    outputs: int
    predicates: Sequence[PredicateAgreement]


def judge_pair(
    release: str,
    track: str,
    judges: tuple[JudgeInfo, JudgeInfo],
    settled: tuple[Settled, Settled],
    outputs: Sequence[OutputRow],
    *,
    seed: int,
) -> JudgePair:
    """One entry per predicate on which either judge has spoken, over the answered `outputs` of one track.

    Both judges' votes are settled by majority first. Intervals come from leaving out one paper at a time, because
    outputs of one paper are not independent.
    """
    answered = [output for output in outputs if output.state == "answered"]
    return JudgePair(
        format=FORMAT,
        release=release,
        track=track,
        seed=seed,
        judges=[{"label": judge.label, "model": judge.model, "sha256": judge.sha256} for judge in judges],
        outputs=len(answered),
        predicates=[
            PredicateAgreement(**vars(agreement_on(predicate, settled, answered)), predicate=predicate)
            for predicate in _predicates(settled)
        ],
    )


def differing(settled: tuple[Settled, Settled], outputs: Sequence[JudgedSubject]) -> Iterator[Differing]:
    """Where both judges gave a value and the values differ, by predicate and then in the order of `outputs`."""
    for predicate in _predicates(settled):
        for output in outputs:
            one, two = (settled_value(side, output.subject, predicate) for side in settled)
            if one and two and one != two:
                yield Differing(output.subject, predicate, one, two)


def _predicates(settled: tuple[Settled, Settled]) -> list[str]:
    return sorted({predicate for side in settled for said in side.values() for predicate in said})


def settled_value(side: Settled, subject: str, predicate: str) -> str:
    """The settled value; "" where there is none."""
    said = side.get(subject, {}).get(predicate)
    return said.value if said is not None and said.state == "answered" else ""


def agreement_on(
    predicate: str, settled: tuple[Settled, Settled], outputs: Sequence[JudgedSubject]
) -> TwoRaters:
    """Table of counts (the first rater's values in rows), coefficients with intervals, and why what is left out."""
    values = [tuple(settled_value(side, output.subject, predicate) for side in settled) for output in outputs]
    both = [(output, pair) for output, pair in zip(outputs, values, strict=True) if all(pair)]
    seen = {value for _, pair in both for value in pair}
    categories = (*PROGRAM_VALUES, *sorted(seen.difference(PROGRAM_VALUES)))
    codes = np.array([[categories.index(value) for value in pair] for _, pair in both], dtype=np.int64)
    codes = codes.reshape(-1, 2)
    ratings = Ratings(
        item=np.repeat(np.arange(len(both)), 2),
        rater=np.tile([0, 1], len(both)),
        value=codes.ravel(),
        n_items=len(both),
        raters=("first", "second"),
        categories=categories,
        points=np.arange(len(categories), dtype=np.float64),
    )
    papers = cluster_codes([output.cluster for output, _ in both])
    found = agreement(ratings, Request(level="nominal"), clusters=papers)
    flat = np.bincount(codes[:, 0] * len(categories) + codes[:, 1], minlength=len(categories) ** 2)
    table = flat.reshape(len(categories), len(categories)).astype(np.int64)
    # Why outputs are not compared; unusable: both have spoken, at least one without a value.
    reasons: Counter[str] = Counter()
    for output in outputs:
        one, two = (predicate in side.get(output.subject, {}) for side in settled)
        if not one and not two:
            reasons["neither has spoken"] += 1
        elif not two:
            reasons["only the first has spoken"] += 1
        elif not one:
            reasons["only the second has spoken"] += 1
        elif not all(settled_value(side, output.subject, predicate) for side in settled):
            reasons["unusable"] += 1
    return TwoRaters(
        values=categories,
        table=table.tolist(),
        compared=len(both),
        differing=int(table.sum() - np.trace(table)),
        left_out={reason: reasons[reason] for reason in EXCLUSIONS},
        percent=found["percent"],
        cohen_kappa=found["cohen_kappa"],
        gwet_ac1=found["gwet_ac1"],
        kappa_max=kappa_max(table) if both else None,
    )
