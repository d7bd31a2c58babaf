"""Querysets of annotation. Queries on a reviewer's code path never join a system or a run.

Conflicts of interest come in as numbers of items that were excluded beforehand (annotation/conflicts/resolving.py).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.formats import date_format

from accounts.access import STUDY_STAFF
from accounts.database.joined import Joined, set_related
from accounts.database.sight import identities_readable
from accounts.models import RoleName, User
from accounts.profile.domains import covered
from accounts.refusal import Refused
from annotation.assigning.allocation import Candidate, Vacancy
from annotation.conflicts.resolving import plan_exclusions, undecided_people
from annotation.core.handles import LOTS
from annotation.core.identities import MAY_BE_INFORMED, informed_people
from annotation.core.phases import Phase
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Draft,
    Grade,
    Item,
    ProblemRule,
    ReleaseReason,
    Rubric,
    Unblinding,
)
from benchmark.files.queries import no_files
from benchmark.models import Instance, Output, OutputState, RedactedOutput, Run

SHOWN_WITH_A_PLACE = (
    "item__campaign__rubric",
    "item__instance",
    "item__output__redacted",
    "item__second__redacted",
)
# A place and what is shown with it are read by two texts: PostgreSQL plans two joins of four tables in a third of the
# time that it needs for one of eight.
_OF_HANDLE = """annotation_assignment a JOIN annotation_item i ON i.id = a.item_id
    JOIN annotation_campaign c ON c.id = i.campaign_id JOIN annotation_rubric r ON r.id = c.rubric_id
    LEFT JOIN annotation_draft d ON d.assignment_id = a.id
    WHERE a.handle = %(handle)s"""
_PLACE = Joined(_OF_HANDLE, a=Assignment, c=Campaign, r=Rubric, d=Draft)
HAS_TRAINING = "EXISTS (SELECT 1 FROM annotation_trainingset t WHERE t.campaign_id = c.id)"
_SHOWS_VERDICTS = "EXISTS (SELECT 1 FROM annotation_reveal w WHERE w.campaign_id = c.id)"
# Of the same text in another campaign: before the answer, before this place was given, or since it was first graded.
_SAW_VERDICT = """EXISTS (SELECT 1 FROM annotation_item k
    JOIN annotation_shownverdict v ON v.item_id = k.id
    JOIN annotation_assignment b ON b.item_id = k.id AND b.reviewer_id = a.reviewer_id
    JOIN annotation_revealarm m ON m.assignment_id = b.id
    WHERE k.output_id = i.output_id AND k.id <> i.id AND (m.before OR (b.state = 'submitted'
    AND (b.submitted_at < a.assigned_at
    OR EXISTS (SELECT 1 FROM annotation_grade g WHERE g.assignment_id = a.id)))))"""
_TO_GRADE = Joined(
    _OF_HANDLE,
    MAY_BE_INFORMED,
    HAS_TRAINING,
    "i.revealed",
    _SHOWS_VERDICTS,
    _SAW_VERDICT,
    a=Assignment,
    c=Campaign,
    r=Rubric,
    d=Draft,
)
_ITEM = Joined(
    """annotation_item i JOIN benchmark_instance n ON n.id = i.instance_id
    LEFT JOIN benchmark_output o ON o.id = i.output_id
    LEFT JOIN benchmark_redactedoutput x ON x.output_id = o.id
    WHERE i.id = %(item)s""",
    """EXISTS (SELECT 1 FROM benchmark_attachment f
    WHERE f.instance_id = n.id OR f.output_id = i.output_id OR f.output_id = i.second_id)""",
    i=Item,
    n=Instance,
    o=Output,
    x=RedactedOutput,
)


def item_of(campaign: Campaign, pk: int) -> Item:
    """The item of the campaign with all that is judged; it never joins a run or a system."""
    found = _ITEM.first(item=pk)
    assert found is not None
    item: Item = found[0]
    item.campaign = campaign
    item.instance, item.output, redacted, has_files = found[1:]
    if item.output is not None:
        set_related(item.output, "redacted", redacted)
    if item.second_id is not None:
        item.second = Output.objects.select_related("redacted").get(pk=item.second_id)
    if not has_files:
        for row in (item.instance, item.output, item.second):
            if row is not None:
                no_files(row)
    return item


def place_by_handle(handle: str) -> Assignment | None:
    """The assignment called `handle` with its draft and what its page shows; it never joins a run or a system."""
    found = _PLACE.first(handle=handle)
    return None if found is None else _place_with(*found)


@dataclass(frozen=True)
class PlaceToGrade:
    """A place with what decides whether its reviewer may submit; the first two flags only ask for a closer look."""

    assignment: Assignment
    may_be_informed: bool
    has_training: bool
    is_revealed: bool
    shows_verdicts: bool
    saw_verdict: bool  # of a judge on the same text, elsewhere


def place_to_grade(reviewer: User, handle: str) -> PlaceToGrade | None:
    """The assignment called `handle` as from `place_by_handle`, to be graded by `reviewer`."""
    with identities_readable():
        found = _TO_GRADE.first(handle=handle, reviewer=reviewer.pk)
    return None if found is None else PlaceToGrade(_place_with(*found[:4]), *map(bool, found[4:]))


def _place_with(place: Assignment, campaign: Campaign, rubric: Rubric, draft: Draft | None) -> Assignment:
    campaign.rubric = rubric
    set_related(place, "draft", draft)
    place.item = item_of(campaign, place.item_id)
    return place


def own_assignments(reviewer: User) -> QuerySet[Assignment]:
    """The reviewer's places in campaigns that have opened, in their own order."""
    return (
        Assignment.objects.filter(reviewer=reviewer)
        .exclude(item__campaign__phase=Phase.DRAFT)
        .exclude(state=AssignmentState.RELEASED)
        .select_related("item__campaign", "item__instance", "draft")
        .order_by("item__campaign_id", "position", "handle")
    )


def waiting(reviewer: User) -> QuerySet[Assignment]:
    """What the reviewer can grade now; the first is what they grade next."""
    own = own_assignments(reviewer)
    return own.filter(state=AssignmentState.WAITING, item__campaign__phase=Phase.OPEN)


def finished(reviewer: User) -> QuerySet[Assignment]:
    """What the reviewer has submitted, latest first."""
    done = own_assignments(reviewer).filter(state=AssignmentState.SUBMITTED)
    return done.select_related("item__campaign__rubric", "item__instance").order_by("-submitted_at")


def reopened(places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those among `places` that were reopened and not submitted again: their earlier answers count."""
    return places.filter(
        state=AssignmentState.SUBMITTED,
        draft__isnull=False,
        draft__locked_at=None,
        item__campaign__phase=Phase.OPEN,
    )


def live_grade(assignment: Assignment, *prefetched: str) -> Grade | None:
    """The grade that counts, the one that no later grade supersedes, with rows `prefetched` by relation."""
    live = assignment.grades.filter(superseded_by__isnull=True)
    return live.prefetch_related(*prefetched).first()


_STATED = Joined("accounts_expertise s WHERE s.user_id = %(reviewer)s", "s.domain", "s.confidence")


def field_of(reviewer: User) -> frozenset[str]:
    """The domains that the person can judge, as stated and what that covers."""
    return frozenset(covered(dict(_STATED.rows(reviewer=reviewer.pk))))


# What a reviewer may be told about: conflicts of interest are left out of account. {domains} are their field.
_OPEN = """
    SELECT i.id, i.instance_id FROM annotation_item i
    WHERE i.campaign_id = %(campaign)s AND i.places_taken < i.places AND i.domain IN ({domains}) AND NOT i.revealed
    AND NOT EXISTS (SELECT 1 FROM annotation_assignment a WHERE a.item_id = i.id AND a.reviewer_id = %(reviewer)s)
    {condition}
"""
_SAME_PROBLEM = """EXISTS (
    SELECT 1 FROM annotation_assignment b JOIN annotation_item j ON j.id = b.item_id
    WHERE b.reviewer_id = %(reviewer)s AND j.campaign_id = i.campaign_id AND j.instance_id = i.instance_id
)"""
_EXCLUDED = """EXISTS (
    SELECT 1 FROM annotation_exclusion e WHERE e.item_id = i.id AND e.reviewer_id = %(reviewer)s
)"""
# Narrower ones. The index item_free_by_lot finds the lots.
CONDITIONS = {
    "all": "",
    "item": "AND i.id = %(item)s",
    "lots": f"AND i.instance_id %% {LOTS} IN ({{lots}})",
    "begun": f"AND {_SAME_PROBLEM}",
}


def free_pairs(
    reviewer: User,
    field: Collection[str],
    campaign: Campaign,
    condition: str = "all",
    *,
    item: int = 0,
    lots: Iterable[int] = (),
    told: bool = False,
    most: int | None = None,
) -> list[tuple[int, int]]:
    """(item, problem) of what this reviewer may take in an open campaign, in the domains of `field`, at most `most`.

    `condition` narrows it: "lots" to problems in the given `lots`, "item" to one `item`, "begun" to problems of
    which they had an output. Where outputs of one problem are kept apart, problems that they had are left out. What
    their conflicts exclude is known once it is fixed (annotation.conflicts.resolving); with `told` it is left in,
    as far as reviewers may be told.
    """
    if not field or campaign.phase != Phase.OPEN:
        return []
    terms = [CONDITIONS[condition].format(lots=", ".join(str(int(lot)) for lot in lots))]
    if campaign.problem_rule == ProblemRule.APART:
        terms.append(f"AND NOT {_SAME_PROBLEM}")
    if not told:
        terms.append(f"AND NOT {_EXCLUDED}")
    if most is not None:
        terms.append(f"LIMIT {most:d}")
    names = {f"domain{n}": domain for n, domain in enumerate(field)}
    domains = ", ".join(f"%({name})s" for name in names)
    sql = _OPEN.format(domains=domains, condition=" ".join(terms))
    with connection.cursor() as cursor:
        cursor.execute(sql, {"reviewer": reviewer.pk, "campaign": campaign.pk, "item": item, **names})
        return cursor.fetchall()


MOST_FREE, MOST_DONE = 100, 500  # at which counting for the page of the queue ends


def has_free(reviewer: User, campaign: Campaign) -> bool:
    """Whether the campaign has an item for the reviewer, as far as they may be told."""
    if free_pairs(reviewer, field_of(reviewer), campaign, told=True, most=1):
        return True
    return returnable(reviewer).filter(item__campaign=campaign).exists()


def returnable(reviewer: User) -> QuerySet[Assignment]:
    """Places that the reviewer lost because they were late and that are still free."""
    return Assignment.objects.filter(
        reviewer=reviewer,
        state=AssignmentState.RELEASED,
        release_reason=ReleaseReason.LATE,
        repeat=False,
        item__campaign__phase=Phase.OPEN,
        item__places_taken__lt=F("item__places"),
        item__revealed=False,
    )


def vacancies(campaign: Campaign, items: Iterable[Item] | None = None) -> list[Vacancy]:
    """Free places of the campaign (or of some of its items) as plain values. For staff paths only."""
    rows = campaign.items.filter(places_taken__lt=F("places"), revealed=False)
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
    found = []
    for person in present:
        load = held.get(person.pk, 0)
        finished = load - waiting.get(person.pk, 0)
        own = None if person.capacity is None else person.capacity + finished
        bounds = [bound for bound in (own, campaign.most_per_reviewer) if bound is not None]
        found.append(
            Candidate(
                reviewer=person.pk,
                confidence=confidences(person),
                excluded=excluded[person.pk],
                undecided=person.pk in undecided,
                load=load,
                capacity=min(bounds, default=None),
                problems=problems.get(person.pk, frozenset()),
            )
        )
    return found


def held_by(reviewer: User, campaign: Campaign) -> int:
    """Items of the campaign that the reviewer holds and did not give up; a pair that comes twice is one."""
    rows = Assignment.objects.filter(item__campaign=campaign, reviewer=reviewer, repeat=False)
    return rows.exclude(state=AssignmentState.RELEASED).count()


def problems_had(campaign: Campaign) -> dict[int, frozenset[int]]:
    """By reviewer, the problems of this campaign of which they ever had an output."""
    found: dict[int, set[int]] = {}
    rows = Assignment.objects.filter(item__campaign=campaign)
    for reviewer, problem in rows.values_list("reviewer_id", "item__instance_id"):
        found.setdefault(reviewer, set()).add(problem)
    return {reviewer: frozenset(problems) for reviewer, problems in found.items()}


def seconds_per_grade(campaign: Campaign) -> float | None:
    """The mean active time of live grades under the campaign's rubric, so that hours add up; None before there are any.

    A grade that corrects another has the time of both.
    """
    live = Grade.objects.filter(superseded_by=None, assignment__item__campaign__rubric=campaign.rubric_id)
    mean: float | None = live.filter(active_seconds__gt=0).aggregate(mean=Avg("active_seconds"))["mean"]
    return mean


def confidences(person: User) -> dict[str, int]:
    """Every domain the person may judge, with their confidence 1-3: as stated, and what that covers."""
    return covered({row.domain: row.confidence for row in person.expertise.all()})


def waiting_counts(campaign: Campaign) -> dict[int, int]:
    """Unfinished places by reviewer, without mirrored repeats."""
    rows = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.WAITING, repeat=False)
    return dict(rows.order_by().values_list("reviewer").annotate(number=Count("pk")))


def campaign_loads(campaign: Campaign) -> dict[int, int]:
    """Places held (not released) by reviewer, without mirrored repeats."""
    rows = (
        Assignment.objects.filter(item__campaign=campaign, repeat=False)
        .exclude(state=AssignmentState.RELEASED)
        .order_by()
        .values_list("reviewer")
        .annotate(places=Count("pk"))
    )
    return dict(rows)


def last_position(reviewer: int) -> int:
    """The highest position the reviewer has in any campaign; 0 if none. Mirrored repeats come after all others."""
    places = Assignment.objects.filter(reviewer=reviewer, repeat=False).order_by("-position")
    return places.values_list("position", flat=True).first() or 0


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


def progress_by_domain(campaign: Campaign) -> list[dict[str, object]]:
    """Rows {domain, items, wanted, taken, submitted}."""
    domains = campaign.items.order_by("domain").values("domain")
    totals = domains.annotate(items=Count("pk"), wanted=Sum("places"), taken=Sum("places_taken"))
    submitted = _submitted_by("item__domain", item__campaign=campaign)
    return [{**row, "submitted": submitted.get(row["domain"], 0)} for row in totals]


def drawn_strata(campaign: Campaign) -> list[dict[str, object]]:
    """Rows {stratum, stratum_size, sample_size, inclusion_probability} of the frozen draw."""
    rows = campaign.items.order_by("stratum").values(
        "stratum", "stratum_size", "sample_size", "inclusion_probability"
    )
    return [dict(row) for row in rows.distinct()]


def progress_by_reviewer(campaign: Campaign) -> list[dict[str, object]]:
    """Rows {reviewer, name, email, held, submitted, last_submitted, hindrance}; released places do not count, mirrored
    repeats do: they are work, too."""
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
    # Why nobody can expect those who are not done to grade at the moment.
    hindered: dict[int, str] = {}
    if campaign.phase != Phase.CLOSED:
        unfinished = [row["reviewer"] for row in rows if row["submitted"] < row["held"]]
        able = set(reviewers().filter(pk__in=unfinished).values_list("pk", flat=True))
        informed, today = informed_people(campaign.release), timezone.now().date()
        for person in User.objects.filter(pk__in=unfinished):
            if person.erased_at:
                hindered[person.pk] = "account erased"
            elif not person.is_active:
                hindered[person.pk] = "account closed"
            elif person.pk not in able:
                hindered[person.pk] = "no longer a reviewer"
            elif person.pk in informed:
                hindered[person.pk] = "has seen the systems"
            elif person.away_until and person.away_until >= today:
                hindered[person.pk] = f"away until {date_format(person.away_until, 'j M Y')}"
    return [{**row, "hindrance": hindered.get(row["reviewer"], "")} for row in rows]


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


def compared_runs(campaign: Campaign) -> QuerySet[Run]:
    """The runs whose outputs a campaign compares: under its condition, or the usual one if it has none."""
    return campaign.runs() if campaign.condition else campaign.runs().filter(condition="")


def comparable_systems(campaign: Campaign) -> list[tuple[str, str]]:
    """(slug, name) of the systems with an answer that may be compared. For staff paths only."""
    return list(
        compared_runs(campaign)
        .filter(outputs__attempt=1, outputs__state=OutputState.ANSWERED)
        .order_by("system__name")
        .values_list("system__slug", "system__name")
        .distinct()
    )
