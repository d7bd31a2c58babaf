"""Did blinding hold in a closed campaign? Guesses by system, with Bang's and James's indices."""

from collections import Counter, defaultdict
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
    by_reviewer: defaultdict[str, defaultdict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for true, reviewer, chosen, named in given.values_list(
        "assignment__item__output__run__system__slug", "assignment__reviewer", "system__slug", "named"
    ):
        meant = system_meant(named, taking_part) if named else None
        guess = meant.slug if meant else OTHER if named else chosen
        said[true, guess] += 1
        by_reviewer[true][reviewer][
            "unknown" if guess is None else "right" if guess == true else "wrong"
        ] += 1
    submitted = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.SUBMITTED).count()
    named_too = [*systems, OTHER]  # nothing was written by OTHER, but some was taken for it
    table = [[said[true, guess] for guess in named_too] for true in named_too]
    unknown = [said[true, None] for true in named_too]
    rows = []
    for name in systems:
        raters = [Guesses(**counts) for counts in by_reviewer[name].values()]
        rows.append(
            BlindingRow(
                system=name,
                right=sum(one.right for one in raters),
                wrong=sum(one.wrong for one in raters),
                no_idea=sum(one.unknown for one in raters),
                bang=bang_index(raters, systems=len(systems)) if len(systems) > 1 else None,
            )
        )
    return Blinding(
        campaign=campaign.slug,
        systems=rows,
        guesses=said.total(),
        skipped=submitted - said.total(),
        james=james_index(table, unknown) if systems else None,
    )
