"""Ten problems, four systems, up to three of nine referees: a study whose every count can be made by hand.

f is flawless, m minor, j major, r reject; the first two count as solved. One answer is blank, one was read by two.
"""

from django.utils import timezone

from annotation.models import Answer, AssignmentState, Campaign, Comment, Grade
from benchmark.models import OutputState, Release, System
from benchmark.rubrics import parse_rubrics
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RubricFactory,
    RunFactory,
    UserFactory,
)
from tests.own_scale import LEVELS

WORDS = {"f": "flawless", "m": "minor", "j": "major", "r": "reject"}
SYSTEMS = {"heron": "Heron 3", "lark": "Lark Pro", "kestrel": "Kestrel", "wren": "Wren mini"}
PROBLEMS = {
    "Rigidity of weighted lattice flows": "fff ffm mmm jjr",
    "Gaps between twisted Farey points": "mmf mmj jjr rrr",
    "Colouring hyperplane shadows": "mmf rrr mmf rrj",
    "Curvature of thin tori": "jjj mmm rrr rrr",
    "Mixing of the lazy comb walk": "mmm mjj mjj jjr",
    "Slice genus of braided cables": "- rrj jj rrr",
    "Growth of tree-like groups in $L^2$": "ffm fff fmj mmm",
    "Traces on quasi-diagonal shifts": "mmj jjj rrr rrr",
    "A spectral bound for kite graphs": "jjr mmf fff rrj",
    "Decay for damped plate waves": "jjr rrr mmm rrr",
}


def ten_proofs(
    name: str = "ten-proofs", *, closed: bool = True, systems: int = 4, problems: int = 10
) -> Release:
    """The release with its campaign `NAME-referees`. More systems and problems repeat those there are."""
    release = ReleaseFactory(name=name)
    content = parse_rubrics(LEVELS)[0]
    rubric = RubricFactory(name="referee", version=1, content=content.content, sha256=content.sha256)
    campaign = CampaignFactory(
        slug=f"{name}-referees", name="Referees", release=release, rubric=rubric, track="raw"
    )
    known = list(SYSTEMS.items())
    runs = []
    for at in range(systems):
        slug, title = known[at % 4]
        more = f"-{at // 4 + 1}" if at >= 4 else ""
        system, _ = System.objects.get_or_create(slug=f"{slug}{more}", defaults={"name": f"{title}{more}"})
        runs.append(RunFactory(release=release, system=system))
    referees = [UserFactory(email=f"referee{n}@{name}.test") for n in range(1, 10)]
    turn = 0
    for number in range(problems):
        title, row = list(PROBLEMS.items())[number % 10]
        instance = InstanceFactory(
            release=release,
            key=f"p{number + 1}",
            domain=("algebra", "analysis", "geometry")[number % 3],
            payload={
                "title": title,
                "statement": "Show it.",
                "reference_solution": "",
                "guidance": {"target_claim": "", "objects": [], "common_issues": []},
            },
        )
        for at, run in enumerate(runs):
            given = row.split()[at % 4]
            blank = given == "-"
            output = OutputFactory(
                run=run,
                instance=instance,
                text="" if blank else "We show it. Hence it holds.",
                state=OutputState.ABSTAINED if blank else OutputState.ANSWERED,
            )
            if blank:
                continue
            item = ItemFactory(campaign=campaign, output=output, places=3, places_taken=len(given))
            for letter in given:
                grade(item, referees[turn % 9], WORDS[letter])
                turn += 1
    Campaign.objects.filter(pk=campaign.pk).update(phase="open", opened_at=timezone.now())
    if closed:
        close(campaign)
    return release


def close(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(phase="closed", closed_at=timezone.now())


def grade(item, referee, level: str) -> Grade:
    """One report, with a remark in words and a comment on what is not flawless."""
    place = AssignmentFactory(
        item=item, reviewer=referee, state=AssignmentState.SUBMITTED, submitted_at=timezone.now()
    )
    made = Grade.objects.create(assignment=place, rubric_sha256="0" * 64, idempotency_key="k")
    Answer.objects.create(grade=made, question="recommendation", value=level)
    if level != "flawless":
        Answer.objects.create(grade=made, question="remarks", value=f"The second sentence is {level}.")
        Comment.objects.create(
            grade=made,
            block="b1",
            start=0,
            end=3,
            severity="minor",
            kind="gap",
            text="Who is we?",
        )
    return made
