"""The runs of a release on every track and condition that its protocol sets side by side: rows to plain values."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from benchmark.condition_tables import Arm
from benchmark.models import Release, Run
from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from judging.models import Judge
from reports.core.choosing import UNDECLARED, MixedTuples, judges_of_release, named_or_first
from reports.core.datasets import judge_votes, labelled_outputs, output_rows, reached_stages, tallies
from reports.exclusions.objections import excluded_of

Outputs = Mapping[str, LabelledOutput]  # by subject


@dataclass(frozen=True)
class Entry:
    """A run of a system that has outputs, and the frozen tuple that it is in ("" for none)."""

    arm: Arm
    system: str
    name: str
    frozen_tuple: str


@dataclass(frozen=True)
class Entries:
    """What the tables are made of: `shown` are the runs in them, `elsewhere` those on arms that no table has."""

    shown: tuple[Entry, ...]
    elsewhere: tuple[Entry, ...]
    frozen_tuple: str
    judge: Judge | None
    judges: tuple[str, ...]
    outputs: Mapping[Arm, Outputs]
    instances: frozenset[str]
    excluded: int


def condition_entries(release: Release, *, judge: str, frozen_tuple: str) -> Entries:
    """Read the arms of the protocol's tables, each with a few queries, without the instances that a primary exclusion
    rule leaves out.

    Raises Refused with code no_conditions (the protocol has no such tables), mixed_tuples, no_tuple or no_judge.
    """
    protocol = get_protocol(release.benchmark.protocol)
    arms = list(dict.fromkeys(column.arm for table in protocol.condition_tables for column in table.columns))
    if not arms:
        raise Refused(
            f"Protocol {protocol.name} does not say which of its tracks and conditions can be compared.",
            code="no_conditions",
        )
    rows = Run.objects.filter(release=release, outputs__isnull=False).order_by(
        "system__slug", "track", "condition"
    )
    fields = ("track", "condition", "system__slug", "system__name", "tupled__tuple__name")
    runs = [
        Entry((track, condition), system, title, tupled or "")
        for track, condition, system, title, tupled in rows.values_list(*fields).distinct()
    ]
    here = [run for run in runs if run.arm in arms]
    systems_of: dict[str, list[str]] = defaultdict(list)  # by tuple; only runs of one are compared
    for run in sorted(here, key=lambda run: run.frozen_tuple):
        if run.system not in systems_of[run.frozen_tuple]:
            systems_of[run.frozen_tuple].append(run.system)
    if not frozen_tuple and len(systems_of) > 1:
        raise MixedTuples("these tracks and conditions", systems_of)
    name = "" if frozen_tuple == UNDECLARED else frozen_tuple or next(iter(systems_of), "")
    if frozen_tuple and name not in systems_of:
        there = ", ".join(known or UNDECLARED for known in systems_of) or UNDECLARED
        reason = f"There are no runs in the tuple {frozen_tuple!r}; there are: {there}."
        raise Refused(reason, code="no_tuple", field="tuple")
    shown = [run for run in here if run.frozen_tuple == name]
    judges = {found.label: found for found in judges_of_release(release)}
    out = excluded_of(release)
    chosen = judges.get(named_or_first(list(judges), judge, "judge"))
    outputs: dict[Arm, Outputs] = {arm: {} for arm in arms}
    for arm in arms:
        systems = {run.system for run in shown if run.arm == arm}
        if systems:
            kept = [
                row for row in output_rows(release, *arm) if row.system in systems and row.instance not in out
            ]
            votes = judge_votes(release, arm[0], chosen, arm[1]) if chosen else ()
            outputs[arm] = labelled_outputs(kept, tallies(votes), reached_stages(release, *arm))
    known = frozenset(release.instances.values_list("key", flat=True))
    return Entries(
        shown=tuple(shown),
        elsewhere=tuple(run for run in runs if run.arm not in arms),
        frozen_tuple=name,
        judge=chosen,
        judges=tuple(judges),
        outputs=outputs,
        instances=known - set(out),
        excluded=len(known & set(out)),
    )
