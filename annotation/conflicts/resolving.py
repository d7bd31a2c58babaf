"""Conflicts of interest in campaigns: what counts for whom, and which items that excludes. Reads identities.

Everything here runs with access to identities and none of it reaches a reviewer, who sees their declarations and
whether a coordinator decided them (docs/adr/0025).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from accounts.models import Conflict
from annotation.conflicts.possible_authors import DrawnItem, Ground, Targets, Why, exclusions
from annotation.core.phases import Phase
from annotation.models import (
    DEFAULT_LEAST,
    Assignment,
    Campaign,
    CampaignKind,
    ConflictsFixed,
    ConflictTarget,
    Exclusion,
    LeastAuthors,
    TargetKind,
)
from benchmark.models import Benchmark, IdentityVerdict, Instance, Output, OutputState, Paper, System
from benchmark.overlaps import cluster_of

Pairs = Collection[tuple[str, str]]  # (kind, key)


def least_authors(campaign: Campaign) -> int:
    """How many systems must be possible authors of any item that a reviewer gets."""
    row = LeastAuthors.objects.filter(campaign=campaign).first()
    return row.least if row else DEFAULT_LEAST


def ground_of(campaign: Campaign, *, whole: bool = True) -> Ground:
    """What decides who may get which item of the campaign; unless `whole`, what can exclude people without conflicts.

    The possible authors of a problem are the systems with an answered output of it in the campaign's runs; in a
    comparison, those of them that are compared. A sample hides which of them were drawn.
    """
    least, is_comparison = least_authors(campaign), campaign.kind == CampaignKind.COMPARE
    excluded = Output.objects.filter(
        identity_decisions__verdict=IdentityVerdict.EXCLUDED, identity_decisions__withdrawn_at=None
    )
    answered = Output.objects.filter(run__in=campaign.runs(), state=OutputState.ANSWERED).exclude(
        pk__in=excluded.values("pk")
    )
    drawn = campaign.items.all()
    if not (whole or is_comparison):  # then only what too few systems answered matters
        systems = Count("run__system", distinct=True)
        enough = answered.values("instance").annotate(systems=systems).filter(systems__gte=least)
        drawn = drawn.exclude(instance__in=enough.values("instance"))
    rows = drawn.values_list(
        "pk",
        "instance__key",
        "instance__paper__key",
        "output__run__system__slug",
        "second__run__system__slug",
    )
    items = tuple(
        DrawnItem(pk, problem, cluster_of(paper) if paper else "", frozenset(filter(None, by)))
        for pk, problem, paper, *by in rows
    )
    compared = frozenset[str]().union(*(one.by for one in items))
    problems = {one.problem for one in items}
    if not items:
        return Ground((), {}, least)
    authors: dict[str, set[str]] = {}
    for problem, system in answered.values_list("instance__key", "run__system__slug").distinct():
        if problem in problems and (not is_comparison or system in compared):
            authors.setdefault(problem, set()).add(system)
    return Ground(items, {problem: frozenset(by) for problem, by in authors.items()}, least)


def waiting_for_decision() -> QuerySet[Conflict]:
    """Declarations that no coordinator has decided, the oldest first."""
    return Conflict.objects.filter(decided_at=None, user__is_active=True).order_by("declared_at", "pk")


def decided_targets(reviewers: Iterable[int]) -> dict[int, set[tuple[str, str]]]:
    """By person, what their decided declarations mean now."""
    found: dict[int, set[tuple[str, str]]] = {person: set() for person in reviewers}
    rows = ConflictTarget.objects.filter(conflict__user__in=found, conflict__decided_at__isnull=False)
    for person, kind, key in rows.values_list("conflict__user", "kind", "key"):
        found[person].add((kind, key))
    return found


def fixed_in(benchmark: int, reviewers: Iterable[int]) -> dict[int, list[ConflictsFixed]]:
    """By reviewer, what was fixed in the benchmark's campaigns, the earliest first."""
    found: dict[int, list[ConflictsFixed]] = {}
    rows = ConflictsFixed.objects.filter(campaign__release__benchmark=benchmark, reviewer__in=reviewers)
    for row in rows.order_by("pk"):
        found.setdefault(row.reviewer_id, []).append(row)
    return found


def targets_for(
    reviewers: Collection[int], histories: Mapping[int, list[ConflictsFixed]]
) -> dict[int, set[tuple[str, str]]]:
    """By person, what counts in the benchmark's next campaign: what is fixed there, else what is decided now."""
    found = decided_targets(reviewers)
    fixed = {person: {(kind, key) for kind, key in rows[-1].targets} for person, rows in histories.items()}
    return found | {person: fixed[person] for person in reviewers if person in fixed}


def as_targets(pairs: Iterable[tuple[str, str]], benchmark: str) -> Targets:
    """The pairs as sets; of problems those of the benchmark with this slug."""
    by_kind: dict[str, set[str]] = {kind: set() for kind in TargetKind.values}
    for kind, key in pairs:
        by_kind[kind].add(key)
    prefix = f"{benchmark}/"
    problems = {key.removeprefix(prefix) for key in by_kind[TargetKind.PROBLEM] if key.startswith(prefix)}
    return Targets(
        frozenset(by_kind[TargetKind.SYSTEM]),
        frozenset(map(cluster_of, by_kind[TargetKind.PAPER])),  # all versions of a paper
        frozenset(problems),
    )


def excluded_by(
    campaign: Campaign, reviewers: Iterable[int], counting: Mapping[int, Pairs] | None = None
) -> dict[int, dict[int, Why]]:
    """By reviewer, the items of the campaign that they must not get, and why.

    `counting` gives the targets that count for each; without it they are those that would be fixed now.
    """
    people = list(reviewers)
    benchmark = campaign.release.benchmark
    histories = fixed_in(benchmark.pk, people)
    pairs = targets_for(people, histories) if counting is None else counting
    in_conflict = [person for person in people if pairs[person]]
    ground = ground_of(campaign, whole=bool(in_conflict))
    places: dict[int, list[tuple[str, datetime]]] = {}
    rows = Assignment.objects.filter(
        reviewer__in=in_conflict, item__campaign__release__benchmark=benchmark, item__output__isnull=False
    )
    for person, problem, at in rows.values_list("reviewer", "item__instance__key", "assigned_at"):
        places.setdefault(person, []).append((problem, at))
    found = {}
    for person in people:
        history = histories.get(person, [])
        targets = as_targets(pairs[person], benchmark.slug)
        # problems of which they had an output, with the systems that were excluded whenever they did
        had: dict[str, frozenset[str]] = {}
        for problem, at in places.get(person, ()):
            before = [row for row in history if row.fixed_at <= at] or history[:1]
            systems = as_targets(before[-1].targets, benchmark.slug).systems if before else frozenset()
            had[problem] = had.get(problem, systems) & systems
        found[person] = exclusions(ground, targets, had)
    return found


def plan_exclusions(campaign: Campaign, reviewers: Collection[int]) -> dict[int, dict[int, Why]]:
    """What a plan uses: for reviewers who have begun, the stored exclusions; for others, those that would be stored."""
    begun = set(ConflictsFixed.objects.filter(campaign=campaign).values_list("reviewer", flat=True))
    found = excluded_by(campaign, reviewers)
    stored: dict[int, set[int]] = {}
    rows = Exclusion.objects.filter(item__campaign=campaign, reviewer__in=reviewers)
    for reviewer, item in rows.values_list("reviewer", "item"):
        stored.setdefault(reviewer, set()).add(item)
    return {
        reviewer: {item: found[reviewer].get(item, Why.CONFLICT) for item in stored.get(reviewer, ())}
        if reviewer in begun
        else found[reviewer]
        for reviewer in reviewers
    }


def undecided_people(campaign: Campaign) -> set[int]:
    """Reviewers who get no place in the campaign yet, because a declaration of theirs is undecided."""
    begun = ConflictsFixed.objects.filter(campaign=campaign).values("reviewer")
    return set(waiting_for_decision().exclude(user__in=begun).values_list("user", flat=True))


def write_exclusions(campaign: Campaign, pairs: Mapping[int, Pairs], at: datetime) -> None:
    """Write what counts for these reviewers in the campaign from now on. For actions, inside their transaction."""
    excluded = excluded_by(campaign, pairs, pairs)
    ConflictsFixed.objects.bulk_create(
        ConflictsFixed(campaign=campaign, reviewer_id=person, targets=sorted(counting), fixed_at=at)
        for person, counting in pairs.items()
    )
    Exclusion.objects.bulk_create(
        (Exclusion(item_id=item, reviewer_id=person) for person in pairs for item in excluded[person]),
        ignore_conflicts=True,
    )


MOST_FOUND = 30


@dataclass(frozen=True)
class Found:
    """Something on the platform that words may mean; `exact` when they are its very name or identifier."""

    kind: str
    key: str
    words: str
    exact: bool


def search(text: str) -> list[Found]:
    """Systems, papers and problems whose names contain the words, exact ones first. For those who run studies."""
    said = text.strip()
    if not said:
        return []
    systems = System.objects.filter(
        Q(slug__icontains=said) | Q(name__icontains=said) | Q(family__icontains=said)
    )
    papers = Paper.objects.filter(
        Q(key__icontains=said) | Q(title__icontains=said) | Q(identifiers__icontains=said)
    )
    problems = Instance.objects.filter(key__icontains=said).order_by("release__benchmark__slug", "key")
    found = [
        *(
            _found(
                TargetKind.SYSTEM, row.slug, f"{row.name} ({row.family})" if row.family else row.name, said
            )
            for row in systems.order_by("slug")[:MOST_FOUND]
        ),
        *(
            _found(TargetKind.PAPER, key, title, said)
            for key, title in papers.order_by("key").values_list("key", "title").distinct()[:MOST_FOUND]
        ),
        *(
            _found(TargetKind.PROBLEM, f"{benchmark}/{key}", f"problem {key} of {benchmark}", said)
            for benchmark, key in problems.values_list("release__benchmark__slug", "key").distinct()[
                :MOST_FOUND
            ]
        ),
    ]
    return sorted(found, key=lambda one: not one.exact)


def _found(kind: str, key: str, words: str, said: str) -> Found:
    own = key.partition("/")[2] if kind == TargetKind.PROBLEM else key
    return Found(kind, key, words or key, said.casefold() in (own.casefold(), words.casefold()))


def effects(person: int) -> list[dict[str, object]]:
    """What the person's decided conflicts exclude: for every campaign that is not closed, {campaign, begun, fixed,
    items, conflict, few, had}. `fixed` says that nothing but `apply_conflicts` changes it."""
    rows = []
    campaigns = Campaign.objects.exclude(phase=Phase.CLOSED).select_related("release__benchmark")
    for campaign in campaigns.order_by("slug"):
        history = fixed_in(campaign.release.benchmark_id, [person]).get(person, [])
        counts = Counter(plan_exclusions(campaign, [person])[person].values())
        rows.append(
            {
                "campaign": campaign,
                "fixed": bool(history),
                "begun": any(row.campaign_id == campaign.pk for row in history),
                "items": campaign.items.count(),
                "conflict": counts[Why.CONFLICT],
                "few": counts[Why.FEW],
                "had": counts[Why.HAD],
            }
        )
    return rows


def begun_benchmarks(person: int) -> list[tuple[Benchmark, bool]]:
    """Benchmarks in which something is fixed for the person; whether everything that is decided counts there."""
    rows = Benchmark.objects.filter(releases__campaigns__conflicts_fixed__reviewer=person).distinct()
    now = decided_targets([person])[person]
    return [
        (row, now <= targets_for([person], fixed_in(row.pk, [person]))[person])
        for row in rows.order_by("slug")
    ]
