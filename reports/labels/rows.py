"""Stored labels as rows of the canonical label table, streamed; and blinded."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Collate

from annotation.adjudication.reading import LATEST, LATEST_PRIMARY
from annotation.models import Adjudication, Answer
from benchmark.models import Release
from judging.models import Verdict
from reports.labels.cells import (
    DECISION_PATHS,
    EXPERT_PATHS,
    INSTANCE_PATHS,
    VERDICT_PATHS,
    KeyedRow,
    Row,
    StoredAnswer,
    StoredDecision,
    StoredVerdict,
)
from reports.labels.filters import LabelFilter
from stats.tables.labels import COLUMNS, SHOWN_BLIND

EVERYTHING = LabelFilter()
_CHUNK = 2000  # rows held at once; an export's memory must not grow with the table
_ITEM = "grade__assignment__item__"


def label_rows(release: Release, *, campaign: str = "", wanted: LabelFilter = EVERYTHING) -> Iterator[Row]:
    """Expert labels (live grades), decisions in force and, without `campaign`, verdicts.

    In a stable order, canonical columns. Decisions are by campaign, amendments last, each part in the order in which
    they were made. Verdicts are by names alone, so that they do not depend on the order in which outputs were imported.
    """
    answers = _expert_answers(release, campaign, wanted).order_by(f"{_ITEM}campaign_id", "grade_id", "id")
    found = answers.values_list(*EXPERT_PATHS.values())
    yield from (StoredAnswer(*row).row(release.name) for row in found.iterator(chunk_size=_CHUNK))
    decisions = _decisions(release, campaign, wanted).order_by("item__campaign_id", "amendment", "pk")
    yield from (row for _, row in _decision_rows(release, decisions, wanted))
    if campaign:
        return
    for verdicts, paths in _verdicts(release, wanted):
        said = verdicts.order_by(*_by_name(paths)).values_list(*paths.values())
        yield from (StoredVerdict(*row).row(release.name) for row in said.iterator(chunk_size=_CHUNK))


def _by_name(paths: Mapping[str, str]) -> list[Collate | str]:
    """The order of verdicts by judge, subject, predicate and vote; texts by code point on every database."""
    collation = "C" if connection.vendor == "postgresql" else "BINARY"
    judge = ("rater", "published_as")
    subject = ("instance", "system", "track", "condition", "other_system", "other_track", "other_condition")
    names = [Collate(paths[field], collation) for field in (*judge, *subject, "question")]
    return [*names[:2], paths["version"], *names[2:], paths["attempt"], paths["order"], paths["vote"]]


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
    """The same of decisions in force."""
    found = _decisions(release, campaign, wanted).filter(pk__gt=after).order_by("pk")
    return list(islice(_decision_rows(release, found, wanted), limit))


def verdicts_after(release: Release, *, wanted: LabelFilter, after: int, limit: int) -> list[KeyedRow]:
    """The same of verdicts, on outputs and on instances."""
    found = [
        (key, StoredVerdict(*values).row(release.name))
        for verdicts, paths in _verdicts(release, wanted)
        for key, *values in verdicts.filter(pk__gt=after)
        .order_by("pk")
        .values_list("pk", *paths.values())[:limit]
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
