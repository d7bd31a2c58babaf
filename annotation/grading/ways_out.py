"""Issues that reviewers reported instead of judging, or in addition: by item, for the campaign's staff.

Nobody is named, and items go by their opaque names: this is read while a campaign is blind.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TypedDict

from django.db.models import Q

from annotation.core.item_names import item_name
from annotation.grading.reasons import seen_where, unjudged_reason
from annotation.models import Assignment, Campaign, Grade, ReleaseReason


@dataclass
class WaysOut:
    """One item: how many reviewers reported what about it, and their words. `grades` counts live grades."""

    item: str
    problem: str
    domain: str
    grades: int = 0
    out_of_field: int = 0
    statement_wrong: int = 0
    seen_before: int = 0
    seen_where: list[str] = field(default_factory=list)
    unjudged: list[dict[str, str]] = field(default_factory=list)


class Ways(TypedDict):
    """Totals, and the items with reported issues: the fields of WaysOut."""

    campaign: str
    grades: int
    counts: dict[str, int]
    reasons: dict[str, int]
    items: list[dict[str, object]]


def ways_out(campaign: Campaign) -> Ways:
    """What the reviewers of a campaign reported."""
    items: dict[int, WaysOut] = {}
    # the mirrored repeat of a pair is the same reviewer again, and does not count
    live = Grade.objects.filter(
        assignment__item__campaign=campaign, assignment__repeat=False, superseded_by=None
    )
    reported = live.filter(Q(statement_wrong=True) | Q(seen_before=True) | Q(unjudged__isnull=False))
    related = ("assignment__item__instance", "unjudged", "seen_where")
    for grade in reported.select_related(*related).order_by("pk"):
        row = _row(items, grade.assignment)
        row.statement_wrong += grade.statement_wrong
        row.seen_before += grade.seen_before
        if where := seen_where(grade):
            row.seen_where.append(where)
        if reason := unjudged_reason(grade):
            row.unjudged.append(reason)
    given_up = Assignment.objects.filter(
        item__campaign=campaign, release_reason=ReleaseReason.OUT_OF_FIELD, repeat=False
    )
    for place in given_up.select_related("item__instance"):
        _row(items, place).out_of_field += 1
    counts = Counter(live.values_list("assignment__item", flat=True))
    for pk, row in items.items():
        row.grades = counts[pk]
    rows = sorted(items.values(), key=lambda row: (row.domain, row.problem, row.item))
    totals = {"unjudged": sum(len(row.unjudged) for row in rows)}
    for name in ("out_of_field", "statement_wrong", "seen_before"):
        totals[name] = sum(getattr(row, name) for row in rows)
    return {
        "campaign": campaign.slug,
        "grades": counts.total(),
        "counts": totals,
        "reasons": dict(Counter(said["words"] for row in rows for said in row.unjudged).most_common()),
        "items": [vars(row) for row in rows],
    }


def _row(items: dict[int, WaysOut], place: Assignment) -> WaysOut:
    problem = place.item.instance
    fresh = WaysOut(item_name(place.item_id), problem.key, problem.domain)
    return items.setdefault(place.item_id, fresh)
