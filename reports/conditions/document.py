"""One table for all tracks and conditions of a release: what each system did under each, and the paired differences.

Nothing is pooled: every figure is of one run. A difference is printed twice, as papers do it (each run on all of its
own outputs) and over the items that both runs have a usable label for, which alone has an interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from benchmark.condition_tables import ConditionColumn, ConditionTable
from benchmark.models import Release
from benchmark.protocol import LabelledOutput, Metric, SuccessTypes
from benchmark.protocols import get_protocol
from reports.comparison.document import ComparedPair, paired
from reports.conditions.rows import Entries, condition_entries
from reports.core.outcomes import JUDGE, Item, OutcomeKind, Outcomes
from reports.scores.inputs import SEED
from reports.scores.judge_scores import is_scored, is_unavailable, metric_score
from reports.scores.shape import METHODS
from reports.scores.success_types import SuccessTypeRates, successes_of_type
from stats.core.estimate import Estimate

FORMAT = "touchstone-conditions-1"
States = Literal["scored", "no_run", "not_judged"]


@dataclass(frozen=True, kw_only=True)
class CommonCoverage:
    """How many instances of the release any run has an output for, and how many all runs have."""

    title: str
    any: int
    every: int
    of: int


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    key: str
    title: str
    definition: str
    metric: str
    metric_title: str
    track: str
    condition: str
    compared: Annotated[bool, "Whether it is compared with the table's baseline."]
    runs: int
    coverage: CommonCoverage | None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """For how many of the release's instances the run has an output."""

    k: int
    n: int


@dataclass(frozen=True, kw_only=True)
class ConditionCell:
    """`state` is scored, not_judged (nobody was asked what the metric needs) or no_run; a figure only if scored."""

    state: States
    estimate: Estimate | None
    paper_bootstrap: Estimate | None
    coverage: Coverage | None


@dataclass(frozen=True, kw_only=True)
class ConditionDifference(ComparedPair):
    """A column minus the baseline: `unpaired` over each run's own outputs, the rest over the items of both."""

    unpaired: float | None


@dataclass(frozen=True, kw_only=True)
class ConditionRow:
    system: str
    name: str
    cells: Annotated[Mapping[str, ConditionCell], "By the column's key."]
    differences: Annotated[
        Mapping[str, ConditionDifference | None],
        "By the key of a compared column; null where one side has no figure.",
    ]
    success_type: SuccessTypeRates | None


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    key: str
    title: str
    definition: str
    baseline: str
    columns: Sequence[TableColumn]
    success_type: Annotated[str, "Title of the type of success counted."]
    systems: Sequence[ConditionRow]


@dataclass(frozen=True, kw_only=True)
class RunElsewhere:
    system: str
    track: str
    condition: str


@dataclass(frozen=True, kw_only=True)
class Conditions:
    format: str
    release: str
    release_sha256: str
    frozen: bool
    is_sample: bool
    protocol: str
    judge: str
    judges: Sequence[str]
    frozen_tuple: str
    seed: int
    instances: int
    excluded: Annotated[int, "Instances that a primary exclusion rule leaves out."]
    tables: Sequence[ShownTable]
    elsewhere: Annotated[Sequence[RunElsewhere], "Runs on tracks or conditions that no table has."]


def conditions(release: Release, *, judge: str = "", frozen_tuple: str = "", seed: int = SEED) -> Conditions:
    """The protocol's tables for `release`, whose benchmark is loaded. `seed` is that of the resampling.

    `judge` is the label of a judge version; left out, the first that has spoken about an output of the release.
    Raises Refused as `condition_entries` does.
    """
    protocol = get_protocol(release.benchmark.protocol)
    found = condition_entries(release, judge=judge, frozen_tuple=frozen_tuple)
    metrics = {metric.key: metric for metric in protocol.metrics}
    return Conditions(
        format=FORMAT,
        release=release.name,
        release_sha256=release.sha256,
        frozen=release.frozen_at is not None,
        is_sample=release.is_sample,
        protocol=protocol.name,
        judge=found.judge.label if found.judge else "",
        judges=found.judges,
        frozen_tuple=found.frozen_tuple,
        seed=seed,
        instances=len(found.instances),
        excluded=found.excluded,
        tables=[
            _table(table, release, found, metrics, protocol.success_types, seed)
            for table in protocol.condition_tables
        ],
        elsewhere=[
            RunElsewhere(system=run.system, track=run.arm[0], condition=run.arm[1]) for run in found.elsewhere
        ],
    )


def _table(
    table: ConditionTable,
    release: Release,
    found: Entries,
    metrics: Mapping[str, Metric],
    types: SuccessTypes | None,
    seed: int,
) -> ShownTable:
    arms = {column.arm for column in table.columns}
    names = {run.system: run.name for run in found.shown if run.arm in arms}
    base, counted, title = table.reference, {}, ""
    if table.success_type and types:
        title = types.titles[table.success_type]
        counted = successes_of_type(
            table.success_type, types, release.name, base.arm, found.outputs[base.arm], metrics[base.metric]
        )
    rows = []
    for system, name in sorted(names.items()):
        cells = {}
        for column in table.columns:
            metric, outputs = metrics[column.metric], list(_of_system(column, found, system).values())
            state, coverage = _state(metric, outputs), None
            scored = metric_score(metric, outputs, seed=seed, methods=METHODS) if state == "scored" else None
            if column.coverage and outputs:
                # counts without an interval: a property of the release's sources, not a sample of anything
                coverage = Coverage(k=len(_covered(column, found, system)), n=len(found.instances))
            cells[column.key] = ConditionCell(
                state=state,
                estimate=scored.estimate if scored else None,
                paper_bootstrap=scored.paper_bootstrap if scored else None,
                coverage=coverage,
            )
        rows.append(
            ConditionRow(
                system=system,
                name=name,
                cells=cells,
                differences={
                    column.key: _difference(base, column, found, system, metrics, seed)
                    for column in table.compared
                },
                success_type=counted.get(system) if cells[table.baseline].state == "scored" else None,
            )
        )
    return ShownTable(
        key=table.key,
        title=table.title,
        definition=table.definition,
        baseline=table.baseline,
        columns=[_column(column, table, found, metrics[column.metric]) for column in table.columns],
        success_type=title,
        systems=rows,
    )


def _column(column: ConditionColumn, table: ConditionTable, found: Entries, metric: Metric) -> TableColumn:
    runs = [run.system for run in found.shown if run.arm == column.arm]
    coverage = None
    if column.coverage:
        own = [_covered(column, found, system) for system in runs]
        coverage = CommonCoverage(
            title=column.coverage,
            any=len(set().union(*own)),
            every=len(set.intersection(*own)) if own else 0,
            of=len(found.instances),
        )
    return TableColumn(
        key=column.key,
        title=column.title,
        definition=column.definition,
        metric=metric.key,
        metric_title=metric.title,
        track=column.track,
        condition=column.condition,
        compared=column in table.compared,
        runs=len(runs),
        coverage=coverage,
    )


def _of_system(column: ConditionColumn, found: Entries, system: str) -> dict[str, LabelledOutput]:
    outputs = found.outputs[column.arm]
    return {subject: output for subject, output in outputs.items() if output.system == system}


def _covered(column: ConditionColumn, found: Entries, system: str) -> set[str]:
    return {output.instance for output in _of_system(column, found, system).values()}


def _state(metric: Metric, outputs: Sequence[LabelledOutput]) -> States:
    if not outputs:
        return "no_run"
    return "scored" if is_scored(metric, outputs) else "not_judged"


def _difference(
    base: ConditionColumn,
    column: ConditionColumn,
    found: Entries,
    system: str,
    metrics: Mapping[str, Metric],
    seed: int,
) -> ConditionDifference | None:
    """The column minus the baseline; None where one of the two has no figure."""
    metric = metrics[column.metric]
    here, there = (list(_of_system(one, found, system).values()) for one in (column, base))
    if {_state(metric, here), _state(metric, there)} != {"scored"}:
        return None
    kind = OutcomeKind(f"{JUDGE}:{metric.key}", JUDGE, metric.title, metric.definition)
    successes = {column.key: _usable(metric, here), base.key: _usable(metric, there)}
    clusters = {_item(output): output.cluster for output in (*there, *here)}
    one, two = (list(items.values()) for items in successes.values())
    unpaired = sum(one) / len(one) - sum(two) / len(two) if one and two else None
    pair = paired(Outcomes(kind, successes, clusters, {}, {}), column.key, base.key, seed)
    return ConditionDifference(**vars(pair), unpaired=unpaired)


def _item(output: LabelledOutput) -> Item:
    return output.instance, output.attempt


def _usable(metric: Metric, outputs: Sequence[LabelledOutput]) -> dict[Item, float]:
    """1 or 0 for each item; one whose judgment is unavailable has no place."""
    return {
        _item(output): float(output.is_judged_by(metric.needs) and metric.success(output))
        for output in outputs
        if not output.is_judged_by(metric.needs) or not is_unavailable(metric, output)
    }
