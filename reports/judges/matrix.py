"""Every system under every judge on one common set of items: who is lenient, and who prefers its own family.

STATISTICS.md 1.2 and 3 iii. No rows here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmark.protocol import LabelledOutput, Metric
from reports.scores.judge_scores import is_unavailable
from stats.core.estimate import Estimate, Reason, undefined
from stats.scores.clusters import cluster_codes
from stats.scores.judge_matrix import METHOD, interaction_residuals, self_preference

FORMAT = "touchstone-judge-matrix-1"
Item = tuple[str, int]


@dataclass(frozen=True)
class Bench:
    """A judge with its labels on all outputs of a track; `family` is "" where none was stated."""

    label: str
    family: str
    outputs: Sequence[LabelledOutput]


@dataclass(frozen=True)
class _Common:
    """`accepted[system, judge, item]` of 0/1 over the items that all systems and judges have in common, and the papers
    of these."""

    items: list[Item]
    papers: list[str]
    accepted: np.ndarray[Any, np.dtype[np.int64]]
    missing: int
    unavailable: int


@dataclass(frozen=True, kw_only=True)
class MatrixSystem:
    system: str
    family: str
    accepted: int


@dataclass(frozen=True, kw_only=True)
class MatrixJudge:
    judge: str
    family: str
    accepted: int


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    system: str
    judge: str
    accepted: int
    own: bool
    residual: float | None


@dataclass(frozen=True, kw_only=True)
class VerdictMatrix:
    """Every system under every judge; `judges_without_labels` do not answer all that the metric needs."""

    release: str
    track: str
    format: str
    metric: Mapping[str, str]
    items: int
    left_out: Mapping[str, int]
    systems: Sequence[MatrixSystem]
    judges: Sequence[MatrixJudge]
    cells: Sequence[MatrixCell]
    self_preference: Estimate
    judges_without_labels: Sequence[str]


def matrix_of(
    release: str,
    track: str,
    metric: Metric,
    benches: Sequence[Bench],
    families: Mapping[str, str],
    *,
    silent: Sequence[str] = (),
) -> VerdictMatrix:
    """Counts, totals, interaction residuals and self-preference of one metric.

    `families` names the family of each system, "" where none is known; a judge's own systems are those of its
    family. An item is an attempt at an instance; it counts when every system has an output for it and no
    judge lacks a label that the metric needs.
    """
    systems = sorted(families)
    names = [families[system].casefold() for system in systems]
    common = _common(metric, benches, systems)
    counts = common.accepted.sum(axis=2)
    n = len(common.items)
    judged = [bench.family.casefold() for bench in benches]
    own = np.array([[bool(name) and name == other for other in judged] for name in names], dtype=bool)
    own = own.reshape(len(systems), len(benches))
    residuals = interaction_residuals(counts, n) if n else None
    fit = _fit(common, own)
    return VerdictMatrix(
        release=release,
        track=track,
        format=FORMAT,
        metric={"key": metric.key, "title": metric.title, "definition": metric.definition},
        items=n,
        left_out={"an output is missing": common.missing, "a label is unavailable": common.unavailable},
        systems=[
            MatrixSystem(system=system, family=families[system], accepted=int(row.sum()))
            for system, row in zip(systems, counts, strict=True)
        ],
        judges=[
            MatrixJudge(judge=bench.label, family=bench.family, accepted=int(column.sum()))
            for bench, column in zip(benches, counts.T, strict=True)
        ],
        cells=[
            MatrixCell(
                system=system,
                judge=bench.label,
                accepted=int(counts[g, j]),
                own=bool(own[g, j]),
                residual=None if residuals is None else float(residuals[g, j]),
            )
            for g, system in enumerate(systems)
            for j, bench in enumerate(benches)
        ],
        self_preference=fit if isinstance(fit, Estimate) else undefined(METHOD, fit, n=n),
        judges_without_labels=silent,
    )


def _common(metric: Metric, benches: Sequence[Bench], systems: Sequence[str]) -> _Common:
    """Attempts in which every system takes part, less those where a judge's label is unavailable."""
    said = [
        {(output.system, (output.instance, output.attempt)): output for output in bench.outputs}
        for bench in benches
    ]
    every = sorted({item for known in said for _, item in known})
    whole = [item for item in every if all((system, item) in known for known in said for system in systems)]
    usable = []
    for item in whole:
        outputs = (known[system, item] for known in said for system in systems)
        if not any(
            output.is_judged_by(metric.needs) and is_unavailable(metric, output) for output in outputs
        ):
            usable.append(item)

    def is_accepted(output: LabelledOutput) -> bool:
        return output.is_judged_by(metric.needs) and metric.success(output)

    accepted = [
        [[is_accepted(known[system, item]) for item in usable] for known in said] for system in systems
    ]
    shape = (len(systems), len(benches), len(usable))
    papers = {output.instance: output.cluster for bench in benches for output in bench.outputs}
    return _Common(
        usable,
        [papers[instance] for instance, _ in usable],
        np.array(accepted, dtype=np.int64).reshape(shape),
        len(every) - len(whole),
        len(whole) - len(usable),
    )


def _fit(common: _Common, own: np.ndarray[Any, np.dtype[np.bool_]]) -> Estimate | Reason:
    """Verdict by verdict; all that is about one paper is one cluster."""
    if not common.items or not own.any():
        return Reason.NO_ITEMS
    g, j, n = common.accepted.shape
    return self_preference(
        generator=np.repeat(np.arange(g), j * n),
        judge=np.tile(np.repeat(np.arange(j), n), g),
        item=np.tile(cluster_codes(common.papers), g * j),
        accepted=common.accepted.ravel(),
        own=np.repeat(own.ravel(), n),
    )
