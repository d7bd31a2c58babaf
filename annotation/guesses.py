"""Is the question which system wrote an answer asked at a place, and in which order are systems offered?"""

from accounts.models import User
from accounts.sight import identities_readable
from annotation.handles import seeded_order
from annotation.models import Assignment, AssignmentState, Campaign, GuessQuestion, SystemGuess
from benchmark.models import System


def asks_for_guesses(campaign: Campaign) -> bool:
    """Whether the coordinator switched the question on."""
    return GuessQuestion.objects.filter(campaign=campaign).exists()


def is_asked(place: Assignment) -> bool:
    """Whether the holder is still to be asked: submitted, question on, and no guess yet."""
    return (
        place.state == AssignmentState.SUBMITTED
        and asks_for_guesses(place.item.campaign)
        and not SystemGuess.objects.filter(assignment=place).exists()
    )


def systems_of(campaign: Campaign) -> list[System]:
    """Every system with a run of the release on the campaign's track: the list says nothing of what was drawn."""
    runs = campaign.release.runs.filter(track=campaign.track)
    with identities_readable():
        return list(System.objects.filter(pk__in=runs.values("system")).order_by("slug"))


def offered(place: Assignment, key: bytes) -> list[System]:
    """The systems in an order of this place's own, so that no position is favoured; the same on every visit."""
    systems = {system.slug: system for system in systems_of(place.item.campaign)}
    return [systems[slug] for slug in seeded_order(key, place.handle, systems)]


def named_by(reviewer: User) -> dict[int, str]:
    """The slug of the system that the reviewer named, by the place's id; places of "no idea" are left out."""
    guesses = SystemGuess.objects.filter(assignment__reviewer=reviewer, system__isnull=False)
    with identities_readable():
        return dict(guesses.values_list("assignment_id", "system__slug"))
