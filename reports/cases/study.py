"""One instance, all systems side by side: the cells of the protocol's columns, and why a cell has no value."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from accounts.refusal import Refused
from benchmark.case_columns import case_columns
from benchmark.models import Instance, OutputState, Run
from benchmark.protocol import Case, CaseColumn, LabelledOutput
from benchmark.protocols import get_protocol
from benchmark.settling.queue import answers
from judging.models import Judge, Verdict
from reports.core.choosing import named_or_first
from reports.core.datasets import OutputRow, Reached, Vote, labelled_outputs, reached_by, tallies

FORMAT = "touchstone-case-1"
Arm = tuple[str, str]  # track and condition
State = Literal[
    "answered",
    "no_output",
    "abstained",
    "failed",
    "not_judged",
    "judge_abstained",
    "unavailable",
    "nothing",
]


@dataclass(frozen=True)
class Shown:
    """An output for the instance, with the payload that its columns read."""

    arm: Arm
    labelled: LabelledOutput
    payload: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class CaseCell:
    """`state` says why a cell has no value; unavailable: the judge's reply failed or could not be read."""

    value: Annotated[str, "Empty unless the state is answered."]
    state: State


@dataclass(frozen=True, kw_only=True)
class StudyColumn:
    key: str
    title: str
    definition: str
    track: str
    condition: str
    is_text: Annotated[bool, "Free text instead of yes, no or uncertain."]


@dataclass(frozen=True, kw_only=True)
class CaseRow:
    system: str
    name: str
    attempt: int
    cells: Annotated[Mapping[str, CaseCell], "By the column's key."]


@dataclass(frozen=True, kw_only=True)
class CaseStudy:
    format: str
    release: str
    is_sample: bool
    protocol: str
    instance: str
    domain: str
    track: str
    tracks: Sequence[str]
    judge: str
    judges: Sequence[str]
    columns: Sequence[StudyColumn]
    rows: Sequence[CaseRow]


def case_table(instance: Instance, *, track: str = "", judge: str = "") -> CaseStudy:
    """The table of `instance`, whose release and benchmark are loaded; six queries, however many systems.

    `track` is meant by columns that name none; left out, raw or the first that has runs. `judge` is the label of a
    judge version; left out, the first that has spoken about an output of this instance. Raises Refused naming what
    there is.
    """
    protocol = get_protocol(instance.release.benchmark.protocol)
    columns = case_columns(protocol)
    if not columns:
        raise Refused(
            f"Nothing about an output of protocol {protocol.name} is judged by a model or measured, so a case study "
            "would have no columns.",
            code="no_case_columns",
        )
    runs = list(instance.release.runs.select_related("system").order_by("system__slug"))
    tracks = sorted({run.track for run in runs}, key=lambda name: (name != "raw", name))
    track = named_or_first(tracks, track, "track")
    # those that have answered a model's question about an output of the instance
    said = Verdict.objects.filter(
        output__instance=instance, predicate__in=[known.key for known in protocol.output_predicates]
    )
    heard = Judge.objects.filter(pk__in=said.values("judge")).order_by("slug", "version")
    judges = {found.label: found for found in heard}
    label = named_or_first(list(judges), judge, "judge")
    arms = {column.key: (column.track or track, column.condition) for column in columns}
    outputs = _outputs(instance, set(arms.values()), judges.get(label))
    return CaseStudy(
        format=FORMAT,
        release=instance.release.name,
        is_sample=instance.release.is_sample,
        protocol=instance.release.benchmark.protocol,
        instance=instance.key,
        domain=instance.domain,
        track=track,
        tracks=tracks,
        judge=label,
        judges=list(judges),
        columns=[
            StudyColumn(
                key=column.key,
                title=column.title,
                definition=column.definition,
                track=arms[column.key][0],
                condition=column.condition,
                is_text=column.is_text,
            )
            for column in columns
        ],
        rows=_rows(columns, arms, runs, outputs, instance.payload, answers(instance.release.name)),
    )


def _outputs(
    instance: Instance, arms: set[Arm], judge: Judge | None
) -> dict[tuple[str, int], dict[Arm, Shown]]:
    """By system and attempt, the outputs of these arms."""
    rows = [
        output
        for output in instance.outputs.select_related("run__system").defer("text")
        if (output.run.track, output.run.condition) in arms
    ]
    known = {
        output.pk: OutputRow(
            str(output.pk),
            output.run.system.slug,
            instance.key,
            instance.key,
            instance.domain,
            output.attempt,
            output.state,
            output.sha256,
        )
        for output in rows
    }
    protocol = get_protocol(instance.release.benchmark.protocol)
    reached = [
        Reached(str(output.pk), predicate)
        for output in rows
        for predicate in reached_by(protocol, output.state, output.payload)
    ]
    votes = []
    if judge is not None:
        said = Verdict.objects.filter(judge=judge, output__instance=instance, second=None)
        ordered = said.order_by("output", "predicate", "order", "vote")
        fields = ordered.values_list("output", "predicate", "order", "vote", "value", "state")
        votes = [Vote(str(row[0]), *row[1:]) for row in fields]
    labelled = labelled_outputs(known.values(), tallies(votes), reached)
    found: dict[tuple[str, int], dict[Arm, Shown]] = defaultdict(dict)
    for output in rows:
        arm = (output.run.track, output.run.condition)
        shown = Shown(arm, labelled[str(output.pk)], output.payload)
        found[output.run.system.slug, output.attempt][arm] = shown
    return found


def _rows(
    columns: Sequence[CaseColumn],
    arms: Mapping[str, Arm],
    runs: Sequence[Run],
    outputs: Mapping[tuple[str, int], Mapping[Arm, Shown]],
    payload: Mapping[str, Any],
    said: Mapping[str, str],
) -> list[CaseRow]:
    """A row for each attempt of every system that has a run in an arm of the table."""
    names = {run.system.slug: run.system.name for run in runs if (run.track, run.condition) in arms.values()}
    attempts: dict[str, list[int]] = defaultdict(list)
    for system, attempt in sorted(outputs):
        attempts[system].append(attempt)
    return [
        CaseRow(
            system=system,
            name=name,
            attempt=attempt,
            cells={
                column.key: case_cell(
                    column, outputs.get((system, attempt), {}).get(arms[column.key]), payload, said
                )
                for column in columns
            },
        )
        for system, name in names.items()
        for attempt in attempts.get(system, [1])
    ]


def case_cell(
    column: CaseColumn, shown: Shown | None, instance: Mapping[str, Any], said: Mapping[str, str]
) -> CaseCell:
    """What the column says about an output; `said` is what people answered to open cases."""
    if shown is None:
        return CaseCell(value="", state="no_output")
    reads = column.of_abstained and shown.labelled.state == OutputState.ABSTAINED
    if reads and not column.needs:
        value = column.value(Case(instance, shown.payload, shown.labelled, said))
        lacks = "nothing" if column.is_text else shown.labelled.state
        return _cell(value, lacks)
    if not shown.labelled.is_judged_by(column.needs if reads else ()):
        return _cell("", shown.labelled.state)
    # why an answered output has no value; the first that holds
    states = [shown.labelled.states.get(key, "") for key in column.needs]
    if "" in states:
        lacks = "not_judged"
    elif "abstain" in states:
        lacks = "judge_abstained"
    else:
        lacks = "unavailable" if states else "nothing"
    return _cell(column.value(Case(instance, shown.payload, shown.labelled, said)), lacks)


def _cell(value: str, lacks: str) -> CaseCell:
    return CaseCell(value=value, state="answered" if value else cast(State, lacks))
