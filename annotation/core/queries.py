"""Querysets of annotation. Queries on a reviewer's code path never join a system or a run.

Conflicts of interest come in as numbers of items that were excluded beforehand (annotation/conflicts/resolving.py).
"""

from collections.abc import Callable, Iterable
from functools import cache
from statistics import median
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.utils import timezone

from accounts.access import STUDY_STAFF
from accounts.database.sight import identities_readable
from accounts.database.statements import OneOf, Parameter, Statement
from accounts.models import Expertise, RoleName, User
from accounts.profile.domains import covered
from accounts.refusal import Refused
from annotation.assigning.allocation import Candidate, Vacancy
from annotation.conflicts.resolving import plan_exclusions, undecided_people
from annotation.core.handles import LOTS
from annotation.core.identities import informed_people
from annotation.core.phases import Phase
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Grade,
    Item,
    ProblemRule,
    ReleaseReason,
    Unblinding,
)

REVIEWER = Parameter("reviewer")
SHOWN_WITH_A_PLACE = (
    "item__campaign__rubric",
    "item__campaign__release__benchmark",
    "item__instance",
    "item__output__redacted",
    "item__second__redacted",
)


def places() -> QuerySet[Assignment]:
    """Assignments with what their page shows and their draft; it never joins a run or a system."""
    return Assignment.objects.select_related(*SHOWN_WITH_A_PLACE, "draft")


_BY_HANDLE = Statement(lambda: places().filter(handle=Parameter("handle")))


def place_by_handle(handle: str) -> Assignment | None:
    """The assignment called `handle` with what its page shows."""
    place: Assignment | None = _BY_HANDLE.first(handle=handle)
    return place


def own_assignments(reviewer: User | Parameter) -> QuerySet[Assignment]:
    """The reviewer's places in campaigns that have opened, in their own order."""
    return (
        Assignment.objects.filter(reviewer=reviewer)
        .exclude(item__campaign__phase=Phase.DRAFT)
        .exclude(state=AssignmentState.RELEASED)
        .select_related("item__campaign", "item__instance", "draft")
        .order_by("item__campaign_id", "position", "handle")
    )


def waiting(reviewer: User) -> list[Assignment]:
    """What the reviewer can grade now."""
    return _WAITING.rows(reviewer=reviewer.pk)


def first_waiting(reviewer: User) -> Assignment | None:
    """What the reviewer grades next."""
    place: Assignment | None = _FIRST_WAITING.first(reviewer=reviewer.pk)
    return place


def _waiting() -> QuerySet[Assignment]:
    own = own_assignments(REVIEWER)
    return own.filter(state=AssignmentState.WAITING, item__campaign__phase=Phase.OPEN)


_WAITING = Statement(_waiting)
_FIRST_WAITING = Statement(lambda: _waiting()[:1])


def finished(reviewer: User) -> QuerySet[Assignment]:
    """What the reviewer has submitted, latest first."""
    return own_assignments(reviewer).filter(state=AssignmentState.SUBMITTED).order_by("-submitted_at")


def live_grade(assignment: Assignment, *prefetched: str) -> Grade | None:
    """The grade that counts, the one that no later grade supersedes, with rows `prefetched` by relation."""
    live = assignment.grades.filter(superseded_by__isnull=True)
    return live.prefetch_related(*prefetched).first()


_STATED = Statement(lambda: Expertise.objects.filter(user=REVIEWER).values_list("domain", "confidence"))


def field_of(reviewer: User) -> frozenset[str]:
    """The domains that the person can judge, as stated and what that covers, in one statement."""
    return frozenset(covered(dict(_STATED.rows(reviewer=reviewer.pk))))


def open_items() -> QuerySet[Item]:
    """Items of open campaigns with a free place, in the parameter "domains", that REVIEWER never had.

    Conflicts of interest are left out of account: this is what reviewers may be told about. Where outputs of one
    problem are kept apart, items of a problem that they had are left out too.
    """
    same_problem = Assignment.objects.filter(
        reviewer=REVIEWER, item__campaign=OuterRef("campaign"), item__instance=OuterRef("instance")
    )
    rows = Item.objects.filter(
        OneOf(F("instance__domain"), "domains"),
        campaign__phase=Phase.OPEN,
        places_taken__lt=F("places"),
        calibration__round__revealed_at__isnull=True,
    ).exclude(assignments__reviewer=REVIEWER)
    return rows.exclude(Q(campaign__problem_rule=ProblemRule.APART) & Exists(same_problem))


def free_items() -> QuerySet[Item]:
    """Those of `open_items` that REVIEWER may take: without what their conflicts of interest exclude."""
    return open_items().exclude(exclusions__reviewer=REVIEWER)


@cache
def _free_in(condition: str) -> Statement:
    """(item, problem) of what is free in the parameter "campaign", under one of CONDITIONS."""

    def rows() -> QuerySet[Any]:
        free = free_items().filter(campaign=Parameter("campaign"))
        return CONDITIONS[condition](free).values_list("pk", "instance_id")

    return Statement(rows)


CONDITIONS: dict[str, Callable[[QuerySet[Item]], QuerySet[Item]]] = {
    "all": lambda free: free,
    "item": lambda free: free.filter(pk=Parameter("item")),
    # the index item_free_by_lot finds them
    "lots": lambda free: free.annotate(lot=F("instance_id") % LOTS).filter(OneOf(F("lot"), "lots")),
    "begun": lambda free: free.filter(
        instance__in=Assignment.objects.filter(
            item__campaign=Parameter("campaign"), reviewer=REVIEWER
        ).values("item__instance")
    ),
}


def free_pairs(
    reviewer: User, field: frozenset[str], campaign: int, condition: str = "all", **values: Any
) -> list[tuple[int, int]]:
    """(item, problem) of what this reviewer may take in a campaign.

    `condition` narrows it: "lots" to problems in the given `lots`, "item" to one `item`, "begun" to problems of
    which they had an output. What their conflicts exclude is known once it is fixed (annotation.conflicts.resolving).
    """
    statement = _free_in(condition)
    return statement.rows(reviewer=reviewer.pk, campaign=campaign, domains=field, **values)


class CountOf(Subquery):
    """How many rows a queryset has, which may be cut off: counting ends where it is cut."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


MOST_FREE, MOST_DONE = 100, 500  # at which counting for the page of the queue ends


def free_count() -> CountOf:
    """How many of `open_items` a campaign has for REVIEWER, MOST_FREE + 1 for more than MOST_FREE."""
    free = open_items().filter(campaign=OuterRef("pk")).order_by()
    return CountOf(free.values("pk")[: MOST_FREE + 1])


_ANY_OPEN = Statement(
    lambda: open_items().filter(campaign=Parameter("campaign")).order_by().values_list("pk")[:1]
)


def has_free(reviewer: User, campaign: Campaign) -> bool:
    """Whether the campaign has an item for the reviewer, as far as they may be told."""
    if _ANY_OPEN.rows(reviewer=reviewer.pk, campaign=campaign.pk, domains=field_of(reviewer)):
        return True
    return returnable(reviewer).filter(item__campaign=campaign).exists()


def campaigns_of_queue() -> QuerySet[Any]:
    """Open campaigns with `free` and `done` (own submitted places), those with own places first.

    Counted are the reviewer's last MOST_DONE places in all campaigns together, so that the page costs the same
    however much they have done; `every` says whether that is all of them.
    """
    submitted = Assignment.objects.filter(reviewer=REVIEWER, state=AssignmentState.SUBMITTED)
    latest = submitted.order_by("-position").values("pk")
    done = Assignment.objects.filter(pk__in=latest[:MOST_DONE], item__campaign=OuterRef("pk"))
    lost = returnable(REVIEWER).filter(item__campaign=OuterRef("pk"))
    return Campaign.objects.filter(phase=Phase.OPEN).annotate(
        done=CountOf(done.values("pk")),
        every=~Exists(latest[MOST_DONE : MOST_DONE + 1]),
        free=free_count() + CountOf(lost.values("pk")),
    )


def returnable(reviewer: User | Parameter) -> QuerySet[Assignment]:
    """Places that the reviewer lost because they were late and that are still free."""
    return Assignment.objects.filter(
        reviewer=reviewer,
        state=AssignmentState.RELEASED,
        release_reason=ReleaseReason.LATE,
        repeat=False,
        item__campaign__phase=Phase.OPEN,
        item__places_taken__lt=F("item__places"),
        item__calibration__round__revealed_at__isnull=True,
    )


def vacancies(campaign: Campaign, items: Iterable[Item] | None = None) -> list[Vacancy]:
    """Free places of the campaign (or of some of its items) as plain values. For staff paths only."""
    rows = campaign.items.filter(places_taken__lt=F("places"), calibration__round__revealed_at__isnull=True)
    if items is not None:
        rows = rows.filter(pk__in=[item.pk for item in items])
    held: dict[int, set[int]] = {}
    pairs = Assignment.objects.filter(item__campaign=campaign).values_list("item_id", "reviewer_id")
    for item, reviewer in pairs:
        held.setdefault(item, set()).add(reviewer)
    values = rows.values_list(
        "pk",
        "instance__domain",
        "places",
        "places_taken",
        "instance_id",
    )
    return [
        Vacancy(
            pk,
            domain,
            places - taken,
            frozenset(held.get(pk, ())),
            problem,
        )
        for pk, domain, places, taken, problem in values
    ]


def reviewers() -> QuerySet[User]:
    """Active reviewers who do not also run studies."""
    return (
        User.objects.filter(is_active=True, roles__name=RoleName.REVIEWER)
        .exclude(roles__name__in=STUDY_STAFF)
        .order_by("email")
    )


def candidates(campaign: Campaign) -> list[Candidate]:
    """All reviewers who are not away and saw no systems, as plain values, with the places they hold in this campaign.

    A capacity bounds unfinished places; finished ones are added to it, because `load` counts both.
    """
    people = reviewers().exclude(pk__in=informed_people(campaign.release)).prefetch_related("expertise")
    held, waiting = campaign_loads(campaign), waiting_counts(campaign)
    problems = problems_had(campaign)
    present = list(people.filter(Q(away_until__isnull=True) | Q(away_until__lt=timezone.now().date())))
    with identities_readable():
        excluded = plan_exclusions(campaign, [person.pk for person in present])
        undecided = undecided_people(campaign)
    return [
        Candidate(
            reviewer=person.pk,
            confidence=confidences(person),
            excluded=excluded[person.pk],
            undecided=person.pk in undecided,
            load=held.get(person.pk, 0),
            capacity=_bound(campaign, person, held.get(person.pk, 0) - waiting.get(person.pk, 0)),
            problems=problems.get(person.pk, frozenset()),
        )
        for person in present
    ]


def _bound(campaign: Campaign, person: User, finished: int) -> int | None:
    own = None if person.capacity is None else person.capacity + finished
    bounds = [bound for bound in (own, campaign.most_per_reviewer) if bound is not None]
    return min(bounds, default=None)


def held_by(reviewer: User, campaign: Campaign) -> int:
    """Places in the campaign that the reviewer holds and did not give up."""
    rows = Assignment.objects.filter(item__campaign=campaign, reviewer=reviewer)
    return rows.exclude(state=AssignmentState.RELEASED).count()


def problems_had(campaign: Campaign) -> dict[int, frozenset[int]]:
    """By reviewer, the problems of this campaign of which they ever had an output."""
    found: dict[int, set[int]] = {}
    rows = Assignment.objects.filter(item__campaign=campaign)
    for reviewer, problem in rows.values_list("reviewer_id", "item__instance_id"):
        found.setdefault(reviewer, set()).add(problem)
    return {reviewer: frozenset(problems) for reviewer, problems in found.items()}


def seconds_per_grade(campaign: Campaign) -> float | None:
    """The median active time of finished grades under the campaign's rubric; None before there are any."""
    times = Grade.objects.filter(
        assignment__item__campaign__rubric=campaign.rubric_id, active_seconds__gt=0
    ).values_list("active_seconds", flat=True)
    return median(times) if times else None


def confidences(person: User) -> dict[str, int]:
    """Every domain the person may judge, with their confidence 1-3: as stated, and what that covers."""
    return covered({row.domain: row.confidence for row in person.expertise.all()})


def waiting_counts(campaign: Campaign) -> dict[int, int]:
    """Unfinished places by reviewer."""
    rows = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.WAITING)
    return dict(rows.order_by().values_list("reviewer").annotate(number=Count("pk")))


def campaign_loads(campaign: Campaign) -> dict[int, int]:
    """Places held (not released) by reviewer."""
    rows = (
        Assignment.objects.filter(item__campaign=campaign)
        .exclude(state=AssignmentState.RELEASED)
        .order_by()
        .values_list("reviewer")
        .annotate(places=Count("pk"))
    )
    return dict(rows)


def last_position(reviewer: int) -> int:
    """The highest position the reviewer has in any campaign; 0 if none. Mirrored repeats come after all others."""
    return last_places(reviewer).values_list("position", flat=True).first() or 0


def last_places(reviewer: int | Parameter) -> QuerySet[Assignment]:
    """The reviewer's places, the last first; the index assignment_last_position ends at the first."""
    return Assignment.objects.filter(reviewer=reviewer, repeat=False).order_by("-position")


SUBMITTED = Count(
    "assignments", filter=Q(assignments__state=AssignmentState.SUBMITTED, assignments__repeat=False)
)


def campaign_called(slug: str) -> Campaign:
    """The campaign of that slug; raises Refused naming those that exist."""
    campaign = Campaign.objects.select_related("release", "rubric").filter(slug=slug).first()
    if campaign is None:
        known = ", ".join(Campaign.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise Refused(f"There is no campaign {slug!r}; there are: {known}.", code="no_campaign")
    return campaign


def campaigns_with_totals() -> list[Campaign]:
    """Campaigns, newest first, each with `places`, `submitted` and `item_count`."""
    totals = {
        row["campaign"]: row
        for row in Item.objects.order_by()
        .values("campaign")
        .annotate(item_count=Count("pk"), places=Sum("places"))
    }
    submitted = _submitted_by("item__campaign")
    rows = list(Campaign.objects.select_related("release", "rubric").order_by("-created_at", "-pk"))
    for row in rows:
        mine = totals.get(row.pk, {"item_count": 0, "places": 0})
        row.item_count, row.places = mine["item_count"], mine["places"]  # type: ignore[attr-defined]
        row.submitted = submitted.get(row.pk, 0)  # type: ignore[attr-defined]
    return rows


def _submitted_by(field: str, **where: Any) -> dict[Any, int]:
    rows = Assignment.objects.filter(state=AssignmentState.SUBMITTED, repeat=False, **where).order_by()
    return dict(rows.values_list(field).annotate(n=Count("pk")))


def progress_by_item(campaign: Campaign) -> QuerySet[Item]:
    """Items with `submitted`, by domain and instance."""
    return (
        campaign.items.select_related("instance")
        .annotate(submitted=SUBMITTED)
        .order_by("instance__domain", "instance__key", "pk")
    )


def progress_by_domain(campaign: Campaign) -> list[dict[str, Any]]:
    """Rows {domain, items, places, taken, submitted}."""
    domains = campaign.items.order_by("instance__domain").values(domain=F("instance__domain"))
    totals = domains.annotate(items=Count("pk"), wanted=Sum("places"), taken=Sum("places_taken"))
    submitted = _submitted_by("item__instance__domain", item__campaign=campaign)
    return [{**row, "submitted": submitted.get(row["domain"], 0)} for row in totals]


def drawn_strata(campaign: Campaign) -> list[dict[str, Any]]:
    """Rows {stratum, stratum_size, sample_size, inclusion_probability} of the frozen draw."""
    rows = campaign.items.order_by("stratum").values(
        "stratum", "stratum_size", "sample_size", "inclusion_probability"
    )
    return [dict(row) for row in rows.distinct()]


def progress_by_reviewer(campaign: Campaign) -> list[dict[str, Any]]:
    """Rows {reviewer, name, email, held, submitted, last_submitted}; released places do not count."""
    done = Q(state=AssignmentState.SUBMITTED)
    rows = (
        Assignment.objects.filter(item__campaign=campaign)
        .exclude(state=AssignmentState.RELEASED)
        .order_by("reviewer__name", "reviewer__email")
        .values("reviewer", name=F("reviewer__name"), email=F("reviewer__email"))
        .annotate(
            held=Count("pk"),
            submitted=Count("pk", filter=done),
            last_submitted=Max("submitted_at"),
        )
    )
    return [dict(row) for row in rows]


def waiting_places(campaign: Campaign) -> QuerySet[Assignment]:
    """Places not yet submitted, oldest first."""
    return (
        Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.WAITING)
        .select_related("reviewer", "item__instance", "draft")
        .order_by("assigned_at", "pk")
    )


def unblinding(campaign: Campaign) -> Unblinding | None:
    """The open request or the unblinding that took place."""
    rows = campaign.unblindings.select_related("requested_by", "confirmed_by")
    return rows.filter(withdrawn_at__isnull=True).first()


def comparable_systems(campaign: Campaign) -> list[tuple[str, str]]:
    """(slug, name) of the systems with a plain run on the campaign's track. For staff paths only."""
    runs = campaign.release.runs.filter(track=campaign.track, condition="")
    return list(runs.order_by("system__name").values_list("system__slug", "system__name").distinct())
