"""Progress: a reviewer's own rows for the queue page, and a whole campaign for its staff."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from accounts.database.statements import Statement
from accounts.profile.domains import domain_words
from annotation.core import queries
from annotation.core.material import problem_title
from annotation.models import Assignment, Campaign
from annotation.training.reading import training_left


@dataclass(frozen=True)
class WaitingItem:
    """A line of the queue: an opaque handle and what the problem is about.

    `nth` counts the reviewer's waiting proofs of the same problem, from 1, in the reviewer's own order.
    """

    handle: str
    title: str
    domain: str
    draft_saved_at: datetime | None
    nth: int


@dataclass
class OwnProgress:
    """One campaign of the queue.

    `free` counts further items in the reviewer's domains, whatever conflicts of interest exclude of them, `training`
    items of the training that come first. Unless `every` place was counted, `done` says how many at least.
    """

    campaign: Campaign
    waiting: list[WaitingItem] = field(default_factory=list)
    done: int = 0
    free: int = 0
    training: int = 0
    every: bool = True

    @property
    def total(self) -> int:
        return self.done + len(self.waiting)

    @property
    def free_words(self) -> str:
        return free_words(self.free)


def free_words(free: int) -> str:
    """How many items are free, counted up to a limit."""
    return str(free) if free <= queries.MOST_FREE else f"over {queries.MOST_FREE}"


def own_progress(reviewer: Any) -> list[OwnProgress]:
    """Open campaigns in which the reviewer has work, or could take some, in three statements."""
    waiting: dict[int, list[WaitingItem]] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for place in queries.waiting(reviewer):
        waiting.setdefault(place.item.campaign_id, []).append(_waiting(place, seen))
    field = queries.field_of(reviewer)
    campaigns = _campaigns().rows(reviewer=reviewer.pk, domains=field)
    rows = [
        OwnProgress(row, waiting.get(row.pk, []), row.done, row.free, row.untrained, row.every)
        for row in campaigns
    ]
    mine = sorted((row for row in rows if row.total), key=lambda row: row.campaign.pk)
    return [*mine, *(row for row in rows if row.free and not row.total)]


@cache
def _campaigns() -> Statement:
    left = training_left(queries.REVIEWER)
    return Statement(
        lambda: queries.campaigns_of_queue().annotate(untrained=left).order_by("opened_at", "pk")
    )


def _waiting(place: Assignment, seen: "Counter[tuple[int, int]]") -> WaitingItem:
    instance, draft = place.item.instance, getattr(place, "draft", None)
    problem = (place.item.campaign_id, place.item.instance_id)
    seen[problem] += 1
    return WaitingItem(
        handle=place.handle,
        title=problem_title(instance.payload, instance.key),
        domain=domain_words(instance.domain),
        nth=seen[problem],
        draft_saved_at=draft.saved_at if draft else None,
    )


def campaign_progress(campaign: Campaign) -> dict[str, Any]:
    """Draw and progress by domain and reviewer, for those who run the campaign."""
    return {
        "campaign": campaign.slug,
        "phase": campaign.phase,
        "strata": queries.drawn_strata(campaign),
        "domains": queries.progress_by_domain(campaign),
        "reviewers": queries.progress_by_reviewer(campaign),
    }
