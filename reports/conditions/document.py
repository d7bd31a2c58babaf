"""One table for all tracks and conditions of a release: what each system did under each, and the paired differences.

Nothing is pooled: every figure is of one run. A difference is printed twice, as papers do it (each run on all of its
own outputs) and over the items that both runs have a usable label for, which alone has an interval.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.condition_tables import ConditionColumn, ConditionTable
from benchmark.models import Release
from benchmark.protocol import LabelledOutput, Metric, SuccessTypes
from benchmark.protocols import get_protocol
from reports.comparison.document import paired
from reports.conditions.rows import Entries, condition_entries
from reports.core.outcomes import JUDGE, Item, OutcomeKind, Outcomes
from reports.scores.inputs import METHODS, SEED
from reports.scores.judge_scores import is_asked, is_unavailable, metric_document
from reports.scores.success_types import successes_of_type

FORMAT = "touchstone-conditions-1"
Document = dict[str, Any]


def condition_document(
    release: Release, *, judge: str = "", frozen_tuple: str = "", seed: int = SEED
) -> Document:
    """The protocol's tables for `release`, whose benchmark is loaded. `seed` is that of the resampling.

    `judge` is the label of a judge version; left out, the first that has spoken about an output of the release.
    Raises Refused as `condition_entries` does.
    """
    protocol = get_protocol(release.benchmark.protocol)
    found = condition_entries(release, judge=judge, frozen_tuple=frozen_tuple)
    metrics = {metric.key: metric for metric in protocol.metrics}
    return {
        "format": FORMAT,
        "release": release.name,
        "release_sha256": release.sha256,
        "frozen": release.frozen_at is not None,
        "is_sample": release.is_sample,
        "protocol": protocol.name,
        "judge": found.judge.label if found.judge else "",
        "judges": list(found.judges),
        "frozen_tuple": found.frozen_tuple,
        "seed": seed,
        "instances": len(found.instances),
        "excluded": found.excluded,
        "tables": [
            _table(table, release, found, metrics, protocol.success_types, seed)
            for table in protocol.condition_tables
        ],
        "elsewhere": [
            {"system": run.system, "track": run.arm[0], "condition": run.arm[1]} for run in found.elsewhere
        ],
    }


def _table(
    table: ConditionTable,
    release: Release,
    found: Entries,
    metrics: Mapping[str, Metric],
    types: SuccessTypes | None,
    seed: int,
) -> Document:
    arms = {column.arm for column in table.columns}
    names = {run.system: run.name for run in found.shown if run.arm in arms}
    base = table.reference
    counted = (
        successes_of_type(
            table.success_type, types, release.name, base.arm, found.outputs[base.arm], metrics[base.metric]
        )
        if table.success_type and types
        else {}
    )
    return {
        "key": table.key,
        "title": table.title,
        "definition": table.definition,
        "baseline": table.baseline,
        "columns": [_column(column, table, found, metrics[column.metric]) for column in table.columns],
        "success_type": types.titles[table.success_type] if table.success_type and types else "",
        "systems": [
            {"system": system, "name": name, **_row(table, found, system, metrics, counted.get(system), seed)}
            for system, name in sorted(names.items())
        ],
    }


def _row(
    table: ConditionTable,
    found: Entries,
    system: str,
    metrics: Mapping[str, Metric],
    of_type: Document | None,
    seed: int,
) -> Document:
    cells = {
        column.key: _cell(column, found, system, metrics[column.metric], seed) for column in table.columns
    }
    differences = {
        column.key: _difference(table.reference, column, found, system, metrics, seed)
        for column in table.compared
    }
    scored = cells[table.baseline]["state"] == "scored"
    return {"cells": cells, "differences": differences, "success_type": of_type if scored else None}


def _column(column: ConditionColumn, table: ConditionTable, found: Entries, metric: Metric) -> Document:
    runs = [run.system for run in found.shown if run.arm == column.arm]
    return {
        "key": column.key,
        "title": column.title,
        "definition": column.definition,
        "metric": metric.key,
        "metric_title": metric.title,
        "track": column.track,
        "condition": column.condition,
        "compared": column in table.compared,
        "runs": len(runs),
        "coverage": _common_coverage(column, found, runs) if column.coverage else None,
    }


def _common_coverage(column: ConditionColumn, found: Entries, runs: Sequence[str]) -> Document:
    """How many instances any of the runs has, and how many all of them have."""
    own = [_covered(column, found, system) for system in runs]
    return {
        "title": column.coverage,
        "any": len(set().union(*own)),
        "every": len(set.intersection(*own)) if own else 0,
        "of": len(found.instances),
    }


def _of_system(column: ConditionColumn, found: Entries, system: str) -> dict[str, LabelledOutput]:
    outputs = found.outputs[column.arm]
    return {subject: output for subject, output in outputs.items() if output.system == system}


def _covered(column: ConditionColumn, found: Entries, system: str) -> set[str]:
    return {output.instance for output in _of_system(column, found, system).values()}


def _cell(column: ConditionColumn, found: Entries, system: str, metric: Metric, seed: int) -> Document:
    """`state` is scored, not_judged (nobody was asked what the metric needs) or no_run; a figure only if scored.

    Coverage is counts without an interval: it is a property of the release's sources, not a sample of anything.
    """
    outputs = list(_of_system(column, found, system).values())
    state = _state(metric, outputs)
    cell: Document = {"state": state, "estimate": None, "paper_bootstrap": None, "coverage": None}
    if state == "scored":
        scored = metric_document(metric, outputs, seed=seed, methods=METHODS)
        cell |= {name: scored[name] for name in ("estimate", "paper_bootstrap")}
    if column.coverage and outputs:
        cell["coverage"] = {"k": len(_covered(column, found, system)), "n": len(found.instances)}
    return cell


def _state(metric: Metric, outputs: Sequence[LabelledOutput]) -> str:
    if not outputs:
        return "no_run"
    answered = [output for output in outputs if output.is_judged_by(metric.needs)]
    return "scored" if not answered or any(is_asked(metric, output) for output in answered) else "not_judged"


def _difference(
    base: ConditionColumn,
    column: ConditionColumn,
    found: Entries,
    system: str,
    metrics: Mapping[str, Metric],
    seed: int,
) -> Document | None:
    """The column minus the baseline; None where one of the two has no figure."""
    metric = metrics[column.metric]
    here, there = (list(_of_system(one, found, system).values()) for one in (column, base))
    if {_state(metric, here), _state(metric, there)} != {"scored"}:
        return None
    kind = OutcomeKind(f"{JUDGE}:{metric.key}", JUDGE, metric.title, metric.definition)
    successes = {column.key: _usable(metric, here), base.key: _usable(metric, there)}
    clusters = {_item(output): output.cluster for output in (*there, *here)}
    values = [list(items.values()) for items in successes.values()]
    return {
        "unpaired": sum(values[0]) / len(values[0]) - sum(values[1]) / len(values[1])
        if all(values)
        else None,
        **paired(Outcomes(kind, successes, clusters, {}, {}), column.key, base.key, seed),
    }


def _item(output: LabelledOutput) -> Item:
    return output.instance, output.attempt


def _usable(metric: Metric, outputs: Sequence[LabelledOutput]) -> dict[Item, float]:
    """1 or 0 for each item; one whose judgment is unavailable has no place."""
    return {
        _item(output): float(output.is_judged_by(metric.needs) and metric.success(output))
        for output in outputs
        if not output.is_judged_by(metric.needs) or not is_unavailable(metric, output)
    }
