"""What experts flagged as leaks, next to what the program of the construction audit found in the same instances.

Only live grades count. reports/campaign/flagging.py says how far experts agree on flags; an exclusion rule may count
them (reports/exclusions).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from annotation.models import Flag, Grade
from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Release
from benchmark.subjects import Subject
from judging.asking.subjects import instance_of
from reports.construction.document import findings, newest_audit
from reports.labels.rows import blind_subject

COLUMNS = (
    "release", "campaign", "flag", "kind", "about", "subject", "instance", "domain", "rater", "block", "start",
    "end", "text", "link", "note", "created_at",
)  # fmt: skip


@dataclass
class FlaggedInstance:
    """One instance: kind of flag to the number of its graders who raised it, of `graders` in all, with the flags.

    `program` holds the kinds that the program found in the anchor, and `read` whether it has read this one.
    """

    instance: str
    domain: str
    graders: int
    experts: dict[str, int] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)
    program: tuple[str, ...] = ()
    read: bool = False


def live_flags(release: Release) -> QuerySet[Flag]:
    """The flags of grades that no later one supersedes, by instance, with what a table needs of them."""
    rows = Flag.objects.filter(
        grade__superseded_by=None, grade__assignment__item__campaign__release=release
    ).select_related(
        "grade__assignment__item__campaign",
        "grade__assignment__item__instance",
        "grade__assignment__reviewer",
        "output__run__system",
        "output__instance",
    )
    order = ("grade__assignment__item__instance__key", "grade__assignment__item__campaign__slug", "pk")
    return rows.prefetch_related("spans").order_by(*order)


def flagged_instances(release: Release) -> list[FlaggedInstance]:
    """Every instance with a flag by an expert or a leak found by the program, by key."""
    found: dict[str, FlaggedInstance] = {}
    grades = Grade.objects.filter(superseded_by=None, assignment__item__campaign__release=release).order_by()
    people = Count("assignment__reviewer", distinct=True)
    graders = dict(
        grades.values("assignment__item__instance__key")
        .annotate(people=people)
        .values_list("assignment__item__instance__key", "people")
    )
    domains = dict(release.instances.values_list("key", "domain"))

    def row(key: str) -> FlaggedInstance:
        return found.setdefault(key, FlaggedInstance(key, domains[key], graders.get(key, 0)))

    raised: dict[tuple[str, str], set[int]] = defaultdict(set)
    for flag in live_flags(release):
        place = flag.grade.assignment
        row(place.item.instance.key).flags.append(flag)
        raised[place.item.instance.key, flag.kind].add(place.reviewer_id)
    for (key, kind), reviewers in raised.items():
        found[key].experts[kind] = len(reviewers)
    for verdict in findings(release, newest_audit(release), item="leak_free"):
        kinds = {mark["kind"] for mark in verdict.evidence.get("flags", ())} & FLAG_KINDS.keys()
        key = instance_of(verdict).key
        if kinds or key in found:
            entry = row(key)
            entry.program, entry.read = tuple(sorted(kinds)), True
    return [found[key] for key in sorted(found)]


def flag_rows(release: Release, *, identities: bool = False) -> Iterator[dict[str, object]]:
    """One row per marked span, or one per flag without any; an output is named only with `identities`.

    By instance and campaign, and there by what the rows say; flags are numbered in this order, from 1.
    """
    found = []
    for flag in live_flags(release):
        place, output = flag.grade.assignment, flag.output
        subject = place.item.instance.key
        if output is not None:
            run = output.run
            subject = str(
                Subject(output.instance.key, run.system.slug, output.attempt, run.track, run.condition)
            )
            if not identities:
                subject, _ = blind_subject(place.item.campaign.slug, subject)  # as in the label table
        row: dict[str, object] = {
            **dict.fromkeys(COLUMNS, ""),
            "release": release.name,
            "campaign": place.item.campaign.slug,
            "kind": flag.kind,
            "about": FLAG_KINDS[flag.kind].subject,
            "subject": subject,
            "instance": place.item.instance.key,
            "domain": place.item.instance.domain,
            "rater": place.reviewer.rater,
            "link": flag.link,
            "note": flag.note,
            "created_at": flag.grade.created_at.isoformat(),
        }
        spans = sorted((span.block, span.start, span.end, span.text) for span in flag.spans.all())
        marked = [dict(zip(("block", "start", "end", "text"), span, strict=True)) for span in spans]
        found.append([row | cells for cells in marked] or [row])

    def sort_key(rows: list[dict[str, object]]) -> tuple[object, ...]:
        """Flags that are equal here are equal in all their cells but the number."""
        names = ("instance", "campaign", "subject", "kind", "rater")
        return *(rows[0][name] for name in names), [list(map(str, row.values())) for row in rows]

    for number, rows in enumerate(sorted(found, key=sort_key), start=1):
        yield from ({**row, "flag": number} for row in rows)


def flag_table(rows: Iterable[dict[str, object]]) -> Iterator[list[object]]:
    """The same as a table with a head."""
    yield list(COLUMNS)
    yield from (list(row.values()) for row in rows)
