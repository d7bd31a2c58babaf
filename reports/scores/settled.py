"""What people said to open cases, as inputs of a score: it follows from what the matcher left open and their answers.

A measure's value of an output is 1 as soon as one of its cases is settled as the same work, and 0 for good when all
of them are settled as different ones. Until then it stays 0 and open.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from benchmark.models import Release
from reports.core.measurements import Measured, OpenMeasure, OpenPair

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
    live = release.settlements.filter(withdrawn_at=None).select_related("decided_by").order_by("pk")
    latest = {row.pair: row for row in live}
    rows = [
        SettledPair(**vars(one.measure), pair=one.case.pair, pairs=one.pairs)
        for one in opened
        if one.case.pair in latest
    ]
    used = [latest[pair] for pair in dict.fromkeys(one.pair for one in rows)]
    people = sorted({row.decided_by.email for row in used})
    number = {email: f"person-{at}" for at, email in enumerate(people, start=1)}
    answers = []
    for row in used:
        found, wanted = (
            "; ".join(f"{name}: {text}" for name, text in side) for side in (row.found, row.wanted)
        )
        person, decided_at = number[row.decided_by.email], row.decided_at.isoformat()
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
