"""Setting up a campaign from a release: which steps of a draft are done, and what each shows next to its form."""

from collections import Counter
from dataclasses import dataclass

from accounts.models import User
from accounts.profile.domains import domain_words
from annotation.campaigns.draw_counts import Size
from annotation.campaigns.draws import DRAW_WAYS, chosen, size_of
from annotation.conflicts import resolving as conflicts
from annotation.core import queries
from annotation.core.identities import informed_people
from annotation.models import Campaign, CampaignKind, CampaignSetup, SetupStep

ORDER = list(SetupStep)
ASSUMED_MINUTES = 15.0


@dataclass(frozen=True)
class StepMark:
    """A step as the bar above the form shows it; `open` steps can be gone to."""

    step: SetupStep
    number: int
    done: bool
    open: bool
    now: bool


@dataclass(frozen=True)
class Workload:
    """The work of a draw; `source` says where the minutes are from: said, measured or assumed."""

    size: Size
    gradings: int
    minutes: float
    source: str
    hours: float


@dataclass(frozen=True)
class Candidacy:
    """An active reviewer with what decides about their places, in words."""

    person: User
    expertise: list[str]
    conflicts: list[str]
    informed: bool


@dataclass(frozen=True)
class Covered:
    """A domain of the problems and how many reviewers have it; `short` if fewer than an item needs."""

    domain: str
    reviewers: int
    short: bool


@dataclass(frozen=True)
class PossibleAuthors:
    """`few` drawn problems have fewer than `least` systems as possible authors; none has more than `most`."""

    least: int
    problems: int
    few: int
    most: int


def setup_of(campaign: Campaign) -> CampaignSetup:
    """The campaign's setup, unsaved where none is kept: then a drawn campaign is at the step of its assignment."""
    kept = CampaignSetup.objects.filter(campaign=campaign).first()
    if kept is not None:
        return kept
    reached = SetupStep.OPTIONS if campaign.items.exists() else SetupStep.TERMS
    return CampaignSetup(campaign=campaign, reached=reached)


def after(step: str) -> SetupStep:
    """The step that follows; the last one stays."""
    return ORDER[min(SetupStep.values.index(step) + 1, len(ORDER) - 1)]


def before(step: str) -> SetupStep | None:
    """The step that comes before, if any."""
    at = SetupStep.values.index(step)
    return ORDER[at - 1] if at else None


def may_show(setup: CampaignSetup, step: str) -> bool:
    """Whether every step before this one was saved."""
    return SetupStep.values.index(step) <= SetupStep.values.index(after(setup.reached))


def step_marks(setup: CampaignSetup | None, now: str) -> list[StepMark]:
    """All steps for the bar; without a setup, only the first is open."""
    reached = -1 if setup is None else SetupStep.values.index(setup.reached)
    return [
        StepMark(step, number + 1, number <= reached, number <= reached + 1, step == now)
        for number, step in enumerate(ORDER)
    ]


def workload(campaign: Campaign, size: Size, minutes: int | None) -> Workload:
    """Gradings and expert hours of a draw of that size.

    `minutes` is what the coordinator said; otherwise the mean of finished gradings counts, or an assumption.
    """
    measured = queries.seconds_per_grade(campaign)
    source = "said" if minutes else "measured" if measured else "assumed"
    each = minutes or (measured / 60 if measured else ASSUMED_MINUTES)
    gradings = size.gradings(campaign.reviewers_per_item)
    return Workload(size, gradings, each, source, gradings * each / 60)


def expected(campaign: Campaign, setup: CampaignSetup) -> Workload | None:
    """The workload of what is drawn, or of what was chosen; None before that."""
    size = drawn_size(campaign)
    choices = chosen(campaign)
    if not size.items and choices:
        way = DRAW_WAYS[campaign.kind]
        size = size_of(way, way.frame(campaign.release, campaign.track, campaign.condition), choices)
    return workload(campaign, size, setup.minutes_per_item) if size.items else None


def drawn_size(campaign: Campaign) -> Size:
    """The size of the draw that took place; without one, no items."""
    shown_twice = list(campaign.items.values_list("mirrored", flat=True))
    return Size(len(shown_twice), len(shown_twice) + sum(shown_twice))


def people_of(campaign: Campaign) -> list[Candidacy]:
    """Every active reviewer with what decides about their places."""
    informed = informed_people(campaign.release)
    people = queries.reviewers().prefetch_related("expertise", "conflicts")
    return [
        Candidacy(
            person,
            expertise=[
                f"{domain_words(row.domain)} ({row.get_confidence_display()})"
                for row in sorted(person.expertise.all(), key=lambda row: (-row.confidence, row.domain))
            ],
            conflicts=[
                f"{row.get_kind_display()}: {row.key}" + ("" if row.decided_at else " (not decided)")
                for row in sorted(person.conflicts.all(), key=lambda row: (row.kind, row.key))
            ],
            informed=person.pk in informed,
        )
        for person in people
    ]


def coverage(campaign: Campaign) -> list[Covered]:
    """Domains of the campaign's problems with how many present, blind reviewers have them, scarce ones first."""
    have = Counter(domain for candidate in queries.candidates(campaign) for domain in candidate.confidence)
    drawn = campaign.items.values_list("instance__domain", flat=True).distinct()
    domains = list(drawn) or campaign.release.instances.values_list("domain", flat=True).distinct()
    rows = [
        Covered(domain, have[domain], short=have[domain] < campaign.reviewers_per_item)
        for domain in set(domains)
    ]
    return sorted(rows, key=lambda row: (row.reviewers, row.domain))


def possible_authors(campaign: Campaign) -> PossibleAuthors | None:
    """What is known of the drawn problems' authors; None before a draw and for instances."""
    if campaign.kind == CampaignKind.CONSTRUCTION or not campaign.items.exists():
        return None
    ground = conflicts.ground_of(campaign)
    counts = [len(ground.authors.get(problem, ())) for problem in {drawn.problem for drawn in ground.items}]
    few = sum(count < ground.least for count in counts)
    return PossibleAuthors(ground.least, len(counts), few, max(counts))
