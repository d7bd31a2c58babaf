"""What follows from payloads alone: a protocol's measures and strata, read once and frozen as inputs.

Where a measure leaves a case open, people settle it. The value of an output is 1 as soon as one of its cases is settled
as the same work, and 0 for good when all of them are settled as different ones. Until then it stays 0 and open.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from benchmark.models import Instance, Output, OutputState, Release
from benchmark.overlaps import cluster_of
from benchmark.protocol import Measure
from benchmark.protocols import get_protocol
from benchmark.settling.case import OpenCase
from benchmark.subjects import Subject
from reports.core.canonical import rounded
from reports.core.datasets import PLAIN, Reached, Unreleased, reached_by

_CHUNK = 2000
MISSING = "missing"


@dataclass(frozen=True)
class Asked:
    """An instance of the release: what every run should have an output for."""

    instance: str
    cluster: str
    domain: str


@dataclass(frozen=True)
class Sorted:
    """The class of an instance in one of the protocol's divisions."""

    instance: str
    division: str
    stratum: str


@dataclass(frozen=True)
class Measured:
    """The value of one measure for one output. `state` is the output's, or missing where the run has none.

    There is no row where the measure does not apply to the output.
    """

    system: str
    instance: str
    attempt: int
    state: str
    measure: str
    value: float


@dataclass(frozen=True)
class OpenMeasure:
    """An output whose value of a measure is 0 as long as no person has looked; it may be 1."""

    system: str
    instance: str
    attempt: int
    measure: str


@dataclass(frozen=True)
class OpenPair:
    """One of the `pairs` of texts of such an output of which only a person can say whether they mean the same."""

    measure: OpenMeasure
    case: OpenCase
    pairs: int


@dataclass(frozen=True)
class Measurements:
    """What all runs of a track give: `rows` with open cases as 0, the outputs that are `opened`, and their cases.

    `reached` are the stages that abstained outputs reached, found on the way; None where nothing is measured.
    """

    rows: tuple[Measured, ...] = ()
    opened: tuple[OpenMeasure, ...] = ()
    pairs: tuple[OpenPair, ...] = ()
    reached: tuple[Reached, ...] | None = None


@dataclass(frozen=True)
class _Found:
    """One output as it is measured; `payload` is None unless it was answered or abstained."""

    system: str
    instance: str
    attempt: int
    state: str
    payload: Mapping[str, Any] | None


def asked_of(release: Release) -> list[Asked]:
    """Every instance of the release with its cluster and domain."""
    rows = release.instances.order_by("key").values_list("key", "paper__key", "domain")
    return [
        Asked(key, cluster_of(paper) if paper else key, domain)
        for key, paper, domain in rows.iterator(chunk_size=_CHUNK)
    ]


def sorted_instances(release: Release) -> list[Sorted]:
    """Every instance of the release in every division of its protocol; none for most protocols."""
    strata = get_protocol(release.benchmark.protocol).strata
    if strata is None:
        return []
    rows = release.instances.order_by("key").values_list("key", "payload").iterator(chunk_size=_CHUNK)
    return [Sorted(key, name, value) for key, payload in rows for name, value in strata(payload).items()]


@dataclass(frozen=True)
class _Content:
    """What measurements follow from; `runs` are primary key and system of each.

    `hashes` are those of the release and of its runs: they differ where the database is another one.
    """

    protocol: str
    measures: tuple[Measure, ...]
    release: int
    track: str
    condition: str
    runs: tuple[tuple[int, str], ...]
    unreleased: frozenset[Unreleased]
    hashes: tuple[str, ...]


def measured(
    release: Release, track: str, unreleased: Iterable[Unreleased] = (), condition: str = PLAIN
) -> Measurements:
    """All measures of all runs of a track. A measure that applies to no answered output of a run has no row of it.

    Instances of which an output was not released (`unreleased`) have no row either: they are not missing. What is
    frozen never changes, so it is measured once and the result stays in memory.

    Raises ValueError where a measure leaves [0, 1]: that is a fault of the protocol.
    """
    protocol = get_protocol(release.benchmark.protocol)
    measures = tuple(measure for measure in protocol.measures if condition not in measure.not_under)
    if not measures:
        return Measurements()
    runs = list(
        release.runs.filter(track=track, condition=condition)
        .order_by("system__slug")
        .values_list("pk", "system__slug", "sha256", "frozen_at")
    )
    content = _Content(
        protocol=protocol.name,
        measures=measures,
        release=release.pk,
        track=track,
        condition=condition,
        runs=tuple((pk, system) for pk, system, _, _ in runs),
        unreleased=frozenset(unreleased),
        hashes=(release.sha256, *(sha256 for _, _, sha256, _ in runs)),
    )
    frozen = release.frozen_at and all(frozen_at for _, _, _, frozen_at in runs)
    return _measured_once(content) if frozen else _measured(content)


def _measured(content: _Content) -> Measurements:
    protocol = get_protocol(content.protocol)
    instances = Instance.objects.filter(release=content.release).values_list("key", "payload")
    payloads = dict(instances.iterator(chunk_size=_CHUNK))
    systems = dict(content.runs)
    found: dict[int, list[_Found]] = defaultdict(list)
    reached: list[Reached] = []
    outputs = (
        Output.objects.filter(run__in=systems)
        .order_by("instance__key", "attempt")
        .values_list("run", "instance__key", "attempt", "state", "payload")
    )
    for run, instance, attempt, state, payload in outputs.iterator(chunk_size=_CHUNK):
        read = payload if state in (OutputState.ANSWERED, OutputState.ABSTAINED) else None
        found[run].append(_Found(systems[run], instance, attempt, state, read))
        subject = str(Subject(instance, systems[run], attempt, content.track, content.condition))
        reached += [Reached(subject, predicate) for predicate in reached_by(protocol, state, payload)]
    rows: list[Measured] = []
    pairs: list[OpenPair] = []
    for run, system in content.runs:
        own = found[run]
        if not own:  # none of its outputs was released
            continue
        answered = {output.instance for output in own}
        withheld = {mark.instance for mark in content.unreleased if mark.system == system}
        lacking = sorted(payloads.keys() - answered - withheld)
        complete = [*own, *(_Found(system, key, 1, MISSING, None) for key in lacking)]
        for measure in content.measures:
            of_measure, left_open = _of_measure(measure, complete, payloads)
            rows += of_measure
            pairs += left_open
    opened = dict.fromkeys(pair.measure for pair in pairs)
    return Measurements(tuple(rows), tuple(opened), tuple(pairs), tuple(reached))


_measured_once = lru_cache(maxsize=8)(_measured)


def _of_measure(
    measure: Measure, outputs: Iterable[_Found], payloads: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Measured], list[OpenPair]]:
    """The values of a measure for the outputs of one run, and the cases that need a person to look."""
    rows: list[Measured] = []
    pairs: list[OpenPair] = []
    applies = answered = False
    for found in outputs:
        instance, is_answer = payloads[found.instance], found.state == OutputState.ANSWERED
        payload = found.payload if is_answer or measure.reads_abstained else None
        value = measure.value(instance, payload)
        if value is not None and not (value in (0, 1) if measure.binary else 0 <= value <= 1):
            raise ValueError(f"{measure.key} gave {value!r}")
        answered = answered or is_answer
        applies = applies or (is_answer and value is not None)
        whose = (found.system, found.instance, found.attempt)
        if value is not None:
            stored = rounded(float(value))  # as artifacts have it, so that scores from them are the same
            rows.append(Measured(*whose, found.state, measure.key, stored))
        if measure.open_cases is not None and payload is not None:
            cases = measure.open_cases(instance, payload)
            pairs += [OpenPair(OpenMeasure(*whose, measure.key), case, len(cases)) for case in cases]
    return (rows if applies or not answered else []), pairs


Key = tuple[str, str, int, str]  # system, instance, attempt, measure


@dataclass(frozen=True)
class Answer:
    """What counts about one pair of texts. People are numbered, not named; their notes stay in the study."""

    pair: str
    found: str
    wanted: str
    verdict: str
    person: str
    decided_at: str


@dataclass(frozen=True)
class SettledPair:
    """That a pair that was answered is one of the `pairs` which an output leaves open in a measure."""

    system: str
    instance: str
    attempt: int
    measure: str
    pair: str
    pairs: int


def settled_pairs(release: Release, opened: Sequence[OpenPair]) -> tuple[list[Answer], list[SettledPair]]:
    """The answers that count about these cases, and where each of them decides; no query where nothing is open."""
    if not opened:
        return [], []
    live = release.settlements.filter(withdrawn_at=None).order_by("pk")
    latest = {row.pair: row for row in live}
    rows = [
        SettledPair(**vars(one.measure), pair=one.case.pair, pairs=one.pairs)
        for one in opened
        if one.case.pair in latest
    ]
    used = [latest[pair] for pair in dict.fromkeys(one.pair for one in rows)]
    # in the order of the cases, which says nothing about names and stays when an account is erased
    people = dict.fromkeys(row.decided_by_id for row in used)
    number = {person: f"person-{at}" for at, person in enumerate(people, start=1)}
    answers = []
    for row in used:
        found, wanted = (
            "; ".join(f"{name}: {text}" for name, text in side) for side in (row.found, row.wanted)
        )
        person, decided_at = number[row.decided_by_id], row.decided_at.isoformat()
        answers.append(Answer(row.pair, found, wanted, row.verdict, person, decided_at))
    return answers, rows


def decided(answers: Iterable[Answer], pairs: Iterable[SettledPair]) -> dict[Key, float]:
    """The values that the answers decide, by output and measure."""
    verdicts = {answer.pair: answer.verdict for answer in answers}
    said: dict[Key, list[str]] = defaultdict(list)
    open_pairs: dict[Key, int] = {}
    for row in pairs:
        key = (row.system, row.instance, row.attempt, row.measure)
        said[key].append(verdicts[row.pair])
        open_pairs[key] = row.pairs
    return {
        key: float("same" in verdicts)
        for key, verdicts in said.items()
        if "same" in verdicts or len(verdicts) == open_pairs[key]
    }


def with_decided(rows: Iterable[Measured], values: dict[Key, float]) -> list[Measured]:
    """The measured rows with the values that people decided."""
    return [replace(row, value=values.get(_key(row), row.value)) for row in rows]


def still_open(opened: Iterable[OpenMeasure], values: dict[Key, float]) -> list[OpenMeasure]:
    """The outputs of which somebody has still to look."""
    return [row for row in opened if _key(row) not in values]


def _key(row: Measured | OpenMeasure) -> Key:
    return row.system, row.instance, row.attempt, row.measure
