"""Stored labels as rows of the canonical label table, streamed; and blinded."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, repeat
from operator import itemgetter
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Case, CharField, QuerySet, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Collate, Concat

from annotation.adjudication.reading import LATEST, LATEST_PRIMARY
from annotation.models import Adjudication, Answer
from benchmark.models import Release
from judging.models import StepVerdict, Verdict
from reports.labels.cells import (
    DECISION_PATHS,
    EXPERT_PATHS,
    INSTANCE_PATHS,
    STEP_PATHS,
    VERDICT_OF_STEP_PATHS,
    VERDICT_PATHS,
    KeyedRow,
    Row,
    StoredAnswer,
    StoredDecision,
    StoredStep,
    StoredVerdict,
)
from reports.labels.filters import LabelFilter
from stats.tables.labels import COLUMNS, SHOWN_BLIND

EVERYTHING = LabelFilter()
_CHUNK = 2000  # rows held at once; an export's memory must not grow with the table
_ITEM = "grade__assignment__item__"
_PROBLEM = ("campaign", "amendment", "judge_version", "instance")


def label_rows(release: Release, *, campaign: str = "", wanted: LabelFilter = EVERYTHING) -> Iterator[Row]:
    """Expert labels (live grades), decisions in force and, without `campaign`, verdicts; canonical columns.

    The order depends on what the rows say and on nothing else: by campaign or judge and by problem, which the database
    sorts, and there by `_place`. So it is the same wherever, and in whatever order, they were imported. Amendments
    follow the other decisions of their campaign, and verdicts on steps all others. The rows of one problem are held at
    once.
    """
    answers = _expert_answers(release, campaign, wanted).order_by(
        _by_code_point(EXPERT_PATHS["campaign"]), _by_code_point(EXPERT_PATHS["instance"])
    )
    found = answers.values_list(*EXPERT_PATHS.values()).iterator(chunk_size=_CHUNK)
    yield from in_order(StoredAnswer(*row).row(release.name) for row in found)
    decisions = _decisions(release, campaign, wanted).order_by(
        _by_code_point(DECISION_PATHS["campaign"]), "amendment", _by_code_point(DECISION_PATHS["instance"])
    )
    yield from in_order(row for _, row in _decision_rows(release, decisions, wanted))
    if campaign:
        return
    for verdicts, paths in _verdicts(release, wanted):
        order = [_by_code_point(name) for name in (paths["rater"], _version(""), paths["instance"])]
        rows = verdicts.order_by(*order).values_list(*paths.values()).iterator(chunk_size=_CHUNK)
        yield from in_order(StoredVerdict(*row).row(release.name) for row in rows)
    steps = _steps(release, wanted)
    paths = VERDICT_OF_STEP_PATHS
    order = [_by_code_point(name) for name in (paths["rater"], _version("verdict__"), paths["instance"])]
    rows = steps.order_by(*order).values_list(*_STEP_PATHS).iterator(chunk_size=_CHUNK)
    yield from in_order(_step(row).row(release.name) for row in rows)


def _version(to: str) -> Case:
    """The name of the judge's version, as rows have it; `to` is the path to the verdict."""
    own_name = Concat(f"{to}judge__slug", Value("-v"), Cast(f"{to}judge__version", CharField()))
    return Case(When(**{f"{to}judge__published_as": ""}, then=own_name), default=f"{to}judge__published_as")


def in_order(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows that come problem by problem, those of each problem in the order of what they say."""
    for _, of_one_problem in groupby(rows, lambda row: [row.get(name, "") for name in _PROBLEM]):
        placed = []
        for row in of_one_problem:
            of_whom = map(row.get, ("subject", "rater", "order", "step", "question"), repeat(""))
            placed.append(((int(row.get("attempt") or 0), *of_whom, int(row.get("vote") or 0)), row))
        placed.sort(key=itemgetter(0))
        for _, same_place in groupby(placed, itemgetter(0)):
            found = [row for _, row in same_place]
            # All cells of every row as its key would take longer than all the rest of an export.
            if len(found) > 1:
                found.sort(key=lambda row: [row.get(name, "") for name in COLUMNS])
            yield from found


def _by_code_point(name: str | Combinable) -> Collate:
    """Text in the same order on every database, which is that of Python."""
    return Collate(name, "C" if connection.vendor == "postgresql" else "BINARY")


def answers_after(
    release: Release, *, campaign: str, wanted: LabelFilter, after: int, limit: int
) -> list[KeyedRow]:
    """At most `limit` expert labels after the row with key `after`, in the order they came."""
    rows = _expert_answers(release, campaign, wanted).filter(pk__gt=after).order_by("pk")
    return [
        (key, StoredAnswer(*values).row(release.name))
        for key, *values in rows.values_list("pk", *EXPERT_PATHS.values())[:limit]
    ]


def decisions_after(
    release: Release, *, campaign: str, wanted: LabelFilter, after: int, limit: int
) -> list[KeyedRow]:
    """The same for decisions in force."""
    found = _decisions(release, campaign, wanted).filter(pk__gt=after).order_by("pk")
    return list(islice(_decision_rows(release, found, wanted), limit))


def verdicts_after(release: Release, *, wanted: LabelFilter, after: int, limit: int) -> list[KeyedRow]:
    """The same for verdicts, on outputs and on instances."""
    found = [
        (key, StoredVerdict(*values).row(release.name))
        for verdicts, paths in _verdicts(release, wanted)
        for key, *values in verdicts.filter(pk__gt=after)
        .order_by("pk")
        .values_list("pk", *paths.values())[:limit]
    ]
    return sorted(found, key=lambda row: row[0])[:limit]


def steps_after(release: Release, *, wanted: LabelFilter, after: int, limit: int) -> list[KeyedRow]:
    """The same for verdicts on steps."""
    rows = _steps(release, wanted).filter(pk__gt=after).order_by("pk")
    return [
        (key, _step(values).row(release.name))
        for key, *values in rows.values_list("pk", *_STEP_PATHS)[:limit]
    ]


def blinded(rows: Iterable[Row]) -> Iterator[Row]:
    """Expert rows with the columns that a blinded person may see, under an opaque subject and in the order of these.

    An output has another opaque name in every campaign: the labels of a closed one may be public by system, and
    anyone who finds them again here would know the same outputs in a campaign that is still blind.

    The order of a pair is counted from the alphabetical order of its systems, so half of the pairs, by their opaque
    name, count it the other way round: presentations of one pair still compare, and no order tells a system.
    """

    def blind(row: Row) -> Row:
        name, turned = blind_subject(row["campaign"], row["subject"])
        seen = {column: row.get(column, "") if column in SHOWN_BLIND else "" for column in COLUMNS}
        order = row.get("order", "")
        if order and turned:
            order = "2" if order == "1" else "1"
        return {**seen, "subject": name, "order": order}

    return in_order(blind(row) for row in rows if row["rater_kind"] == "expert")


def blind_subject(campaign: str, subject: str) -> tuple[str, bool]:
    """The opaque name of a subject in a campaign, and whether the sides of a pair are told in the opposite order."""
    name = opaque(f"{campaign} {subject}")
    return f"blind-{name[:16]}", int(name[-1], 16) % 2 == 1


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


def _decisions(release: Release, campaign: str, wanted: LabelFilter) -> QuerySet[Adjudication]:
    """A question has at most two: the last one before the unblinding, which primary scores use, and the last
    amendment.
    """
    condition = wanted.decisions()
    if condition is None:
        return Adjudication.objects.none()
    found = Adjudication.objects.filter(LATEST | LATEST_PRIMARY, condition, item__campaign__release=release)
    return found.filter(item__campaign__slug=campaign) if campaign else found


def _decision_rows(
    release: Release, found: QuerySet[Adjudication], wanted: LabelFilter
) -> Iterator[KeyedRow]:
    """The rows whose value is wanted: only the row knows it, as a pair is stored in another order."""
    values = wanted.wanted.get("value")
    for key, *stored in found.values_list("pk", *DECISION_PATHS.values()).iterator(chunk_size=_CHUNK):
        row = StoredDecision(*stored).row(release.name)
        if values is None or row["value"] in values:
            yield key, row


def _verdicts(release: Release, wanted: LabelFilter) -> Iterator[tuple[QuerySet[Verdict], Mapping[str, str]]]:
    """Verdicts on outputs, then those on instances, each with the paths of a row: two ways to the release."""
    on_outputs, on_instances = wanted.verdicts(), wanted.instance_verdicts()
    if on_outputs is not None:
        yield Verdict.objects.filter(on_outputs, output__run__release=release), VERDICT_PATHS
    if on_instances is not None:
        yield Verdict.objects.filter(on_instances, instance__release=release), INSTANCE_PATHS


def _steps(release: Release, wanted: LabelFilter) -> QuerySet[StepVerdict]:
    condition = wanted.steps()
    if condition is None:
        return StepVerdict.objects.none()
    return StepVerdict.objects.filter(condition, verdict__output__run__release=release)


_STEP_PATHS = (*STEP_PATHS.values(), *VERDICT_OF_STEP_PATHS.values())


def _step(values: Sequence[Any]) -> StoredStep:
    question, step, label, reason, *verdict = values
    return StoredStep(question, step, label, reason, StoredVerdict(*verdict))
