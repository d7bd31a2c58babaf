"""What the hub of a study counts. Nothing here says what a reviewer answered or which system wrote what."""

import datetime as dt
from dataclasses import dataclass, field

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.people.queries import pending_invitations
from annotation.adjudication.reading import queue, state_counts
from annotation.adjudication.settling import State as ItemState
from annotation.conflicts.resolving import undecided_people
from annotation.core.phases import Phase
from annotation.models import Assignment, AssignmentState, Campaign
from benchmark.files.queries import nothing_to_read
from benchmark.models import ImportState, ImportUpload, Output, OutputState, Release
from benchmark.releases.queries import quarantined
from judging.models import JudgeRun
from judging.runs.queries import runs_with_progress
from reports.core.choosing import judges_of_release
from reports.models import Artifact, PublicRecord
from work.models import RunState


@dataclass(frozen=True)
class Round:
    """A campaign of the study: places wanted, held and submitted, and what waits for the study's staff.

    `given_back` counts the places that a reviewer gave up and nobody else has taken; `splits` the items whose graders
    differ, counted once the campaign is closed.
    """

    campaign: Campaign
    items: int
    places: int
    taken: int
    submitted: int
    people: int
    given_back: int
    undecided_conflicts: int
    splits: int = 0

    @property
    def is_open(self) -> bool:
        return self.campaign.phase == Phase.OPEN

    @property
    def late(self) -> int:
        """Places that are not submitted although the due date has passed."""
        due = self.campaign.due_on
        return self.taken - self.submitted if self.is_open and due and due < timezone.now().date() else 0


@dataclass(frozen=True)
class Asked:
    """A run of a judge: questions asked, answered or no longer needed, and failed."""

    pk: int
    judge: str
    asked: int
    done: int
    failed: int
    running: bool


@dataclass(frozen=True)
class Facts:
    """Everything that the eight steps of a study say."""

    release: Release
    problems: int
    fields: int
    systems: int
    outputs: int
    blank: int
    failed: int
    undecided_texts: int
    nothing_to_read: int
    rounds: list[Round] = field(default_factory=list)
    invited: int = 0
    judge_runs: list[Asked] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)  # those with verdicts, which may be imported
    import_waiting: ImportUpload | None = None
    artifacts: int = 0
    records: list[PublicRecord] = field(default_factory=list)

    @property
    def described(self) -> bool:
        return hasattr(self.release, "description")

    @property
    def rounds_open(self) -> list[Round]:
        return [one for one in self.rounds if one.is_open]

    @property
    def rounds_closed(self) -> list[Round]:
        return [one for one in self.rounds if one.campaign.phase == Phase.CLOSED]


@dataclass(frozen=True)
class Event:
    """Something that happened in the study, and when."""

    at: dt.datetime
    says: str


def facts_of(release: Release) -> Facts:
    """Counted now."""
    states = Output.objects.filter(run__release=release).aggregate(
        outputs=Count("pk"),
        blank=Count("pk", filter=Q(state=OutputState.ABSTAINED)),
        failed=Count("pk", filter=Q(state=OutputState.FAILED)),
    )
    campaigns = Campaign.objects.filter(release=release).select_related("rubric").order_by("created_at", "pk")
    rounds = []
    for campaign in campaigns:
        items = campaign.items.aggregate(
            items=Count("pk"), places=Coalesce(Sum("places"), 0), taken=Coalesce(Sum("places_taken"), 0)
        )
        places = Assignment.objects.filter(item__campaign=campaign, repeat=False)
        given_back = places.filter(state=AssignmentState.RELEASED).count()
        closed = campaign.phase == Phase.CLOSED
        rounds.append(
            Round(
                campaign=campaign,
                **items,
                submitted=places.filter(state=AssignmentState.SUBMITTED).count(),
                people=places.exclude(state=AssignmentState.RELEASED).values("reviewer").distinct().count(),
                given_back=0 if closed else min(given_back, items["places"] - items["taken"]),
                undecided_conflicts=0 if closed else len(undecided_people(campaign)),
                splits=state_counts(queue(campaign))[ItemState.SPLIT] if closed else 0,
            )
        )
    unfinished = ImportUpload.objects.filter(
        state__in=(ImportState.CHECKED, ImportState.REFUSED), expires_at__gt=timezone.now()
    )
    return Facts(
        release=release,
        problems=release.instances.count(),
        fields=release.instances.values("domain").distinct().count(),
        systems=release.runs.values("system").distinct().count(),
        **states,
        undecided_texts=quarantined(release).count(),
        nothing_to_read=nothing_to_read(release).count(),
        rounds=rounds,
        invited=pending_invitations().filter(expires_at__gt=timezone.now()).count(),
        judge_runs=[
            Asked(
                run.pk,
                run.judge.slug,
                run.n_tasks,
                run.n_done + run.n_not_needed,
                run.n_failed,
                run.state == RunState.RUNNING,
            )
            for run in runs_with_progress().filter(release=release)
        ],
        judges=[judge.slug for judge in judges_of_release(release)],
        import_waiting=unfinished.filter(terms__release=release.name).order_by("-created_at").first(),
        artifacts=Artifact.objects.filter(release=release).count(),
        records=list(PublicRecord.objects.filter(artifact__release=release).order_by("published_at", "pk")),
    )


LATEST = 6


def last_events(release: Release) -> list[Event]:
    """The newest submissions, campaigns opened and closed, and judge runs of the study; no answers, no systems."""
    events: list[Event] = []
    submitted = Assignment.objects.filter(
        item__campaign__release=release, state=AssignmentState.SUBMITTED, repeat=False
    ).select_related("reviewer", "item__instance")
    for place in submitted.order_by("-submitted_at")[:LATEST]:
        assert place.submitted_at is not None
        events.append(
            Event(place.submitted_at, f"{place.reviewer} submitted a report on {place.item.instance.key}")
        )
    for campaign in Campaign.objects.filter(release=release):
        events.append(Event(campaign.created_at, f"{campaign.name} was created"))
        if campaign.opened_at:
            events.append(Event(campaign.opened_at, f"{campaign.name} was opened"))
        if campaign.closed_at:
            events.append(Event(campaign.closed_at, f"{campaign.name} was closed"))
    for run in JudgeRun.objects.filter(release=release).select_related("judge"):
        events.append(Event(run.created_at, f"{run.judge} was asked for verdicts"))
    events.append(Event(release.created_at, "The problems were imported"))
    if release.frozen_at:
        events.append(Event(release.frozen_at, "The study was frozen"))
    return sorted(events, key=lambda event: event.at, reverse=True)[:LATEST]
