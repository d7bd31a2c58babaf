"""Stored labels as rows of the canonical label table, streamed."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation.models import Answer
from benchmark.models import Release
from benchmark.subjects import Subject
from judging.models import Verdict

Row = dict[str, str]
_CHUNK = 2000
_EXPERT_FIELDS = (
    "grade__assignment__item__campaign__slug",
    "question",
    "grade__assignment__item__instance__key",
    "grade__assignment__item__output__run__system__slug",
    "grade__assignment__item__output__run__track",
    "grade__assignment__item__output__attempt",
    "step",
    "grade__assignment__item__instance__paper__key",
    "grade__assignment__item__instance__domain",
    "grade__assignment__item__stratum",
    "grade__assignment__item__stratum_size",
    "grade__assignment__item__sample_size",
    "grade__assignment__reviewer__email",
    "value",
    "state",
    "confidence",
    "grade__active_seconds",
    "comment",
    "grade__created_at",
    "grade__assignment__item__campaign__rubric__name",
    "grade__assignment__item__campaign__rubric__version",
)
_JUDGE_FIELDS = (
    "predicate",
    "output__instance__key",
    "output__run__system__slug",
    "output__run__track",
    "output__attempt",
    "output__instance__paper__key",
    "output__instance__domain",
    "judge__slug",
    "vote",
    "order",
    "value",
    "state",
    "confidence",
    "reason",
    "created_at",
    "judge__version",
    "judge__published_as",
)


def label_rows(release: Release, *, campaign: str = "") -> Iterator[Row]:
    """Expert labels (live grades) and, without `campaign`, verdicts; in a stable order, canonical columns."""
    for answer in expert_answers(release, campaign).values_list(*_EXPERT_FIELDS).iterator(chunk_size=_CHUNK):
        yield _expert_row(release.name, answer)
    if campaign:
        return
    verdicts = Verdict.objects.filter(output__run__release=release).order_by(
        "judge_id", "output_id", "predicate", "order", "vote"
    )
    for verdict in verdicts.values_list(*_JUDGE_FIELDS).iterator(chunk_size=_CHUNK):
        yield _judge_row(release.name, verdict)


def expert_answers(release: Release, campaign: str) -> QuerySet[Answer]:
    """Answers of live grades of a release, or of one campaign of it."""
    answers = Answer.objects.filter(
        grade__superseded_by=None, grade__assignment__item__campaign__release=release
    )
    if campaign:
        answers = answers.filter(grade__assignment__item__campaign__slug=campaign)
    return answers.order_by("grade__assignment__item__campaign_id", "grade_id", "id")


def _expert_row(release: str, fields: tuple[Any, ...]) -> Row:
    (campaign, question, instance, system, track, attempt, step, paper, domain, stratum, stratum_size) = (
        fields[:11]
    )
    sample_size, rater, value, state, confidence, seconds, comment, created_at, rubric, version = fields[11:]
    return {
        "release": release,
        "campaign": campaign,
        "question": question,
        **_subject_cells(instance, system, track, attempt),
        "step": step,
        "cluster": paper or instance,
        "domain": domain,
        "stratum": stratum,
        "stratum_size": str(stratum_size),
        "sample_size": str(sample_size),
        "rater": rater,
        "rater_kind": "expert",
        "value": value,
        "state": state,
        "confidence": _number(confidence),
        "seconds": str(seconds),
        "comment": comment,
        "created_at": created_at.isoformat(),
        "rubric_version": f"{rubric}-v{version}",
    }


def _judge_row(release: str, fields: tuple[Any, ...]) -> Row:
    predicate, instance, system, track, attempt, paper, domain, judge, vote, order = fields[:10]
    value, state, confidence, reason, created_at, version, published_as = fields[10:]
    return {
        "release": release,
        "question": predicate,
        **_subject_cells(instance, system, track, attempt),
        "cluster": paper or instance,
        "domain": domain,
        "rater": judge,
        "rater_kind": "judge",
        "vote": str(vote),
        "order": str(order),
        "value": value,
        "state": "unavailable" if state == "unparsed" else state,
        "confidence": _number(confidence),
        "comment": reason,
        "created_at": created_at.isoformat(),
        "judge_version": published_as or f"{judge}-v{version}",
    }


def _subject_cells(instance: str, system: str, track: str, attempt: int) -> Row:
    return {
        "subject": str(Subject(instance, system, attempt, track)),
        "instance": instance,
        "system": system,
        "attempt": str(attempt),
    }


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def blinded(rows: Iterator[Row]) -> Iterator[Row]:
    """Expert rows without anything that tells the system: no name, an opaque subject, no judge's stratum."""
    for row in rows:
        if row["rater_kind"] == "expert":
            token = hmac.new(settings.SECRET_KEY.encode(), row["subject"].encode(), hashlib.sha256)
            yield {
                **row,
                "subject": f"blind-{token.hexdigest()[:16]}",
                "system": "",
                "attempt": "",
                "stratum": "",
            }
