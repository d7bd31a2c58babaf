"""The construction audit of a release as one document: items, counts with intervals, and what was found."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from django.db.models import Count, QuerySet

from benchmark.models import Release
from benchmark.overlaps import cluster_of
from benchmark.protocols import get_protocol
from judging.asking.subjects import instance_of
from judging.models import Judge, Verdict
from judging.programs.construction import construction_program
from reports.core.choosing import named_or_first
from stats.core.estimate import Estimate
from stats.scores.clusters import ClusterTotals
from stats.scores.means import share_of

VALUES = ("yes", "no", "uncertain")
FILTERS = ("item", "value", "kind", "domain")
COLUMNS = (
    "release", "judge", "instance", "domain", "item", "value", "kind", "start", "end", "text", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class MarkedPiece:
    """A stretch of a text; `kinds` names the flags on it."""

    text: str
    kinds: tuple[str, ...] = ()


def newest_audit(release: Release) -> Judge | None:
    """The judge version of the latest construction audit of this release; None before the first."""
    said = Verdict.objects.filter(instance__release=release)
    return (
        Judge.objects.filter(pk__in=said.values("judge"))
        .exclude(program="")
        .order_by("-version", "-pk")
        .first()
    )


@dataclass(frozen=True, kw_only=True)
class AuditItem:
    """An item of the audit; what is uncertain is in neither numerator."""

    key: str
    title: str
    passes: Annotated[str, "What an instance must satisfy."]
    by: Literal["program", "expert"]
    limits: Annotated[str, "What the program cannot see."]
    counts: Mapping[str, int]
    missing: Annotated[int, "Instances that were not asked about yet."]
    passed: Annotated[Estimate, "Share of instances that were checked and passed."]
    fault: Annotated[Estimate, "Share of instances where the fault was found."]


@dataclass(frozen=True, kw_only=True)
class Construction:
    """`judge` is null before the first audit; `leaks` are by kind."""

    release: str
    judge: str | None
    program: str | None
    current: Annotated[bool, "Whether the verdicts are of the program's present version."]
    instances: int
    items: Sequence[AuditItem]
    leaks: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class ConstructionFinding:
    instance: str
    item: str
    value: str
    state: str
    reason: str
    evidence: Annotated[Mapping[str, Any], "For the anchor: field and flags with start and end."]


@dataclass(frozen=True, kw_only=True)
class ConstructionFindings(Construction):
    findings: Sequence[ConstructionFinding]


def _share(papers: Mapping[str, Counter[str]], value: str) -> Estimate:
    """Of the instances that have this value, by paper; each instance without a paper ("") is one of its own."""
    alone = papers.get("", Counter())
    several = [counts for paper, counts in papers.items() if paper]
    sums = [counts[value] for counts in several] + [1] * alone[value] + [0] * (alone.total() - alone[value])
    sizes = [counts.total() for counts in several] + [1] * alone.total()
    return share_of(ClusterTotals(np.array(sums, dtype=float), np.array(sizes, dtype=np.int64)))


def construction(release: Release) -> Construction:
    """The items with their counts and intervals over papers, and leaks by kind.

    Raises Refused when the protocol has no construction audit.
    """
    program = construction_program(release)
    judge = newest_audit(release)
    size = release.instances.count()
    by_paper: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    said = (
        Verdict.objects.filter(judge=judge, instance__release=release)
        .order_by()
        .values_list("predicate", "value", "instance__paper__key")
    )
    for predicate, value, paper, number in said.annotate(number=Count("pk")):
        by_paper[predicate][cluster_of(paper or "")][value or "unavailable"] += number
    items = []
    for item in get_protocol(release.benchmark.protocol).construction_items:
        papers = by_paper[item.key]
        found = sum(papers.values(), Counter())
        items.append(
            AuditItem(
                key=item.key,
                title=item.title,
                passes=item.passes,
                by="program" if item.program else "expert",
                limits=item.limits,
                counts={value: found[value] for value in (*VALUES, "unavailable")},
                missing=size - found.total(),
                passed=_share(papers, "yes"),
                fault=_share(papers, "no"),
            )
        )
    # instances by kind of flag, several kinds of one instance counted each
    kinds: Counter[str] = Counter()
    for verdict in findings(release, judge, item="leak_free").iterator(500):
        kinds.update({flag["kind"] for flag in verdict.evidence.get("flags", ())})
    return Construction(
        release=release.name,
        judge=judge.label if judge else None,
        program=judge.program if judge else None,
        current=bool(judge and judge.program == program.label),
        instances=size,
        items=items,
        leaks=dict(sorted(kinds.items())),
    )


def findings(
    release: Release, judge: Judge | None, *, item: str = "", value: str = "", domain: str = ""
) -> QuerySet[Verdict]:
    """The verdicts of an audit, faults before doubts, by instance; of one item, value or domain if asked."""
    rows = Verdict.objects.filter(judge=judge, instance__release=release).select_related("instance")
    if item:
        rows = rows.filter(predicate=item)
    if value:
        rows = rows.filter(value="" if value == "unavailable" else value)
    if domain:
        rows = rows.filter(instance__domain=domain)
    return rows.order_by("value", "instance__key", "predicate")


def chosen_findings(release: Release, judge: Judge | None, asked: Mapping[str, str]) -> list[Verdict]:
    """The verdicts that a request means: by `item`, `value`, `kind` of flag and `domain`; left out, all but the
    passed ones. Raises Refused for an item or value that does not exist."""
    keys = [item.key for item in get_protocol(release.benchmark.protocol).construction_items]
    for name, known in (("item", keys), ("value", [*VALUES, "unavailable"])):
        named_or_first(known, asked.get(name, ""), name, where="")
    narrowed = {name: asked.get(name, "") for name in ("item", "value", "domain")}
    rows = findings(release, judge, **narrowed)
    if not narrowed["value"]:
        rows = rows.exclude(value="yes")
    kind = asked.get("kind", "")
    return [row for row in rows if not kind or any(flag["kind"] == kind for flag in _flags(row))]


def _flags(verdict: Verdict) -> Sequence[Mapping[str, Any]]:
    flags: Sequence[Mapping[str, Any]] = verdict.evidence.get("flags", ())
    return flags


def marked(verdict: Verdict) -> list[MarkedPiece]:
    """The text that a verdict's flags are about, cut where a flag begins or ends; empty for other verdicts."""
    flags, field = _flags(verdict), verdict.evidence.get("field", "")
    text = instance_of(verdict).payload
    for name in field.split("."):
        text = text.get(name) if isinstance(text, dict) else None
    if not text or not isinstance(text, str):
        return []
    cuts = sorted({0, len(text), *(flag[end] for flag in flags for end in ("start", "end"))})
    pieces = []
    for start, end in pairwise(cuts):
        kinds = {flag["kind"] for flag in flags if flag["start"] <= start and end <= flag["end"]}
        pieces.append(MarkedPiece(text[start:end], tuple(sorted(kinds))))
    return pieces


def finding_rows(release: Release, judge: Judge | None, found: Sequence[Verdict]) -> Iterator[list[object]]:
    """The findings as a table with a head, one row per flag and one per verdict without flags."""
    yield list(COLUMNS)
    for verdict in found:
        instance = instance_of(verdict)
        head = [release.name, judge.label if judge else "", instance.key, instance.domain, verdict.predicate]
        head.append(verdict.value or verdict.state)
        flags = _flags(verdict)
        for flag in flags:
            yield [*head, flag["kind"], flag["start"], flag["end"], flag["text"], flag["reason"]]
        if not flags:
            yield [*head, "", "", "", "", verdict.reason]
