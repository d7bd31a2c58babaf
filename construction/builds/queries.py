"""Querysets of builds, and the funnel: how many things came to each stage, and why the others did not."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from construction.builds.kinds import OPEN
from construction.models import Build, BuildPaper, Candidate, Review, Step, StepCall
from construction.pipeline import get_pipeline
from work.models import TaskState

# What candidates are narrowed by: names in addresses, and their fields.
CHOICES = {"stage": "stage", "code": "code", "state": "state", "paper": "paper__source__key", "decision": ""}


@dataclass(frozen=True)
class Stage:
    """A stage of a funnel: what reached it is what it kept, what waits in it, and what was dropped there, by code."""

    name: str
    title: str
    reached: int
    waiting: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        return self.reached - self.waiting - sum(self.dropped.values())


def builds_with_progress() -> QuerySet[Build]:
    """Builds, the newest first, with counts of their papers that are over."""
    over = Q(papers__state__in=[TaskState.DONE, TaskState.FAILED])
    return Build.objects.annotate(n_papers=Count("papers"), n_read=Count("papers", filter=over)).order_by(
        "-pk"
    )


def progress_of(build: Build) -> dict[str, int]:
    """Counts for the build's page: papers, steps, replies that were reused."""
    papers = build.papers.aggregate(
        papers=Count("pk"), papers_open=Count("pk", filter=Q(state__in=OPEN)),
        papers_refused=Count("pk", filter=~Q(code="") | Q(state=TaskState.FAILED)),
    )  # fmt: skip
    steps = build.steps.aggregate(
        steps=Count("pk"), steps_open=Count("pk", filter=Q(state__in=OPEN)),
        steps_failed=Count("pk", filter=Q(state=TaskState.FAILED)), steps_reused=Count("pk", filter=~Q(reused=None)),
    )  # fmt: skip
    return {**papers, **steps, "papers_over": papers["papers"] - papers["papers_open"]}


def papers_by_code(build: Build) -> dict[str, int]:
    """How many papers could not be read, by code."""
    refused = build.papers.exclude(code="").values_list("code")
    counts = dict(refused.annotate(times=Count("pk")).order_by("code"))
    failed = build.papers.filter(state=TaskState.FAILED).count()
    return {**counts, "failed": failed} if failed else counts


def funnel(build: Build) -> list[Stage]:
    """The stages in order. What ends at a stage reached it and all before it."""
    counted = Candidate.objects.filter(paper__run=build).exclude(state=Candidate.State.PASSED)
    rows = counted.values_list("stage", "state", "code")
    ended: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for stage, state, code, times in rows.annotate(times=Count("pk")).order_by("stage", "state", "code"):
        ended[stage][state, code] = times
    stages, reached = [], 0
    for name, title in reversed(list(get_pipeline(build.protocol).stages.items())):
        here = ended[name]
        reached += sum(here.values())
        dropped = {code: times for (state, code), times in here.items() if state == Candidate.State.DROPPED}
        stages.append(Stage(name, title, reached, here.get((Candidate.State.ASKED, ""), 0), dropped))
    return stages[::-1]


def builds_like(build: Build) -> QuerySet[Build]:
    """The other builds of its protocol, the newest first."""
    return Build.objects.filter(protocol=build.protocol).exclude(pk=build.pk).order_by("-pk")


def calls_of(build: Build) -> dict[str, int]:
    """Requests that were made, the tokens that they took, and those that ended with an error."""
    found = StepCall.objects.filter(task__run=build).aggregate(
        calls=Count("pk"), failed=Count("pk", filter=~Q(error="")),
        sent=Sum("prompt_tokens"), received=Sum("completion_tokens"),
    )  # fmt: skip
    return {name: number or 0 for name, number in found.items()}


def papers_of(build: Build, code: str) -> QuerySet[BuildPaper]:
    """The papers of a build in order; with a code, those that it refused ("failed": that gave no answer)."""
    papers = build.papers.select_related("source").order_by("ordinal")
    if code == "failed":
        return papers.filter(state=TaskState.FAILED)
    return papers.filter(code=code) if code else papers


def licences_of(build: Build) -> list[tuple[str, int]]:
    """The licences of the papers, with how many have each; "" is unknown."""
    rows = BuildPaper.objects.filter(run=build).values_list("source__licence")
    return list(rows.annotate(times=Count("pk")).order_by("-times", "source__licence"))


def candidates_of(build: Build, chosen: Mapping[str, str] | None = None) -> QuerySet[Candidate]:
    """Candidates of a build in order, narrowed by the names in CHOICES; "decision" is that of a live review."""
    chosen = {name: value for name, value in (chosen or {}).items() if value}
    among = Candidate.objects.filter(paper__run=build)
    if "state" not in chosen:
        among = among.exclude(state=Candidate.State.PASSED)
    if decision := chosen.pop("decision", ""):
        live = Review.objects.filter(candidate=OuterRef("pk"), withdrawn_at=None, decision=decision)
        among = among.filter(Exists(live))
    among = among.filter(**{CHOICES[name]: value for name, value in chosen.items()})
    return among.select_related("paper__source").defer("lines").order_by("paper__ordinal", "place", "pk")


def neighbours(candidate: Candidate, among: QuerySet[Candidate]) -> tuple[int | None, int | None]:
    """The numbers of the candidates before and after it in that order."""
    paper, place = candidate.paper.ordinal, candidate.place
    same = Q(paper__ordinal=paper)
    before = among.filter(Q(paper__ordinal__lt=paper) | same & Q(place__lt=place)).reverse()
    after = among.filter(Q(paper__ordinal__gt=paper) | same & Q(place__gt=place))
    return (
        before.values_list("pk", flat=True).first(),
        after.values_list("pk", flat=True).first(),
    )


def steps_about(candidate: Candidate) -> QuerySet[Step]:
    """The questions that led to a candidate, in order: its own, and those about what led to it, such as its paper."""
    before = Q(candidate__paper=candidate.paper_id, candidate__state=Candidate.State.PASSED)
    steps = Step.objects.filter(Q(candidate=candidate) | before)
    return steps.select_related("candidate", "reused__run").prefetch_related("calls").order_by("pk")
