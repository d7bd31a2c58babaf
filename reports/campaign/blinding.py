"""Did blinding hold in a closed campaign? Guesses by system, with Bang's and James's indices."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from accounts.refusal import Refused
from annotation.core.phases import Phase
from annotation.guessing.guesses import system_meant, systems_of
from annotation.models import Assignment, AssignmentState, Campaign, SystemGuess
from stats.core.estimate import Estimate
from stats.raters.blinding import Guesses, bang_index, james_index

OTHER = ""  # a name that means no system of the track, or several


@dataclass(frozen=True, kw_only=True)
class BlindingRow:
    system: str
    right: int
    wrong: int
    no_idea: int
    bang: Estimate | None


@dataclass(frozen=True, kw_only=True)
class Blinding:
    campaign: str
    systems: Sequence[BlindingRow]
    guesses: int
    skipped: Annotated[int, "Submitted places without an answer."]
    james: Estimate | None


def blinding(campaign: Campaign) -> Blinding:
    """Per system: outputs guessed about, right, wrong, no idea, Bang's index; James's index over all.

    A name that means no system of the track, or several, is wrong. Only grades that were guessed about count; who
    skipped is in `skipped`. Raises Refused while the campaign runs, since the table tells who wrote what.
    """
    if campaign.phase != Phase.CLOSED:
        raise Refused("Guesses are counted after the campaign is closed.", code="not_closed")
    taking_part = systems_of(campaign)
    systems = [system.slug for system in taking_part]
    given = SystemGuess.objects.filter(assignment__item__campaign=campaign)
    said: Counter[tuple[str, str | None]] = Counter()
    for true, chosen, named in given.values_list(
        "assignment__item__output__run__system__slug", "system__slug", "named"
    ):
        meant = system_meant(named, taking_part) if named else None
        said[true, meant.slug if meant else OTHER if named else chosen] += 1
    submitted = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.SUBMITTED).count()
    named_too = [*systems, OTHER]  # nothing was written by OTHER, but some was taken for it
    table = [[said[true, guess] for guess in named_too] for true in named_too]
    unknown = [said[true, None] for true in named_too]
    rows = []
    for place, name in enumerate(systems):
        right = table[place][place]
        guesses = Guesses(right=right, wrong=sum(table[place]) - right, unknown=unknown[place])
        index = bang_index(guesses, systems=len(systems)) if len(systems) > 1 else None
        rows.append(
            BlindingRow(system=name, right=right, wrong=guesses.wrong, no_idea=unknown[place], bang=index)
        )
    return Blinding(
        campaign=campaign.slug,
        systems=rows,
        guesses=said.total(),
        skipped=submitted - said.total(),
        james=james_index(table, unknown) if systems else None,
    )
