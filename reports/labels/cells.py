"""Labels as the database has them, and the cells of their rows: where each column's value comes from."""

import datetime as dt
from functools import lru_cache
from typing import Annotated, NamedTuple, get_args, get_type_hints

from annotation.campaigns.pairing import upright
from benchmark.overlaps import cluster_of
from benchmark.subjects import InstanceSubject, PairSubject, Subject
from stats.tables.labels import ADJUDICATOR

Row = dict[str, str]
KeyedRow = tuple[int, Row]
_ITEM = "grade__assignment__item__"
_YES_NO = {None: "", False: "no", True: "yes"}


class StoredAnswer(NamedTuple):
    """One answer, each field with its path from annotation.Answer."""

    campaign: Annotated[str, f"{_ITEM}campaign__slug"]
    question: Annotated[str, "question"]
    instance: Annotated[str, f"{_ITEM}instance__key"]
    system: Annotated[str | None, f"{_ITEM}output__run__system__slug"]
    attempt: Annotated[int | None, f"{_ITEM}output__attempt"]
    track: Annotated[str | None, f"{_ITEM}output__run__track"]
    condition: Annotated[str | None, f"{_ITEM}output__run__condition"]
    step: Annotated[str, "step"]
    paper: Annotated[str | None, f"{_ITEM}instance__paper__key"]
    domain: Annotated[str, f"{_ITEM}instance__domain"]
    stratum: Annotated[str, f"{_ITEM}stratum"]
    stratum_size: Annotated[int, f"{_ITEM}stratum_size"]
    sample_size: Annotated[int, f"{_ITEM}sample_size"]
    rater: Annotated[str, "grade__assignment__reviewer__rater"]
    swapped: Annotated[bool | None, "grade__assignment__swapped"]
    other_system: Annotated[str | None, f"{_ITEM}second__run__system__slug"]
    other_track: Annotated[str | None, f"{_ITEM}second__run__track"]
    other_condition: Annotated[str | None, f"{_ITEM}second__run__condition"]
    value: Annotated[str, "value"]
    state: Annotated[str, "state"]
    confidence: Annotated[float | None, "confidence"]
    seconds: Annotated[int, "grade__active_seconds"]
    comment: Annotated[str, "comment"]
    created_at: Annotated[dt.datetime, "grade__created_at"]
    rubric: Annotated[str, f"{_ITEM}campaign__rubric__name"]
    version: Annotated[int, f"{_ITEM}campaign__rubric__version"]
    verdict_seen: Annotated[bool | None, "grade__verdict_seen"]
    searches: Annotated[int | None, "grade__searches"]

    def row(self, release: str) -> Row:
        return {
            "release": release,
            "campaign": self.campaign,
            "question": self.question,
            **_subject_cells(self, swapped=bool(self.swapped))[0],
            "step": self.step,
            "stratum": self.stratum,
            "stratum_size": str(self.stratum_size),
            "sample_size": str(self.sample_size),
            "rater": self.rater,
            "rater_kind": "expert",
            "value": self.value,
            "state": self.state,
            "confidence": _number(self.confidence),
            "seconds": str(self.seconds),
            "comment": self.comment,
            "created_at": self.created_at.isoformat(),
            "rubric_version": f"{self.rubric}-v{self.version}",
            "verdict_seen": _YES_NO[self.verdict_seen],
            "searches": "" if self.searches is None else str(self.searches),
        }


class StoredVerdict(NamedTuple):
    """One vote, each field with its path from judging.Verdict; see INSTANCE_PATHS for a vote about an instance."""

    question: Annotated[str, "predicate"]
    instance: Annotated[str, "output__instance__key"]
    system: Annotated[str | None, "output__run__system__slug"]
    attempt: Annotated[int | None, "output__attempt"]
    track: Annotated[str | None, "output__run__track"]
    condition: Annotated[str | None, "output__run__condition"]
    paper: Annotated[str | None, "output__instance__paper__key"]
    domain: Annotated[str, "output__instance__domain"]
    rater: Annotated[str, "judge__slug"]
    version: Annotated[int, "judge__version"]
    published_as: Annotated[str, "judge__published_as"]
    vote: Annotated[int, "vote"]
    order: Annotated[int, "order"]
    other_system: Annotated[str | None, "second__run__system__slug"]
    other_track: Annotated[str | None, "second__run__track"]
    other_condition: Annotated[str | None, "second__run__condition"]
    value: Annotated[str, "value"]
    state: Annotated[str, "state"]
    confidence: Annotated[float | None, "confidence"]
    reason: Annotated[str, "reason"]
    created_at: Annotated[dt.datetime, "created_at"]

    def row(self, release: str) -> Row:
        return {
            "release": release,
            "question": self.question,
            "order": str(self.order),
            **_subject_cells(self, swapped=self.order == 2)[0],
            "rater": self.rater,
            "rater_kind": "judge",
            "vote": str(self.vote),
            "value": self.value,
            "state": "unavailable" if self.state == "unparsed" else self.state,
            "confidence": _number(self.confidence),
            "comment": self.reason,
            "created_at": self.created_at.isoformat(),
            "judge_version": self.published_as or f"{self.rater}-v{self.version}",
        }


class StoredStep(NamedTuple):
    """What one vote says about one step: its own fields, then those of the vote, which has the same subject."""

    question: Annotated[str, "question"]
    step: Annotated[str, "step"]
    label: Annotated[str, "label"]
    reason: Annotated[str, "reason"]
    verdict: StoredVerdict

    def row(self, release: str) -> Row:
        own = {"question": self.question, "step": self.step, "value": self.label, "state": "answered"}
        return {**self.verdict.row(release), **own, "comment": self.reason, "confidence": ""}


class StoredDecision(NamedTuple):
    """One decision of an adjudicator, each field with its path from annotation.Adjudication."""

    campaign: Annotated[str, "item__campaign__slug"]
    question: Annotated[str, "question"]
    step: Annotated[str, "step"]
    instance: Annotated[str, "item__instance__key"]
    paper: Annotated[str | None, "item__instance__paper__key"]
    domain: Annotated[str, "item__instance__domain"]
    system: Annotated[str | None, "item__output__run__system__slug"]
    attempt: Annotated[int | None, "item__output__attempt"]
    track: Annotated[str | None, "item__output__run__track"]
    condition: Annotated[str | None, "item__output__run__condition"]
    other_system: Annotated[str | None, "item__second__run__system__slug"]
    other_track: Annotated[str | None, "item__second__run__track"]
    other_condition: Annotated[str | None, "item__second__run__condition"]
    rater: Annotated[str, "decided_by__rater"]
    value: Annotated[str, "value"]
    note: Annotated[str, "note"]
    cause: Annotated[str, "cause"]
    overrules: Annotated[bool, "overrules"]
    informed: Annotated[bool, "informed"]
    amendment: Annotated[bool, "amendment"]
    decided_at: Annotated[dt.datetime, "decided_at"]
    rubric: Annotated[str, "item__campaign__rubric__name"]
    version: Annotated[int, "item__campaign__rubric__version"]

    def row(self, release: str) -> Row:
        """A pair is in the order of its name and not in that of its item, which goes by the rows' numbers."""
        cells, swapped = _subject_cells(self)
        return {
            "release": release,
            "campaign": self.campaign,
            "question": self.question,
            **cells,
            "step": self.step,
            "rater": self.rater,
            "rater_kind": ADJUDICATOR,
            "value": upright(self.value, swapped=swapped),
            "state": "answered",
            "comment": self.note,
            "created_at": self.decided_at.isoformat(),
            "rubric_version": f"{self.rubric}-v{self.version}",
            "cause": self.cause,
            "overrules": _YES_NO[self.overrules],
            "informed": _YES_NO[self.informed],
            "amendment": _YES_NO[self.amendment],
        }


def _paths(label: type[tuple[object, ...]]) -> dict[str, str]:
    """Field to path, in the order of the fields."""
    hints = get_type_hints(label, include_extras=True)
    return {field: get_args(hint)[1] for field, hint in hints.items() if get_args(hint)}


EXPERT_PATHS, DECISION_PATHS, VERDICT_PATHS = map(_paths, (StoredAnswer, StoredDecision, StoredVerdict))
# Verdicts about instances have no output; the paths of their system and attempt lead to nothing.
INSTANCE_PATHS = {
    field: path.replace("output__instance__", "instance__") for field, path in VERDICT_PATHS.items()
}
STEP_PATHS = _paths(StoredStep)
VERDICT_OF_STEP_PATHS = {field: f"verdict__{path}" for field, path in VERDICT_PATHS.items()}


@lru_cache(maxsize=4096)
def _cells_of_output(
    instance: str, system: str, attempt: int, track: str, condition: str, paper: str | None, domain: str
) -> Row:
    """What all labels of an output share; they follow each other, so it is made once. Never changed."""
    return {
        "subject": str(Subject(instance, system, attempt, track, condition)),
        "instance": instance,
        "system": system,
        "attempt": str(attempt),
        "cluster": cluster_of(paper) if paper else instance,
        "domain": domain,
    }


def _subject_cells(
    label: StoredAnswer | StoredVerdict | StoredDecision, *, swapped: bool | None = None
) -> tuple[Row, bool]:
    """The cells of what a label is about, and whether the sides of a pair are exchanged against the stored order.

    The stored order goes by numbers that mean nothing outside this database. A pair is as it was shown, with the sides
    `swapped` or not; where nobody saw it so (None), it is in the order of its name.
    """
    instance, cluster = label.instance, cluster_of(label.paper) if label.paper else label.instance
    if label.system is None or label.attempt is None:  # a label of an instance has neither
        about = str(InstanceSubject(instance))
        return {"subject": about, "instance": instance, "cluster": cluster, "domain": label.domain}, False
    output = instance, label.system, label.attempt, label.track or "", label.condition or ""
    if label.other_system is None:
        return _cells_of_output(*output, label.paper, label.domain), False
    sides = label.other_system, label.attempt, label.other_track or "", label.other_condition or ""
    item, other = Subject(*output), Subject(instance, *sides)
    if swapped is None:
        swapped = PairSubject(item, other).ordered[0] is not item
    left, right = (other, item) if swapped else (item, other)
    pair = PairSubject(left, right)
    return {
        "subject": str(pair),
        "instance": instance,
        "system": f"{left.arm}|{right.arm}",
        "attempt": str(left.attempt),
        "order": "1" if pair.ordered[0] is left else "2",
        "cluster": cluster,
        "domain": label.domain,
    }, swapped


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)
