"""Asking which system wrote an answer: where it is asked, and which system an answer means.

Reviewers name a system in their own words. A list to choose from would reveal which systems take part, and so would a
reply about whether a name was recognised; names are therefore only matched once the campaign is closed.
"""

import re
import unicodedata
from collections.abc import Iterable

from accounts.database.sight import identities_readable
from accounts.models import User
from annotation.core.phases import Phase
from annotation.models import Assignment, AssignmentState, Campaign, GuessQuestion, SystemGuess
from benchmark.models import System


def asks_for_guesses(campaign: Campaign) -> bool:
    """Whether the coordinator switched the question on."""
    return GuessQuestion.objects.filter(campaign=campaign).exists()


def is_asked(place: Assignment) -> bool:
    """Whether the holder still has to be asked: campaign open, submitted, question on, and no guess yet."""
    return (
        place.item.campaign.phase == Phase.OPEN
        and place.state == AssignmentState.SUBMITTED
        and asks_for_guesses(place.item.campaign)
        and not SystemGuess.objects.filter(assignment=place).exists()
    )


def own_names(place: Assignment) -> list[str]:
    """What the holder named before in this campaign, to be chosen again."""
    rows = SystemGuess.objects.filter(
        assignment__reviewer=place.reviewer_id, assignment__item__campaign=place.item.campaign_id
    )
    return sorted(set(rows.exclude(named="").values_list("named", flat=True)))


def systems_of(campaign: Campaign) -> list[System]:
    """Every system with a run of the release on the campaign's track and condition. For those who may see systems."""
    return list(System.objects.filter(pk__in=campaign.runs().values("system")).order_by("slug"))


def system_meant(named: str, systems: Iterable[System]) -> System | None:
    """The one system that the words mean, whatever their case, spaces and signs; None when none or several fit.

    Tried in turn: the whole slug or name, the family, and a name of which these are some of the words, or that is
    some of them.
    """
    said = _words(named)
    known = [(system, [_words(system.slug), _words(system.name)]) for system in systems]
    fitting = [
        [system for system, names in known if "".join(said) in ("".join(name) for name in names)],
        [system for system, _ in known if said == _words(system.family)],
        [system for system, names in known if any(_holds(said, n) or _holds(n, said) for n in names)],
    ]
    for found in fitting:
        if said and found:
            return found[0] if len(found) == 1 else None
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def _holds(longer: list[str], words: list[str]) -> bool:
    """Whether the words occur in this order, one after the other; single letters and figures alone do not count."""
    starts = range(len(longer) - len(words) + 1)
    return any(len(word) > 1 for word in words) and any(
        longer[at : at + len(words)] == words for at in starts
    )


def named_by(reviewer: User) -> dict[int, str]:
    """What the reviewer named, by the place's id; places of "no idea" are left out.

    Guesses from before names were free have the slug that was chosen from a list.
    """
    guesses = SystemGuess.objects.filter(assignment__reviewer=reviewer)
    found = dict(guesses.exclude(named="").values_list("assignment_id", "named"))
    with identities_readable():
        chosen = guesses.filter(system__isnull=False).values_list("assignment_id", "system__slug")
        return found | dict(chosen)
