"""What one vote is about: an output, a pair of outputs or an instance, by their numbers in the database."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Q

from benchmark.models import Instance, Output
from benchmark.subjects import USUAL
from judging.models import JudgeRun, JudgeTask, RunSubject, Verdict

FIELDS = ("output_id", "second_id", "instance_id", "predicate", "order")


class Subject(NamedTuple):
    """Exactly one of `output` and `instance` is given; `second` makes a pair of `output`."""

    output: int | None
    second: int | None
    instance: int | None
    predicate: str
    order: int = 1


def subject_of(row: JudgeTask | Verdict) -> Subject:
    """What a task or a verdict is about."""
    return Subject(row.output_id, row.second_id, row.instance_id, row.predicate, row.order)


def output_of(row: JudgeTask | Verdict) -> Output:
    """The output that a row is about, of a pair the one that order 1 shows first; not for rows about instances."""
    assert row.output is not None
    return row.output


def instance_of(row: JudgeTask | Verdict) -> Instance:
    """The instance that a row is about, or that its output answers."""
    return row.instance if row.instance is not None else output_of(row).instance


def about(subjects: Iterable[Subject]) -> Q:
    """Rows that name an output or instance of one of the subjects: a superset, by index, of the rows about them."""
    known = set(subjects)
    outputs = {subject.output for subject in known} - {None}
    instances = {subject.instance for subject in known} - {None}
    found = Q(output__in=outputs) if outputs else Q()
    return found | Q(instance__in=instances) if instances else found


def of_run(run: JudgeRun) -> Q:
    """Verdicts on what a run asks about, by any judge."""
    if run.subject == RunSubject.INSTANCE:
        return Q(instance__release=run.release_id)
    found = Q(output__run__release=run.release_id, output__run__track=run.track)
    if run.condition:
        found &= Q(output__run__condition="" if run.condition == USUAL else run.condition)
    return found
