"""Progress: a reviewer's own rows for the queue page, and a whole campaign for its staff."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from accounts.models import User
from accounts.profile.domains import domain_words
from annotation.core import queries
from annotation.core.material import problem_title
from annotation.core.phases import Phase
from annotation.core.proof_names import proof_names
from annotation.models import Assignment, AssignmentState, Campaign
from annotation.training.reading import items_left


@dataclass(frozen=True)
class WaitingItem:
    """A line of the queue: an opaque handle, what the problem is about, and the reviewer's own name for the proof."""

    handle: str
    title: str
    domain: str
    draft_saved_at: datetime | None
    name: str


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


def own_progress(reviewer: User) -> list[OwnProgress]:
    """Open campaigns in which the reviewer has work, or could take some.

    Counted as done are the last `queries.MOST_DONE` submitted places in all campaigns together, so that the page costs
    the same however much they have done.
    """
    waiting: dict[int, list[WaitingItem]] = {}
    places = list(queries.waiting(reviewer))
    names = proof_names(reviewer, places)
    for place in places:
        instance, draft = place.item.instance, getattr(place, "draft", None)
        item = WaitingItem(
            handle=place.handle,
            title=problem_title(instance.payload, instance.key),
            domain=domain_words(instance.domain),
            name=names.get(place.pk, ""),
            draft_saved_at=draft.saved_at if draft else None,
        )
        waiting.setdefault(place.item.campaign_id, []).append(item)
    submitted = Assignment.objects.filter(reviewer=reviewer, state=AssignmentState.SUBMITTED)
    latest = submitted.order_by("-position").values_list("item__campaign", flat=True)[: queries.MOST_DONE + 1]
    counted = list(latest)
    done, every = Counter(counted[: queries.MOST_DONE]), len(counted) <= queries.MOST_DONE
    lost = Counter(queries.returnable(reviewer).values_list("item__campaign", flat=True))
    left = Counter(items_left(reviewer).values_list("training__campaign", flat=True))
    field = queries.field_of(reviewer)
    rows = []
    for campaign in Campaign.objects.filter(phase=Phase.OPEN).order_by("opened_at", "pk"):
        free = queries.free_pairs(reviewer, field, campaign, told=True, most=queries.MOST_FREE + 1)
        rows.append(
            OwnProgress(
                campaign,
                waiting.get(campaign.pk, []),
                done=done[campaign.pk],
                free=len(free) + lost[campaign.pk],
                training=left[campaign.pk],
                every=every,
            )
        )
    mine = sorted((row for row in rows if row.total), key=lambda row: row.campaign.pk)
    return [*mine, *(row for row in rows if row.free and not row.total)]


def campaign_progress(campaign: Campaign) -> dict[str, object]:
    """Draw and progress by domain and reviewer, for those who run the campaign."""
    return {
        "campaign": campaign.slug,
        "phase": campaign.phase,
        "strata": queries.drawn_strata(campaign),
        "domains": queries.progress_by_domain(campaign),
        "reviewers": queries.progress_by_reviewer(campaign),
    }
