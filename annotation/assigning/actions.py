"""Places on items: planned by the coordinator, given up, released. annotation/assigning/taking.py has those that
reviewers pull.

A place is claimed by a conditional update of Item.places_taken whose count is checked, inside the transaction
that also writes the assignment. That, with unique(item, reviewer), holds under any concurrency.
"""

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.access import is_study_staff, role_names
from accounts.models import RoleName, User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.allocation import Plan, allocate
from annotation.campaigns.actions import locked, require_staff
from annotation.campaigns.pairing import REPEATS_FROM, next_side
from annotation.conflicts.actions import fix_conflicts
from annotation.core import phases, queries
from annotation.core.handles import handle, shuffled
from annotation.core.phases import Verb
from annotation.models import Assignment, AssignmentState, Campaign, Item, ReleaseReason
from annotation.reveal.rules import draw_arms, reveal_of

_KEY = "annotation.core.handles:"


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


def taken_meanwhile() -> Refused:
    """The refusal where a reviewer took the last place on an item while it was given to somebody else."""
    return Refused("A place has been taken in the meantime; look again.", code="plan_changed")


def plan_assignment(campaign: Campaign) -> Plan:
    """Who would get what if the plan were applied now, with every place that cannot be filled."""
    return allocate(
        queries.vacancies(campaign), queries.candidates(campaign), campaign.seed, campaign.problem_rule
    )


@transaction.atomic
def apply_plan(*, actor: User, campaign: Campaign, sha256: str) -> list[Assignment]:
    """Write the plan that was shown; raises Refused (code "plan_changed") when the plan would now be different."""
    require_staff(actor)
    hold_reviewers()
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.ASSIGN)
    plan = plan_assignment(campaign)
    if plan.sha256 != sha256:
        raise Refused("The plan has changed since it was shown; look at the new one.", code="plan_changed")
    placed = place_pairs(campaign, plan.pairs)
    record(actor=actor, verb="assign", target=campaign, details=_summary(plan))
    return placed


def _summary(plan: Plan) -> dict[str, object]:
    return {"plan_sha256": plan.sha256, "placed": len(plan.pairs), "unmet_items": len(plan.unmet)}


def place_pairs(campaign: Campaign, pairs: Iterable[tuple[int, int]]) -> list[Assignment]:
    """Claim and write a place for each item and reviewer, inside the caller's transaction."""
    by_reviewer: dict[int, list[int]] = {}
    for item, reviewer in pairs:
        by_reviewer.setdefault(reviewer, []).append(item)
    fix_conflicts(campaign=campaign, reviewers=by_reviewer)
    problems = dict(campaign.items.values_list("pk", "instance_id"))
    placed: list[Assignment] = []
    shown = Sides(campaign, campaign.items.filter(second__isnull=False))
    for reviewer, items in by_reviewer.items():
        start = queries.last_position(reviewer)
        order = shuffled(
            handle_key(), seed=campaign.seed, reviewer=reviewer, items=[(i, problems[i]) for i in items]
        )
        for position, item in enumerate(order, start=start + 1):
            if not claim(item):
                raise taken_meanwhile()
            placed += shown.assignments(item, reviewer, position, pulled=False)
    made = Assignment.objects.bulk_create(placed)
    draw_arms(reveal_of(campaign), made)
    return made


def hold_reviewers() -> None:
    """Nobody's conflicts are fixed, and nobody takes an item where what they hold counts, until the caller's
    transaction ends. Call it before the campaign is locked or a place is claimed: taking an item begins so, too."""
    people = User.objects.filter(roles__name=RoleName.REVIEWER).order_by("pk")
    list(people.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))


def claim(item: int) -> bool:
    """Take a free place on the item, inside the transaction that writes the assignment; False when none is free, or
    when its answers have been shown."""
    free = Item.objects.filter(pk=item, revealed=False, places_taken__lt=F("places"))
    return free.update(places_taken=F("places_taken") + 1) == 1


class Sides:
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


@transaction.atomic
def release_assignment(*, actor: User, assignment: Assignment, reason: str) -> None:
    """Release a waiting place; its reviewer keeps the draft, and the place is free again."""
    require_staff(actor)
    assignment.item.campaign = locked(assignment.item.campaign)
    release_waiting(assignment, ReleaseReason.WITHDRAWN)
    record(actor=actor, verb="release_assignment", target=assignment, reason=reason)


@transaction.atomic
def release_late(*, actor: User, campaign: Campaign) -> dict[str, int]:
    """Release everything that is past the campaign's due date and give it to reviewers who are not late.

    Drafts stay with their authors, who get the place again, with its draft, if they ask for work while it is free.
    Returns how many were `released` and `reassigned`. Raises Refused without a due date in the past.
    """
    require_staff(actor)
    hold_reviewers()
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.RELEASE)
    if campaign.due_on is None or campaign.due_on >= timezone.now().date():
        raise Refused("Nothing is late: the campaign has no due date in the past.", code="not_late")
    waiting = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.WAITING, repeat=False)
    # held, because what its reviewer submits just now is not late
    held = waiting.select_for_update(no_key=True, of=("self",)).order_by("pk")
    late = list(held.select_related("item__campaign"))
    for place in late:
        release_waiting(place, ReleaseReason.LATE)
        record(actor=actor, verb="release_assignment", target=place, reason="late")
    people = {place.reviewer_id for place in late}
    plan = allocate(
        queries.vacancies(campaign, [place.item for place in late]),
        [person for person in queries.candidates(campaign) if person.reviewer not in people],
        campaign.seed,
        campaign.problem_rule,
    )
    placed = place_pairs(campaign, plan.pairs)
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
    hold_reviewers()
    assignment.item.campaign = locked(assignment.item.campaign)
    release_waiting(assignment, ReleaseReason.OUT_OF_FIELD)
    record(actor=reviewer, verb="out_of_field", target=assignment, reason=note)
    if assignment.pulled or assignment.repeat:
        return False
    item, campaign = assignment.item, assignment.item.campaign
    vacant, candidates = queries.vacancies(campaign, [item]), queries.candidates(campaign)
    plan = allocate(vacant, candidates, campaign.seed, campaign.problem_rule)
    if plan.pairs:
        place_pairs(campaign, plan.pairs)
        record(actor=None, verb="assign", target=campaign, details=_summary(plan))
    return bool(plan.pairs)


def release_waiting(assignment: Assignment, reason: ReleaseReason = ReleaseReason.WITHDRAWN) -> None:
    """Free a waiting place, inside the caller's transaction, which holds the campaign: one after the other frees
    places and then items. Raises Refused (code "not_waiting") for any other."""
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
