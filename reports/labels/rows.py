"""Stored labels as rows of the canonical label table, streamed."""

import datetime as dt
import hashlib
import hmac
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.conf import settings
from django.db.models import QuerySet

from annotation.models import Answer
from benchmark.models import Release
from judging.models import Verdict
from reports.labels.cells import SHOWN_BLIND, KeyedRow, Row, cells_of
from reports.labels.decision_rows import decision_rows
from reports.labels.filters import LabelFilter
from stats.tables.labels import COLUMNS

EVERYTHING = LabelFilter()
_CHUNK = 2000  # rows held at once; an export's memory must not grow with the table
_ITEM = "grade__assignment__item__"
_SEEN = {None: "", False: "no", True: "yes"}


class _Expert(NamedTuple):
    """One answer with what its row needs, in the order of _EXPERT_FIELDS."""

    campaign: str
    question: str
    instance: str
    system: str | None
    attempt: int | None
    track: str | None
    condition: str | None
    step: str
    paper: str | None
    domain: str
    stratum: str
    stratum_size: int
    sample_size: int
    rater: str
    swapped: bool | None
    other_system: str | None
    other_track: str | None
    other_condition: str | None
    value: str
    state: str
    confidence: float | None
    seconds: int
    comment: str
    created_at: dt.datetime
    rubric: str
    version: int
    verdict_seen: bool | None


_EXPERT_FIELDS = (
    f"{_ITEM}campaign__slug",
    "question",
    f"{_ITEM}instance__key",
    f"{_ITEM}output__run__system__slug",
    f"{_ITEM}output__attempt",
    f"{_ITEM}output__run__track",
    f"{_ITEM}output__run__condition",
    "step",
    f"{_ITEM}instance__paper__key",
    f"{_ITEM}instance__domain",
    f"{_ITEM}stratum",
    f"{_ITEM}stratum_size",
    f"{_ITEM}sample_size",
    "grade__assignment__reviewer__rater",
    "grade__assignment__swapped",
    f"{_ITEM}second__run__system__slug",
    f"{_ITEM}second__run__track",
    f"{_ITEM}second__run__condition",
    "value",
    "state",
    "confidence",
    "grade__active_seconds",
    "comment",
    "grade__created_at",
    f"{_ITEM}campaign__rubric__name",
    f"{_ITEM}campaign__rubric__version",
    "grade__verdict_seen",
)


class _Verdict(NamedTuple):
    """One vote with what its row needs, in the order of _VERDICT_FIELDS."""

    predicate: str
    instance: str
    system: str | None
    attempt: int | None
    track: str | None
    condition: str | None
    paper: str | None
    domain: str
    judge: str
    version: int
    published_as: str
    vote: int
    order: int
    other_system: str | None
    other_track: str | None
    other_condition: str | None
    value: str
    state: str
    confidence: float | None
    reason: str
    created_at: dt.datetime


_VERDICT_FIELDS = (
    "predicate",
    "output__instance__key",
    "output__run__system__slug",
    "output__attempt",
    "output__run__track",
    "output__run__condition",
    "output__instance__paper__key",
    "output__instance__domain",
    "judge__slug",
    "judge__version",
    "judge__published_as",
    "vote",
    "order",
    "second__run__system__slug",
    "second__run__track",
    "second__run__condition",
    "value",
    "state",
    "confidence",
    "reason",
    "created_at",
)
_ABOUT_INSTANCE = tuple(name.replace("output__instance__", "instance__") for name in _VERDICT_FIELDS)


def label_rows(release: Release, *, campaign: str = "", wanted: LabelFilter = EVERYTHING) -> Iterator[Row]:
    """Expert labels (live grades), decisions in force and, without `campaign`, verdicts.

    In a stable order, canonical columns.
    """
    answers = _expert_answers(release, campaign, wanted).order_by(f"{_ITEM}campaign_id", "grade_id", "id")
    found = answers.values_list(*_EXPERT_FIELDS)
    yield from (_expert_row(release.name, _Expert(*row)) for row in found.iterator(chunk_size=_CHUNK))
    yield from decision_rows(release, campaign=campaign, wanted=wanted)
    if campaign:
        return
    for verdicts, fields in _verdicts(release, wanted):
        said = verdicts.order_by(
            "judge_id", "output_id", "second_id", "instance_id", "predicate", "order", "vote"
        ).values_list(*fields)
        yield from (_judge_row(release.name, _Verdict(*row)) for row in said.iterator(chunk_size=_CHUNK))


def answers_after(
    release: Release, *, campaign: str, wanted: LabelFilter, after: int, limit: int
) -> list[KeyedRow]:
    """At most `limit` expert labels after the row with key `after`, in the order they came."""
    rows = _expert_answers(release, campaign, wanted).filter(pk__gt=after).order_by("pk")
    return [
        (key, _expert_row(release.name, _Expert(*values)))
        for key, *values in rows.values_list("pk", *_EXPERT_FIELDS)[:limit]
    ]


def verdicts_after(release: Release, *, wanted: LabelFilter, after: int, limit: int) -> list[KeyedRow]:
    """The same of verdicts, on outputs and on instances."""
    found = [
        (key, _judge_row(release.name, _Verdict(*values)))
        for verdicts, fields in _verdicts(release, wanted)
        for key, *values in verdicts.filter(pk__gt=after).order_by("pk").values_list("pk", *fields)[:limit]
    ]
    return sorted(found, key=lambda row: row[0])[:limit]


def blinded(rows: Iterable[Row]) -> Iterator[Row]:
    """Expert rows with the columns that a blinded person may see, under an opaque subject.

    The order of a pair is counted from the alphabetical order of its systems, so half of the pairs, by their opaque
    name, count it the other way round: presentations of one pair still compare, and no order tells a system.
    """
    for row in rows:
        if row["rater_kind"] != "expert":
            continue
        name = opaque(row["subject"])
        seen = {column: row.get(column, "") if column in SHOWN_BLIND else "" for column in COLUMNS}
        order = row.get("order", "")
        if order and int(name[-1], 16) % 2:
            order = "2" if order == "1" else "1"
        yield {**seen, "subject": f"blind-{name[:16]}", "order": order}


def opaque(name: str) -> str:
    """64 hexadecimal digits that stand for a name and tell nothing of it without this site's secret key."""
    return hmac.new(settings.SECRET_KEY.encode(), name.encode(), hashlib.sha256).hexdigest()


def _expert_answers(release: Release, campaign: str, wanted: LabelFilter) -> QuerySet[Answer]:
    condition = wanted.answers()
    if condition is None:
        return Answer.objects.none()
    live = Answer.objects.filter(
        condition, grade__superseded_by=None, **{f"{_ITEM}campaign__release": release}
    )
    return live.filter(**{f"{_ITEM}campaign__slug": campaign}) if campaign else live


def _verdicts(release: Release, wanted: LabelFilter) -> Iterator[tuple[QuerySet[Verdict], tuple[str, ...]]]:
    """Verdicts on outputs, then those on instances, each with the fields of a row: two ways to the release."""
    on_outputs, on_instances = wanted.verdicts(), wanted.instance_verdicts()
    if on_outputs is not None:
        yield Verdict.objects.filter(on_outputs, output__run__release=release), _VERDICT_FIELDS
    if on_instances is not None:
        yield Verdict.objects.filter(on_instances, instance__release=release), _ABOUT_INSTANCE


def _expert_row(release: str, label: _Expert) -> Row:
    return {
        "release": release,
        "campaign": label.campaign,
        "question": label.question,
        **cells_of(label, swapped=bool(label.swapped))[0],
        "step": label.step,
        "stratum": label.stratum,
        "stratum_size": str(label.stratum_size),
        "sample_size": str(label.sample_size),
        "rater": label.rater,
        "rater_kind": "expert",
        "value": label.value,
        "state": label.state,
        "confidence": _number(label.confidence),
        "seconds": str(label.seconds),
        "comment": label.comment,
        "created_at": label.created_at.isoformat(),
        "rubric_version": f"{label.rubric}-v{label.version}",
        "verdict_seen": _SEEN[label.verdict_seen],
    }


def _judge_row(release: str, label: _Verdict) -> Row:
    return {
        "release": release,
        "question": label.predicate,
        "order": str(label.order),
        **cells_of(label, swapped=label.order == 2)[0],
        "rater": label.judge,
        "rater_kind": "judge",
        "vote": str(label.vote),
        "value": label.value,
        "state": "unavailable" if label.state == "unparsed" else label.state,
        "confidence": _number(label.confidence),
        "comment": label.reason,
        "created_at": label.created_at.isoformat(),
        "judge_version": label.published_as or f"{label.judge}-v{label.version}",
    }


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)
