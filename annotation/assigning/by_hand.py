"""Assignment by hand: this person, this item. A matrix of reviewers and items, and the changes made in it.

A conflict of interest excludes the answers of one author, so the places that a person cannot have show which answers
share an author. Therefore items have names here that no other page uses: those who decide about splits later cannot
tell which of the answers on their pages these were.
"""

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.assigning.actions import claim, hold_reviewers, place_pairs, release_waiting, taken_meanwhile
from annotation.assigning.allocation import Candidate, Vacancy, refusal
from annotation.campaigns.actions import locked, require_staff
from annotation.core import phases, queries
from annotation.core.phases import Verb
from annotation.models import Assignment, AssignmentState, Campaign, Item, ProblemRule, ReleaseReason
from stats.core.text import counted

Pair = tuple[int, int]  # item and reviewer
_KEY = "annotation.assigning.by_hand:"


class CellState(StrEnum):
    SUBMITTED = "submitted"
    WAITING = "waiting"
    FREE = "free"
    OUTSIDE = "outside"  # free, but not in a domain that the person stated
    NONE = "none"


@dataclass(frozen=True)
class Cell:
    """`key` names item and person in the form; no number of an item is on the page, it would reveal the draw."""

    key: str
    person: User
    state: CellState


@dataclass(frozen=True)
class Column:
    """A reviewer: places held in this campaign, the most they want, and why they get none at the moment."""

    person: User
    load: int
    capacity: int | None
    held_back: str


@dataclass(frozen=True)
class Row:
    item: Item
    name: str
    cells: list[Cell]


@dataclass(frozen=True)
class Matrix:
    columns: list[Column]
    rows: list[Row]


def matrix(campaign: Campaign, items: Sequence[Item]) -> Matrix:
    """Reviewers across, these `items` down. Reviewers who are away or saw systems have a column only if they hold
    a place."""
    places = _places(items)
    candidates = {one.reviewer: one for one in queries.candidates(campaign)}
    shown = candidates.keys() | {reviewer for _, reviewer in places}
    loads = queries.campaign_loads(campaign)
    people = User.objects.filter(pk__in=shown).order_by("name", "email")
    columns = []
    for person in people:
        candidate, load = candidates.get(person.pk), loads.get(person.pk, 0)
        if candidate is None:
            columns.append(Column(person, load, person.capacity, "away, or has seen the systems"))
        else:
            waits = "waits for a decision about a conflict" if candidate.undecided else ""
            columns.append(Column(person, load, candidate.capacity, waits))
    rows = []
    for item in items:
        vacancy = _vacancy(item, places)
        name, cells = row_name(item.pk), []
        for column in columns:
            pair = (item.pk, column.person.pk)
            candidate, place = candidates.get(pair[1]), places.get(pair)
            if place is not None and place.state != AssignmentState.RELEASED:
                state = CellState(place.state)
            elif candidate is None or _refusal(campaign, vacancy, candidate):
                state = CellState.NONE
            else:
                state = CellState.FREE if vacancy.domain in candidate.confidence else CellState.OUTSIDE
            cells.append(Cell(f"{name}-{pair[1]}", column.person, state))
        rows.append(Row(item, name, cells))
    return Matrix(columns, rows)


def row_name(item: int) -> str:
    """What the item is called in the matrix, and nowhere else."""
    key = (_KEY + settings.SECRET_KEY).encode()
    return hmac.new(key, str(item).encode(), hashlib.sha256).hexdigest()[:16]


def items_of(campaign: Campaign) -> list[Item]:
    """The campaign's items by problem, and within one by name, an order that says nothing about the draw."""
    items = campaign.items.select_related("instance").filter(revealed=False)
    return sorted(items, key=lambda item: (item.instance.domain, item.instance.key, row_name(item.pk)))


def pairs_called(campaign: Campaign, keys: Iterable[str]) -> set[Pair]:
    """Items and reviewers of the keys of cells; raises Refused for one that the campaign does not have."""
    named = {row_name(pk): pk for pk in campaign.items.values_list("pk", flat=True)}
    found = set()
    for key in keys:
        name, _, reviewer = key.partition("-")
        if name not in named or not reviewer.isdecimal() or len(reviewer) > 9:
            raise Refused("One of these places does not exist; load the page again.", code="no_item")
        found.add((named[name], int(reviewer)))
    return found


def _places(items: Iterable[Item]) -> dict[Pair, Assignment]:
    rows = Assignment.objects.filter(item__in=list(items), repeat=False).select_related("item__campaign")
    return {(row.item_id, row.reviewer_id): row for row in rows}


def _vacancy(item: Item, places: dict[Pair, Assignment]) -> Vacancy:
    """The item as the plan sees it, except that a place which staff took away can be given back."""
    had = frozenset(
        reviewer
        for (number, reviewer), place in places.items()
        if number == item.pk and place.release_reason not in (ReleaseReason.WITHDRAWN, ReleaseReason.LATE)
    )
    return Vacancy(item.pk, item.instance.domain, item.places - item.places_taken, had, item.instance_id)


def _refusal(campaign: Campaign, vacancy: Vacancy, candidate: Candidate) -> str:
    """Why the plan would refuse, apart from the domains that a person stated: staff may know better."""
    confidence = {**candidate.confidence, vacancy.domain: 1}
    return refusal(vacancy, replace(candidate, confidence=confidence), campaign.problem_rule)


@transaction.atomic
def assign_by_hand(
    *, actor: User, campaign: Campaign, give: Collection[Pair], take: Collection[Pair]
) -> None:
    """Give and take away places, all or none.

    Raises Refused, naming person and item, where a place was submitted, is not free, or must not go to that person.
    """
    require_staff(actor)
    hold_reviewers()
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.ASSIGN)
    numbers = {item for item, _ in (*give, *take)}
    items = {item.pk: item for item in campaign.items.select_related("instance").filter(pk__in=numbers)}
    if numbers - items.keys():
        raise Refused("One of these items is not in this campaign; load the page again.", code="no_item")
    places = _places(items.values())
    for pair in sorted(take):
        place = places.get(pair)
        if place is None or place.state != AssignmentState.WAITING:
            raise Refused(
                f"{_words(items, pair)} is no longer waiting; load the page again.", code="not_waiting"
            )
        release_waiting(place)
        record(actor=actor, verb="release_assignment", target=place, reason="changed by hand")
    _require_free(items, give)
    places = _places(items.values())
    candidates = {one.reviewer: one for one in queries.candidates(campaign)}
    for pair in sorted(give):
        candidate = candidates.get(pair[1])
        if candidate is None:
            raise Refused(
                f"{_words(items, pair)} is not possible: "
                "this person is away, is not a reviewer, or has seen the systems.",
                code="not_possible",
            )
        if reason := _refusal(campaign, _vacancy(items[pair[0]], places), candidate):
            they = "they" if reason.startswith("have") else "they are"
            why = "" if pair[0] in candidate.excluded else f": {they} {reason}"
            raise Refused(f"{_words(items, pair)} is not possible{why}.", code="not_possible")
    _require_within_rules(campaign, items, give)
    back = {pair for pair in give if pair in places}
    for pair in sorted(back):
        # a place that staff took away returns with its draft, unless somebody, perhaps this person, was faster
        released = {"state": AssignmentState.RELEASED, "item": pair[0], "reviewer": pair[1]}
        mine = Assignment.objects.filter(**released)
        if not (claim(pair[0]) and mine.update(state=AssignmentState.WAITING, release_reason="")):
            raise taken_meanwhile()
    place_pairs(campaign, sorted(set(give) - back))
    _require_together(campaign, give)
    record(
        actor=actor,
        verb="assign_by_hand",
        target=campaign,
        details={"given": len(give), "taken": len(take)},
    )


def _require_free(items: dict[int, Item], give: Collection[Pair]) -> None:
    for pk, wanted in Counter(item for item, _ in give).items():
        item = items[pk]
        item.refresh_from_db(fields=["places_taken", "revealed"])
        if item.revealed:
            raise Refused(
                f"{item.instance.key}, {row_name(pk)}, was shown in a calibration round, so it has no more places.",
                code="no_place",
            )
        if item.places_taken + wanted > item.places:
            raise Refused(
                f"{item.instance.key}, {row_name(pk)}, has {item.places} places in all; take one away first.",
                code="no_place",
            )


def _require_within_rules(campaign: Campaign, items: dict[int, Item], give: Collection[Pair]) -> None:
    """What several places given at once would break together."""
    answers = Counter((reviewer, items[item].instance_id) for item, reviewer in give)
    if campaign.problem_rule == ProblemRule.APART and max(answers.values(), default=0) > 1:
        raise Refused("In this campaign nobody gets another answer to the problem.", code="not_apart")
    loads, most = queries.campaign_loads(campaign), campaign.most_per_reviewer
    for reviewer, new in Counter(reviewer for _, reviewer in give).items():
        if most is not None and loads.get(reviewer, 0) + new > most:
            raise Refused(
                f"This campaign gives at most {counted(most, 'item')} to one reviewer.", code="enough"
            )


def _require_together(campaign: Campaign, give: Collection[Pair]) -> None:
    """Where the same reviewers see all answers to a problem, nobody is left with some of them."""
    if campaign.problem_rule != ProblemRule.TOGETHER or not give:
        return
    problems = dict(campaign.items.values_list("pk", "instance_id"))
    whole: dict[int, set[int]] = defaultdict(set)
    for item, problem in problems.items():
        whole[problem].add(item)
    reviewers = {reviewer for _, reviewer in give}
    held = set(
        Assignment.objects.filter(item__campaign=campaign, reviewer__in=reviewers)
        .exclude(state=AssignmentState.RELEASED)
        .values_list("item_id", "reviewer_id")
    )
    for item, reviewer in sorted(give):
        if any((other, reviewer) not in held for other in whole[problems[item]]):
            raise Refused(
                "In this campaign the same reviewers see all answers to a problem: give a person all of them.",
                code="not_together",
            )


def _words(items: dict[int, Item], pair: Pair) -> str:
    item = items[pair[0]]
    person = User.objects.filter(pk=pair[1]).first()
    return f"{item.instance.key}, {row_name(item.pk)}, for {person or 'an unknown person'}"
