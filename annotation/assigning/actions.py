"""Places on items: planned by the coordinator, pulled by reviewers, given up, released.

A place is claimed by a conditional update of Item.places_taken whose count is checked, inside the transaction
that also writes the assignment. That, with unique(item, reviewer), holds under any concurrency.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.access import is_study_staff, role_names
from accounts.database.sight import identities_readable
from accounts.database.statements import Parameter, Statement
from accounts.models import Conflict, RoleName, User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.allocation import Plan, allocate
from annotation.campaigns.actions import locked, require_staff
from annotation.campaigns.pairing import REPEATS_FROM, next_side
from annotation.conflicts.actions import fix_conflicts
from annotation.core import phases, queries
from annotation.core.handles import LOTS, Lots, handle, nearest, shuffled
from annotation.core.identities import informed
from annotation.core.phases import Phase, Verb
from annotation.core.queries import REVIEWER
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    ConflictsFixed,
    Draft,
    Item,
    ProblemRule,
    ReleaseReason,
)
from annotation.reveal.rules import draw_arms, reveal_of
from annotation.training.reading import TrainingFirst, untrained

_KEY = "annotation.core.handles:"
WINDOWS = (16, 256)  # lots that a request for the next item looks into before it looks everywhere


def handle_key() -> bytes:
    """The secret of handles and orders, derived from the site's own."""
    return (_KEY + settings.SECRET_KEY).encode()


def require_blind_reviewer(reviewer: User) -> None:
    """Raise NotAllowed for anyone who sees identities, or who is not a reviewer."""
    if is_study_staff(reviewer):
        raise NotAllowed("Coordinators and owners see identities and never grade blind.")
    if not reviewer.is_active or RoleName.REVIEWER not in role_names(reviewer):
        raise NotAllowed("Only reviewers can take items.")


def saw_systems() -> NotAllowed:
    """The refusal for reviewers who have seen systems."""
    return NotAllowed("You have seen which systems wrote these answers, so you cannot grade them blind.")


def plan_assignment(campaign: Campaign) -> Plan:
    """Who would get what if the plan were applied now, with every place that cannot be filled."""
    return allocate(
        queries.vacancies(campaign), queries.candidates(campaign), campaign.seed, campaign.problem_rule
    )


@transaction.atomic
def apply_plan(*, actor: User, campaign: Campaign, sha256: str) -> list[Assignment]:
    """Write the plan that was shown; raises Refused (code "plan_changed") when the plan would now be different."""
    require_staff(actor)
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.ASSIGN)
    plan = plan_assignment(campaign)
    if plan.sha256 != sha256:
        raise Refused("The plan has changed since it was shown; look at the new one.", code="plan_changed")
    placed = _place(campaign, plan)
    record(actor=actor, verb="assign", target=campaign, details=_summary(plan))
    return placed


def _summary(plan: Plan) -> dict[str, object]:
    return {"plan_sha256": plan.sha256, "placed": len(plan.pairs), "unmet_items": len(plan.unmet)}


def _place(campaign: Campaign, plan: Plan) -> list[Assignment]:
    by_reviewer: dict[int, list[int]] = {}
    for item, reviewer in plan.pairs:
        by_reviewer.setdefault(reviewer, []).append(item)
    fix_conflicts(campaign=campaign, reviewers=by_reviewer)
    problems = dict(campaign.items.values_list("pk", "instance_id"))
    placed: list[Assignment] = []
    shown = _Sides(campaign, campaign.items.filter(second__isnull=False))
    for reviewer, items in by_reviewer.items():
        start = queries.last_position(reviewer)
        order = shuffled(
            handle_key(), seed=campaign.seed, reviewer=reviewer, items=[(i, problems[i]) for i in items]
        )
        for position, item in enumerate(order, start=start + 1):
            if not _claim(item):
                raise Refused(
                    "A place has been taken in the meantime; look at the plan again.", code="plan_changed"
                )
            placed += shown.assignments(item, reviewer, position, pulled=False)
    made = Assignment.objects.bulk_create(placed)
    draw_arms(reveal_of(campaign), made)
    return made


def _claim(item: int) -> bool:
    free = Item.objects.filter(pk=item, places_taken__lt=F("places"))
    return free.update(places_taken=F("places_taken") + 1) == 1


class _Sides:
    """Makes assignments; for pairs it draws the side once and adds the mirrored repeat."""

    def __init__(self, campaign: Campaign, items: Iterable[Item]) -> None:
        self.campaign = campaign
        self.pairs = {item.pk: item.mirrored for item in items if item.second_id is not None}
        self.given: dict[int, list[bool]] = {}

    def assignments(self, item: int, reviewer: int, position: int, *, pulled: bool) -> list[Assignment]:
        """The reviewer's place on an item that was claimed in this transaction, and its repeat if there is one."""
        if item not in self.pairs:
            return [self._made(item, reviewer, position, pulled=pulled)]
        swapped = next_side(handle_key(), campaign=self.campaign.pk, item=item, earlier=self._earlier(item))
        self.given[item].append(swapped)
        made = [self._made(item, reviewer, position, pulled=pulled, swapped=swapped)]
        if self.pairs[item]:
            later = REPEATS_FROM + position
            made.append(self._made(item, reviewer, later, pulled=pulled, swapped=not swapped, repeat=True))
        return made

    def _earlier(self, item: int) -> list[bool]:
        if item not in self.given:
            rows = Assignment.objects.filter(item_id=item, repeat=False, swapped__isnull=False)
            self.given[item] = [bool(side) for side in rows.values_list("swapped", flat=True)]
        return self.given[item]

    def _made(
        self,
        item: int,
        reviewer: int,
        position: int,
        *,
        pulled: bool,
        swapped: bool | None = None,
        repeat: bool = False,
    ) -> Assignment:
        name = handle(handle_key(), campaign=self.campaign.pk, item=item, reviewer=reviewer, repeat=repeat)
        return Assignment(
            item_id=item,
            reviewer_id=reviewer,
            handle=name,
            position=position,
            pulled=pulled,
            swapped=swapped,
            repeat=repeat,
        )


def take_next(*, reviewer: User, campaign: Campaign) -> Assignment:
    """Give the reviewer one more item: in their field, without conflict, with a free place.

    Raises Refused with code "nothing_left" only when no such item exists, and with code "enough" when they hold
    as many as the campaign gives to one person. Where a training is left to do, the code is "training_first"; where a
    conflict of interest waits for a coordinator before their first place, "conflicts_undecided".
    """
    require_blind_reviewer(reviewer)
    return _take(reviewer, _eligibility(reviewer, campaign.slug), queries.field_of(reviewer))


def take_next_of(*, reviewer: User, slug: str) -> Assignment:
    """`take_next` of the open campaign called `slug`; Refused with "nothing_left" where there is no such campaign."""
    require_blind_reviewer(reviewer)
    standing = _eligibility(reviewer, slug)
    if standing is None or standing.phase != Phase.OPEN:
        raise Refused("There are no items left for you in this campaign.", code="nothing_left")
    return _take(reviewer, standing, queries.field_of(reviewer))


def _eligibility(reviewer: User, slug: str) -> Any:
    with identities_readable():
        return _ELIGIBILITY.first(reviewer=reviewer.pk, slug=slug)


def take_anywhere(*, reviewer: User) -> Assignment:
    """The same in whichever open campaign has something for them, the one that opened first before the others."""
    require_blind_reviewer(reviewer)
    field = queries.field_of(reviewer)
    with identities_readable():
        campaigns = _STANDINGS_WITH_WORK.rows(reviewer=reviewer.pk, domains=field)
    for campaign in sorted(campaigns, key=_is_held_back):
        try:
            return _take(reviewer, campaign, field)
        except Refused as refusal:
            if refusal.code != "nothing_left":
                raise
    raise Refused("There are no items for you to grade at the moment.", code="nothing_left")


def _is_held_back(standing: Any) -> bool:
    """Whether the reviewer gets no place in the campaign until their conflicts of interest are decided."""
    return bool(standing.undecided and not standing.fixed)


def _take(reviewer: User, standing: Any, field: frozenset[str]) -> Assignment:
    campaign: Campaign = standing
    if standing.informed:
        raise saw_systems()
    phases.require(campaign.phase, Verb.TAKE)
    if standing.untrained:
        raise TrainingFirst(campaign)
    if _is_held_back(standing):
        raise Refused(
            "A coordinator has to decide about a conflict of interest that you declared before you get your first "
            "item of this campaign.",
            code="conflicts_undecided",
        )
    _require_room(reviewer, campaign)
    if not standing.fixed:
        fix_conflicts(campaign=campaign, reviewers=[reviewer.pk])
    returned = _retake_late_place(reviewer, campaign) if standing.returnable else None
    if returned is not None:
        return returned
    way = _Way(reviewer, standing)
    for candidates in _windows(way, campaign, reviewer, field):
        while pairs := candidates():
            while pairs:
                item = way.first(pairs)
                taken = _try_to_take(reviewer, standing, field, item)
                if taken is not None:
                    return taken
                pairs = _still_free([pair for pair in pairs if pair[0] != item])
    raise Refused("There are no items left for you in this campaign.", code="nothing_left")


def _eligibility_queryset() -> QuerySet[Any]:
    """Campaigns, each with what decides whether the reviewer may take an item of it, for a statement."""
    returnable = queries.returnable(REVIEWER).filter(item__campaign=OuterRef("pk"))
    last = queries.last_places(REVIEWER)
    return Campaign.objects.select_related("reveal", "rubric", "release__benchmark").annotate(
        informed=informed(REVIEWER, "release"),
        untrained=untrained(REVIEWER, "pk"),
        returnable=Exists(returnable),
        fixed=Exists(ConflictsFixed.objects.filter(reviewer=REVIEWER, campaign=OuterRef("pk"))),
        undecided=Exists(Conflict.objects.filter(user=REVIEWER, decided_at=None)),
        last_position=last.values("position")[:1],
        last_problem=last.values("item__instance")[:1],
    )


_ELIGIBILITY = Statement(lambda: _eligibility_queryset().filter(slug=Parameter("slug")))


def _with_work() -> QuerySet[Any]:
    free = queries.free_items().filter(campaign=OuterRef("pk"))
    with_work = Q(Exists(free)) | Q(returnable=True)
    return _eligibility_queryset().filter(with_work, phase=Phase.OPEN).order_by("opened_at", "pk")


_STANDINGS_WITH_WORK = Statement(_with_work)


class _Way:
    """In which order a reviewer comes to the lots of a campaign's problems, going on from their last place."""

    def __init__(self, reviewer: User, standing: Any) -> None:
        self._seed, self._reviewer = standing.seed, reviewer.pk
        self._lots = Lots(handle_key(), seed=self._seed, reviewer=self._reviewer)
        self._start = self._lots.place((standing.last_problem or 0) % LOTS)

    def lots(self, number: int) -> list[int]:
        return [self._lots.at(self._start + step) for step in range(number)]

    def first(self, pairs: Iterable[tuple[int, int]]) -> int:
        return nearest(
            handle_key(),
            seed=self._seed,
            reviewer=self._reviewer,
            items=pairs,
            lots=self._lots,
            start=self._start,
        )


Pairs = list[tuple[int, int]]


def _windows(
    way: _Way, campaign: Campaign, reviewer: User, field: frozenset[str]
) -> Iterator[Callable[[], Pairs]]:
    """Where to look, one after the other: a few problems of the reviewer's own lots, more, then all that is free.

    So one request looks at a few hundred items, however many the campaign has. The second and third windows
    are for campaigns with few problems and for those that are nearly done.
    """
    free = partial(queries.free_pairs, reviewer, field, campaign.pk)
    if campaign.problem_rule == ProblemRule.TOGETHER:
        yield partial(free, "begun")
    for number in WINDOWS:
        yield partial(free, "lots", lots=way.lots(number))
    yield free


def _retake_late_place(reviewer: User, campaign: Campaign) -> Assignment | None:
    """A place that was released for being late, while it is free: it comes back with its draft."""
    for place in queries.returnable(reviewer).filter(item__campaign=campaign).order_by("position"):
        with transaction.atomic():
            _take_turns(reviewer, campaign)
            if not _claim(place.item_id):
                continue
            late = {"state": AssignmentState.RELEASED, "release_reason": ReleaseReason.LATE}
            mine = Assignment.objects.filter(item=place.item_id, reviewer=reviewer, **late)
            if not mine.update(state=AssignmentState.WAITING, release_reason=""):
                transaction.set_rollback(True)
                continue
            record(actor=reviewer, verb="take_back", target=place)
            return Assignment.objects.select_related("item__campaign").get(pk=place.pk)
    return None


def _require_room(reviewer: User, campaign: Campaign) -> None:
    most = campaign.most_per_reviewer
    if most is not None and queries.held_by(reviewer, campaign) >= most:
        raise Refused(f"This campaign gives at most {most} items to one reviewer.", code="enough")


def _take_turns(reviewer: User, campaign: Campaign) -> None:
    """If what a person holds decides what they may take, lock their row, so that requests from two tabs take turns."""
    if campaign.problem_rule == ProblemRule.APART or campaign.most_per_reviewer is not None:
        User.objects.select_for_update(no_key=True).get(pk=reviewer.pk)
        _require_room(reviewer, campaign)


def _is_kept_apart(reviewer: User, campaign: Campaign, field: frozenset[str], item: int) -> bool:
    if campaign.problem_rule != ProblemRule.APART:
        return False
    return not queries.free_pairs(reviewer, field, campaign.pk, "item", item=item)


def _still_free(pairs: Pairs) -> Pairs:
    """Those with a place now; reading is cheaper than a transaction for each that is full."""
    items = [item for item, _ in pairs]
    free = Item.objects.filter(pk__in=items, places_taken__lt=F("places")).values_list("pk", flat=True)
    now = set(free)
    return [pair for pair in pairs if pair[0] in now]


_TAKEN = Statement(
    lambda: Item.objects.select_related("instance", "output__redacted", "second__redacted").filter(
        pk=Parameter("item")
    )
)


def _try_to_take(reviewer: User, campaign: Any, field: frozenset[str], pk: int) -> Assignment | None:
    """One short transaction per try; None when the place or the pair was taken by a faster request."""
    try:
        with transaction.atomic():
            _take_turns(reviewer, campaign)
            if _is_kept_apart(reviewer, campaign, field, pk) or not _claim(pk):
                return None
            item: Item = _TAKEN.first(item=pk)
            item.campaign = campaign
            taken, *repeat = _Sides(campaign, [item]).assignments(
                pk, reviewer.pk, (campaign.last_position or 0) + 1, pulled=True
            )
            for made in (taken, *repeat):
                made.save(force_insert=True)
            draw_arms(getattr(campaign, "reveal", None), (taken, *repeat))
            taken.item = item
            Draft.assignment.field.remote_field.set_cached_value(taken, None)  # a new place has none
            record(actor=reviewer, verb="take_item", target=taken)
            return taken
    except IntegrityError:
        return None


@transaction.atomic
def release_assignment(*, actor: User, assignment: Assignment, reason: str) -> None:
    """Release a waiting place; its reviewer keeps the draft, and the place is free again."""
    require_staff(actor)
    _release(assignment, ReleaseReason.WITHDRAWN)
    record(actor=actor, verb="release_assignment", target=assignment, reason=reason)


@transaction.atomic
def release_late(*, actor: User, campaign: Campaign) -> dict[str, int]:
    """Release everything that is past the campaign's due date and give it to reviewers who are not late.

    Drafts stay with their authors, who get the place again, with its draft, if they ask for work while it is free.
    Returns how many were `released` and `reassigned`. Raises Refused without a due date in the past.
    """
    require_staff(actor)
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.RELEASE)
    if campaign.due_on is None or campaign.due_on >= timezone.now().date():
        raise Refused("Nothing is late: the campaign has no due date in the past.", code="not_late")
    late = list(
        Assignment.objects.filter(
            item__campaign=campaign, state=AssignmentState.WAITING, repeat=False
        ).select_related("item__campaign")
    )
    for place in late:
        _release(place, ReleaseReason.LATE)
        record(actor=actor, verb="release_assignment", target=place, reason="late")
    people = {place.reviewer_id for place in late}
    plan = allocate(
        queries.vacancies(campaign, [place.item for place in late]),
        [person for person in queries.candidates(campaign) if person.reviewer not in people],
        campaign.seed,
        campaign.problem_rule,
    )
    placed = _place(campaign, plan) if plan.pairs else []
    counts = {"released": len(late), "reassigned": sum(not place.repeat for place in placed)}
    record(actor=actor, verb="release_late", target=campaign, details=counts)
    return counts


@transaction.atomic
def say_out_of_field(*, reviewer: User, assignment: Assignment, note: str = "") -> bool:
    """Give up a place that should not have come to this reviewer.

    A planned place goes to the next best reviewer at once; a pulled one is free for others to pull. Returns
    whether a new reviewer was found.
    """
    if assignment.reviewer_id != reviewer.pk:
        raise NotAllowed("This place belongs to someone else.")
    _release(assignment, ReleaseReason.OUT_OF_FIELD)
    record(actor=reviewer, verb="out_of_field", target=assignment, reason=note)
    return not assignment.pulled and not assignment.repeat and _reassign(assignment.item)


def _release(assignment: Assignment, reason: ReleaseReason) -> None:
    campaign = assignment.item.campaign
    phases.require(campaign.phase, Verb.RELEASE)
    waiting = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.WAITING)
    if waiting.update(state=AssignmentState.RELEASED, release_reason=reason) != 1:
        raise Refused("Only a place that is still waiting can be given up.", code="not_waiting")
    if assignment.repeat:  # the place is held by the first presentation
        return
    Assignment.objects.filter(
        item_id=assignment.item_id,
        reviewer_id=assignment.reviewer_id,
        repeat=True,
        state=AssignmentState.WAITING,
    ).update(state=AssignmentState.RELEASED, release_reason=reason)
    Item.objects.filter(pk=assignment.item_id, places_taken__gt=0).update(places_taken=F("places_taken") - 1)


def _reassign(item: Item) -> bool:
    campaign = item.campaign
    plan = allocate(
        queries.vacancies(campaign, [item]),
        queries.candidates(campaign),
        campaign.seed,
        campaign.problem_rule,
    )
    if plan.pairs:
        _place(item.campaign, plan)
        record(actor=None, verb="assign", target=item.campaign, details=_summary(plan))
    return bool(plan.pairs)
