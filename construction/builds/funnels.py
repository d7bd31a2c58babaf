"""The whole funnel of a build: papers, stages of the recipe, what people dropped, and what the release takes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from construction.builds.emission import Line, lines_of, selected
from construction.builds.queries import funnel, papers_by_code
from construction.models import Build, Candidate, Decision, Review
from construction.pipeline import Quota, Selected, get_pipeline
from work.models import RunState, TaskState

BY_HAND = "by_hand"
COLUMNS = ("build", "counts", "stage", "title", "reached", "kept", "waiting", "code", "dropped")


@dataclass(frozen=True)
class Row:
    """One stage: of what `reached` it some was kept, some waits, and the others were dropped, by code.

    `counts` says of what: papers, candidates or lines. Each number is counted by itself.
    """

    stage: str
    title: str
    counts: str
    reached: int
    kept: int
    waiting: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """The lines of a build that has ended, and which of them a release takes."""

    lines: list[Line]
    selected: Selected


def choice_of(build: Build) -> Choice | None:
    """What a release of the build takes; None while the build has not ended."""
    if build.state != RunState.DONE:
        return None
    lines = lines_of(build)
    return Choice(lines, selected(build, lines))


def rows_of(build: Build, choice: Choice | None = None) -> list[Row]:
    """The rows of the funnel; with a `choice`, those of the reviews and of the selection too."""
    states = Counter(build.papers.filter(code="").values_list("state", flat=True))
    open_ = states[TaskState.WAITING] + states[TaskState.LEASED]
    rows = [
        Row(
            "read", "Papers that were read", "papers", build.papers.count(), states[TaskState.DONE], open_,
            papers_by_code(build),
        )
    ]  # fmt: skip
    stages = funnel(build)
    # What a stage kept is what reached the next one, and of the last what came to lines.
    made = Candidate.objects.filter(paper__run=build, state=Candidate.State.MADE)
    went_on = [*(stage.reached for stage in stages[1:]), made.count()]
    for stage, kept in zip(stages, went_on, strict=True):
        rows.append(
            Row(stage.name, stage.title, "candidates", stage.reached, kept, stage.waiting, stage.dropped)
        )
    if choice is not None:
        live = Review.objects.filter(candidate=OuterRef("pk"), withdrawn_at=None, decision=Decision.DROP)
        dropped = made.filter(Exists(live)).count()
        kept = made.exclude(Exists(live)).count()
        by_hand = {BY_HAND: dropped} if dropped else {}
        title = "Candidates that nobody dropped"
        rows.append(Row("review", title, "candidates", made.count(), kept, dropped=by_hand))
        codes = Counter(drop.code for drop in choice.selected.reasons.values())
        taken = len(choice.selected.places)
        # Without a release because of a shortage, lines that nothing speaks against wait for more papers.
        waiting = len(choice.lines) - sum(codes.values()) if choice.selected.shortages else 0
        title = "Lines that the release takes"
        rows.append(Row("selection", title, "lines", len(choice.lines), taken, waiting, dict(codes)))
    return rows


def table(build: Build, rows: list[Row]) -> Iterator[list[object]]:
    """The funnel as a table: a line for each stage, and one for each code of it with how many were dropped."""
    yield list(COLUMNS)
    for row in rows:
        start: list[object] = [
            build.name,
            row.counts,
            row.stage,
            row.title,
            row.reached,
            row.kept,
            row.waiting,
        ]
        yield [*start, "", sum(row.dropped.values())]
        for code, times in sorted(row.dropped.items()):
            yield [build.name, row.counts, row.stage, row.title, "", "", "", code, times]


@dataclass(frozen=True)
class DomainRow:
    """A domain of the quotas: its papers in the build, and the candidates that came to lines."""

    quota: Quota
    papers: int
    made: int


def domain_matrix(build: Build, choice: Choice) -> list[DomainRow]:
    """How each domain does against its quota; empty for a recipe without quotas."""
    papers = Counter(build.papers.values_list("source__domain", flat=True))
    made = Counter(line.candidate.paper.source.domain for line in choice.lines)
    return [DomainRow(quota, papers[quota.domain], made[quota.domain]) for quota in choice.selected.quotas]


def stage_titles(build: Build) -> Mapping[str, str]:
    """The stages of the build's recipe with their titles."""
    return get_pipeline(build.protocol).stages
