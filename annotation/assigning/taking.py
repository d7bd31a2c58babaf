"""The next item: a reviewer asks for one more, and gets a free place on an item that is for them.

`_take` decides whether they may, `_take_fresh` which item comes first for them, and `_try_to_take` writes the place.
"""

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.database.joined import Joined, set_related
from accounts.database.sight import identities_readable
from accounts.models import Conflict, User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.assigning.actions import Sides, claim, handle_key, require_blind_reviewer, saw_systems
from annotation.conflicts.actions import fix_conflicts
from annotation.core import phases, queries
from annotation.core.handles import LOTS, Lots, nearest
from annotation.core.identities import MAY_BE_INFORMED, informed_people
from annotation.core.phases import Phase, Verb
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    ProblemRule,
    ReleaseReason,
    Reveal,
    Rubric,
)
from annotation.reveal.rules import draw_arms
from annotation.training.reading import require_trained
from stats.core.text import counted

WINDOWS = (4, 64)  # lots that a request looks into before it looks everywhere

# The index assignment_last_position ends at the last place. Each is looked up by itself: PostgreSQL plans one join more
# slowly than two rows by their keys.
_LAST_POSITION = """(
    SELECT a.position FROM annotation_assignment a WHERE a.reviewer_id = %(reviewer)s AND NOT a.repeat
    ORDER BY a.position DESC LIMIT 1
)"""
_LAST_PROBLEM = """(
    SELECT j.instance_id FROM annotation_item j WHERE j.id = (
        SELECT a.item_id FROM annotation_assignment a WHERE a.reviewer_id = %(reviewer)s AND NOT a.repeat
        ORDER BY a.position DESC LIMIT 1
    )
)"""
_LOST_ONE = """EXISTS (
    SELECT 1 FROM annotation_assignment z
    WHERE z.reviewer_id = %(reviewer)s AND z.state = 'released' AND z.release_reason = 'late'
)"""
_CONFLICTS_FIXED = """EXISTS (
    SELECT 1 FROM annotation_conflictsfixed f WHERE f.reviewer_id = %(reviewer)s AND f.campaign_id = c.id
)"""
_TERMS = """annotation_campaign c JOIN annotation_rubric r ON r.id = c.rubric_id
    LEFT JOIN annotation_reveal w ON w.campaign_id = c.id
    WHERE """
_VALUES = (
    _LAST_POSITION,
    _LAST_PROBLEM,
    MAY_BE_INFORMED,
    queries.HAS_TRAINING,
    _LOST_ONE,
    _CONFLICTS_FIXED,
)
_CALLED = Joined(_TERMS + "c.slug = %(slug)s", *_VALUES, c=Campaign, r=Rubric, w=Reveal)
_OPEN = Joined(
    f"{_TERMS} c.phase = '{Phase.OPEN}' ORDER BY c.opened_at, c.id", *_VALUES, c=Campaign, r=Rubric, w=Reveal
)


@dataclass(frozen=True)
class _Terms:
    """What decides whether and where a reviewer looks for an item; `may_..` and `has_..` only ask for a closer look."""

    reviewer: User
    campaign: Campaign
    reveal: Reveal | None
    last_position: int
    last_problem: int
    may_be_informed: bool
    has_training: bool
    may_have_late_places: bool
    conflicts_fixed: bool

    @property
    def is_held_back(self) -> bool:
        """Whether no place is given in the campaign until conflicts of interest are decided."""
        undecided = Conflict.objects.filter(user=self.reviewer, decided_at=None)
        return not self.conflicts_fixed and undecided.exists()


def _terms(reviewer: User, asked: Joined, **terms: str) -> list[_Terms]:
    with identities_readable():
        rows = list(asked.rows(reviewer=reviewer.pk, **terms))
    for campaign, rubric, *_ in rows:
        campaign.rubric = rubric
    return [
        _Terms(reviewer, campaign, reveal, position or 0, problem or 0, *map(bool, flags))
        for campaign, _, reveal, position, problem, *flags in rows
    ]


def take_next(*, reviewer: User, campaign: Campaign) -> Assignment:
    """Give the reviewer one more item: in their field, without conflict, with a free place.

    Raises Refused with code "nothing_left" only when no such item exists, and with code "enough" when they hold
    as many as the campaign gives to one person. Where a training is left to do, the code is "training_first"; where a
    conflict of interest waits for a coordinator before their first place, "conflicts_undecided".
    """
    require_blind_reviewer(reviewer)
    (terms,) = _terms(reviewer, _CALLED, slug=campaign.slug)
    return _take(terms)


def take_next_of(*, reviewer: User, slug: str) -> Assignment:
    """`take_next` of the open campaign called `slug`; Refused with "nothing_left" where there is no such campaign."""
    require_blind_reviewer(reviewer)
    for terms in _terms(reviewer, _CALLED, slug=slug):
        if terms.campaign.phase == Phase.OPEN:
            return _take(terms)
    raise nothing_left()


def take_anywhere(*, reviewer: User) -> Assignment:
    """The same in whichever open campaign has something for them, the one that opened first before the others."""
    require_blind_reviewer(reviewer)
    for terms in sorted(_terms(reviewer, _OPEN), key=lambda terms: terms.is_held_back):
        if not terms.conflicts_fixed and not _has_work(terms):
            continue  # conflicts are fixed once there is something to take, not before
        try:
            return _take(terms)
        except Refused as refusal:
            if refusal.code != "nothing_left" and _has_work(terms):
                raise
    raise Refused("There are no items for you to grade at the moment.", code="nothing_left")


def nothing_left() -> Refused:
    return Refused("There are no items left for you in this campaign.", code="nothing_left")


def _has_work(terms: _Terms) -> bool:
    field = queries.field_of(terms.reviewer)
    return bool(queries.free_pairs(terms.reviewer, field, terms.campaign, most=1)) or (
        queries.returnable(terms.reviewer).filter(item__campaign=terms.campaign).exists()
    )


def _take(terms: _Terms) -> Assignment:
    reviewer, campaign = terms.reviewer, terms.campaign
    if terms.may_be_informed and reviewer.pk in informed_people(campaign.release):
        raise saw_systems()
    phases.require(campaign.phase, Verb.TAKE)
    if terms.has_training:
        require_trained(reviewer, campaign)
    if terms.is_held_back:
        raise Refused(
            "A coordinator has to decide about a conflict of interest that you declared before you get your first "
            "item of this campaign.",
            code="conflicts_undecided",
        )
    _require_room(reviewer, campaign)
    if not terms.conflicts_fixed:
        fix_conflicts(campaign=campaign, reviewers=[reviewer.pk])
    returned = _retake_late_place(reviewer, campaign) if terms.may_have_late_places else None
    return returned or _take_fresh(terms)


def _require_room(reviewer: User, campaign: Campaign) -> None:
    most = campaign.most_per_reviewer
    if most is not None and queries.held_by(reviewer, campaign) >= most:
        raise Refused(f"This campaign gives at most {counted(most, 'item')} to one reviewer.", code="enough")


def _take_turns(reviewer: User, campaign: Campaign) -> None:
    """If what a person holds decides what they may take, lock their row, so that requests from two tabs take turns."""
    if campaign.problem_rule == ProblemRule.APART or campaign.most_per_reviewer is not None:
        User.objects.select_for_update(no_key=True).get(pk=reviewer.pk)
        _require_room(reviewer, campaign)


def _retake_late_place(reviewer: User, campaign: Campaign) -> Assignment | None:
    """A place that was released for being late, while it is free: it comes back with its draft."""
    for place in queries.returnable(reviewer).filter(item__campaign=campaign).order_by("position"):
        with transaction.atomic():
            _take_turns(reviewer, campaign)
            if not claim(place.item_id):
                transaction.set_rollback(True)
                continue
            late = {"state": AssignmentState.RELEASED, "release_reason": ReleaseReason.LATE}
            mine = Assignment.objects.filter(item=place.item_id, reviewer=reviewer, **late)
            if not mine.update(state=AssignmentState.WAITING, release_reason=""):
                transaction.set_rollback(True)
                continue
            record(actor=reviewer, verb="take_back", target=place)
            return queries.place_by_handle(place.handle)
    return None


def _take_fresh(terms: _Terms) -> Assignment:
    """The item that comes first in the reviewer's own order, where faster requests leave a place on it.

    The order goes on from their last problem. It looks at problems that were begun, where the rule keeps them together,
    then at a few problems of the reviewer's own lots, at more, and at last at all that is free; so one request looks at
    a few hundred items, however many the campaign has. Each window is looked through until nothing in it is free.
    """
    field = queries.field_of(terms.reviewer)
    lots = Lots(handle_key(), seed=terms.campaign.seed, reviewer=terms.reviewer.pk)
    start = lots.place(terms.last_problem % LOTS)
    windows = [("lots", [lots.at(start + step) for step in range(number)]) for number in WINDOWS]
    if terms.campaign.problem_rule == ProblemRule.TOGETHER:
        windows.insert(0, ("begun", []))
    for condition, window in (*windows, ("all", [])):
        while pairs := queries.free_pairs(terms.reviewer, field, terms.campaign, condition, lots=window):
            while pairs:
                item = nearest(
                    handle_key(),
                    seed=terms.campaign.seed,
                    reviewer=terms.reviewer.pk,
                    items=pairs,
                    lots=lots,
                    start=start,
                )
                taken = _try_to_take(terms, field, item)
                if taken is not None:
                    return taken
                # reading which still have a place is cheaper than a transaction for each that is full
                others = [pk for pk, _ in pairs if pk != item]
                free = Item.objects.filter(pk__in=others, places_taken__lt=F("places"))
                now = set(free.values_list("pk", flat=True))
                pairs = [pair for pair in pairs if pair[0] in now]
    raise nothing_left()


def _try_to_take(terms: _Terms, field: frozenset[str], pk: int) -> Assignment | None:
    """One short transaction per try; None when the place or the pair was taken by a faster request.

    Who waited in vain for an item holds it, and within the transaction of a request with an idempotency key went on to
    wait for others: so what came to nothing is rolled back.
    """
    reviewer, campaign = terms.reviewer, terms.campaign
    try:
        with transaction.atomic():
            _take_turns(reviewer, campaign)
            apart = campaign.problem_rule == ProblemRule.APART
            if apart and not queries.free_pairs(reviewer, field, campaign, "item", item=pk):
                return None
            if not claim(pk):
                transaction.set_rollback(True)
                return None
            item = queries.item_of(campaign, pk)
            taken, *repeat = Sides(campaign, [item]).assignments(
                pk, reviewer.pk, terms.last_position + 1, pulled=True
            )
            for made in (taken, *repeat):
                made.save(force_insert=True)
            draw_arms(terms.reveal, (taken, *repeat))
            taken.item = item
            set_related(taken, "draft", None)
            record(actor=reviewer, verb="take_item", target=taken)
            return taken
    except IntegrityError:
        return None
