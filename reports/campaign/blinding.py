"""Did blinding hold in a closed campaign? Guesses by system, with Bang's and James's indices."""

from collections import Counter
from typing import Any

from accounts.refusal import Refused
from annotation.core.phases import Phase
from annotation.guessing.guesses import system_meant, systems_of
from annotation.models import Assignment, AssignmentState, Campaign, SystemGuess
from stats.raters.blinding import Guesses, bang_index, james_index

OTHER = ""  # a name that means no system of the track, or several


def blinding_document(campaign: Campaign) -> dict[str, Any]:
    """Per system: outputs guessed about, right, wrong, no idea, Bang's index; James's index over all.

    A name that means no system of the track, or several, is wrong. Only grades that were guessed about count; who
    skipped is in `skipped`. Raises Refused while the campaign runs, since the table tells who wrote what.
    """
    if campaign.phase != Phase.CLOSED:
        raise Refused("Guesses are counted after the campaign is closed.", code="not_closed")
    taking_part = systems_of(campaign)
    systems = [system.slug for system in taking_part]
    rows = SystemGuess.objects.filter(assignment__item__campaign=campaign)
    said: Counter[tuple[str, str | None]] = Counter()
    for true, chosen, named in rows.values_list(
        "assignment__item__output__run__system__slug", "system__slug", "named"
    ):
        meant = system_meant(named, taking_part) if named else None
        said[true, meant.slug if meant else OTHER if named else chosen] += 1
    submitted = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.SUBMITTED).count()
    named_too = [*systems, OTHER]  # nothing was written by OTHER, but some was taken for it
    table = [[said[true, guess] for guess in named_too] for true in named_too]
    unknown = [said[true, None] for true in named_too]
    return {
        "campaign": campaign.slug,
        "systems": [
            _system(name, row, place, none, len(systems))
            for place, (name, row, none) in enumerate(zip(systems, table, unknown, strict=False))
        ],
        "guesses": sum(said.values()),
        "skipped": submitted - sum(said.values()),
        "james": james_index(table, unknown).as_json() if systems else None,
    }


def _system(name: str, row: list[int], place: int, unknown: int, systems: int) -> dict[str, Any]:
    right = row[place]
    guesses = Guesses(right=right, wrong=sum(row) - right, unknown=unknown)
    index = bang_index(guesses, systems=systems).as_json() if systems > 1 else None
    return {"system": name, "right": right, "wrong": guesses.wrong, "no_idea": unknown, "bang": index}
