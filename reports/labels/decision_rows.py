"""Decisions of adjudicators as rows of the canonical label table.

A question has at most two: the last decision before the unblinding, which primary scores use, and the last
amendment. A pair is in the order of its name and not in that of its item, which goes by the rows' numbers.
"""

import datetime as dt
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from django.db.models import QuerySet

from annotation.adjudication.reading import LATEST, LATEST_PRIMARY
from annotation.campaigns.pairing import upright
from annotation.models import Adjudication
from benchmark.models import Release
from reports.labels.cells import KeyedRow, Row, cells_of
from reports.labels.filters import LabelFilter
from stats.tables.labels import ADJUDICATOR

_CHUNK = 2000  # rows held at once; an export's memory must not grow with the table


class _Decision(NamedTuple):
    """One decision with what its row needs, in the order of _FIELDS."""

    pk: int
    campaign: str
    question: str
    step: str
    instance: str
    paper: str | None
    domain: str
    system: str | None
    attempt: int | None
    track: str | None
    condition: str | None
    other_system: str | None
    other_track: str | None
    other_condition: str | None
    rater: str
    value: str
    note: str
    cause: str
    overrules: bool
    informed: bool
    amendment: bool
    decided_at: dt.datetime
    rubric: str
    version: int


_FIELDS = (
    "pk",
    "item__campaign__slug",
    "question",
    "step",
    "item__instance__key",
    "item__instance__paper__key",
    "item__instance__domain",
    "item__output__run__system__slug",
    "item__output__attempt",
    "item__output__run__track",
    "item__output__run__condition",
    "item__second__run__system__slug",
    "item__second__run__track",
    "item__second__run__condition",
    "decided_by__rater",
    "value",
    "note",
    "cause",
    "overrules",
    "informed",
    "amendment",
    "decided_at",
    "item__campaign__rubric__name",
    "item__campaign__rubric__version",
)


def decision_rows(release: Release, *, campaign: str, wanted: LabelFilter) -> Iterator[Row]:
    """All decisions in force: by campaign, amendments last, each part in the order in which they were made."""
    found = _decisions(release, campaign, wanted).order_by("item__campaign_id", "amendment", "pk")
    return (row for _, row in _rows(release, found, wanted))


def decisions_after(
    release: Release, *, campaign: str, wanted: LabelFilter, after: int, limit: int
) -> list[KeyedRow]:
    """At most `limit` decisions in force after the one with key `after`, in the order in which they were made."""
    found = _decisions(release, campaign, wanted).filter(pk__gt=after).order_by("pk")
    return list(islice(_rows(release, found, wanted), limit))


def _decisions(release: Release, campaign: str, wanted: LabelFilter) -> QuerySet[Adjudication]:
    condition = wanted.decisions()
    if condition is None:
        return Adjudication.objects.none()
    found = Adjudication.objects.filter(LATEST | LATEST_PRIMARY, condition, item__campaign__release=release)
    return found.filter(item__campaign__slug=campaign) if campaign else found


def _rows(release: Release, found: QuerySet[Adjudication], wanted: LabelFilter) -> Iterator[KeyedRow]:
    """The rows whose value is wanted: only the row knows it, as a pair is stored in another order."""
    values = wanted.wanted.get("value")
    for stored in found.values_list(*_FIELDS).iterator(chunk_size=_CHUNK):
        decision = _Decision(*stored)
        cells, swapped = cells_of(decision)
        row = {
            "release": release.name,
            "campaign": decision.campaign,
            "question": decision.question,
            **cells,
            "step": decision.step,
            "rater": decision.rater,
            "rater_kind": ADJUDICATOR,
            "value": upright(decision.value, swapped=swapped),
            "state": "answered",
            "comment": decision.note,
            "created_at": decision.decided_at.isoformat(),
            "rubric_version": f"{decision.rubric}-v{decision.version}",
            "cause": decision.cause,
            "overrules": _yes_no(decision.overrules),
            "informed": _yes_no(decision.informed),
            "amendment": _yes_no(decision.amendment),
        }
        if values is None or row["value"] in values:
            yield decision.pk, row


def _yes_no(said: bool) -> str:
    return "yes" if said else "no"
