"""What REST says about builds, as documents: funnels, candidates, selections, releases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from canonical.documents import Free
from construction.builds.funnels import Choice, Row, domain_matrix
from construction.builds.queries import steps_about
from construction.builds.releasing import standings
from construction.builds.showing import shown_lines
from construction.models import Build, Candidate
from construction.pipeline import get_pipeline
from construction.recipes.about import described


@dataclass(frozen=True)
class NumberDocument:
    """A number of a recipe: what it is, ours, the paper's in words, and why ours differs."""

    name: str
    what: str
    ours: Free[Any]
    paper: str
    why: str


@dataclass(frozen=True)
class PromptDocument:
    label: str
    sha256: str
    words: str


@dataclass(frozen=True)
class RecipeDocument:
    """A recipe: its numbers, stages in order, and prompts."""

    protocol: str
    numbers: Sequence[NumberDocument]
    stages: Mapping[str, str]
    prompts: Sequence[PromptDocument]


@dataclass(frozen=True)
class StageDocument:
    """A row of a funnel: reached = kept + waiting + the sum of dropped."""

    stage: str
    title: str
    counts: str
    reached: int
    kept: int
    waiting: int
    dropped: Mapping[str, int]


@dataclass(frozen=True)
class DomainDocument:
    """A domain of the quotas; `missing` is what its quota lacks."""

    domain: str
    papers: int
    lines: int
    passed: int
    given: int
    quota: int
    missing: int


@dataclass(frozen=True)
class StringDocument:
    """A string of a line: its text, the prompt of the model that wrote or pointed to it, and its places."""

    name: str
    text: str
    written_by: str
    program: str
    places: Free[Any]


@dataclass(frozen=True)
class StepDocument:
    """A question about a candidate. `reply` is the model's, word for word."""

    stage: str
    prompt: str
    prompt_sha256: str
    state: str
    reply: str
    reused_from: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class ReviewDocument:
    decision: str
    reason: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    by: str
    at: str
    withdrawn_at: str | None


@dataclass(frozen=True)
class CandidateDocument:
    """A candidate with its lines as they are now, repairs done, its questions and decisions."""

    id: int
    paper: str
    key: str
    stage: str
    state: str
    code: str
    sentence: str
    places: Free[Any]
    lines: Free[Any]
    faults: Sequence[str]
    strings: Sequence[StringDocument]
    steps: Sequence[StepDocument]
    reviews: Sequence[ReviewDocument]


@dataclass(frozen=True)
class StandingDocument:
    """A line in the selection. `rank` is 0 where lines do not compete; `code` says why it was not selected."""

    candidate: int
    paper: str
    key: str
    domain: str
    selected: bool
    rank: int
    points: float
    points_by_rule: Mapping[str, float]
    code: str
    sentence: str


@dataclass(frozen=True)
class SelectionDocument:
    """The lines of a build that has ended, best first by domain, and why there can be no release."""

    build: str
    selected: int
    shortages: Sequence[str]
    domains: Sequence[DomainDocument]
    lines: Sequence[StandingDocument]


def recipe_document(protocol: str) -> RecipeDocument:
    """The recipe of a protocol."""
    pipeline = get_pipeline(protocol)
    numbers = described(pipeline.numbers)
    return RecipeDocument(
        protocol,
        [NumberDocument(one.name, one.what, one.ours, one.paper, one.why) for one in numbers],
        dict(pipeline.stages),
        [PromptDocument(prompt.label, prompt.sha256, prompt.words) for prompt in pipeline.prompts],
    )


def stage_documents(rows: Sequence[Row]) -> list[StageDocument]:
    """The rows of a funnel."""
    return [
        StageDocument(row.stage, row.title, row.counts, row.reached, row.kept, row.waiting, dict(row.dropped))
        for row in rows
    ]


def domain_documents(build: Build, choice: Choice | None) -> list[DomainDocument]:
    """The domains of the quotas, none while the build has not ended."""
    return [
        DomainDocument(
            row.quota.domain, row.papers, row.made, row.quota.passed, row.quota.given, row.quota.wanted,
            row.quota.missing,
        )
        for row in (domain_matrix(build, choice) if choice else [])
    ]  # fmt: skip


def candidate_document(candidate: Candidate) -> CandidateDocument:
    """Everything about one candidate."""
    reviews = list(candidate.reviews.select_related("by").order_by("pk"))
    live = next((one for one in reviews if one.withdrawn_at is None), None)
    lines = shown_lines(candidate, live)
    steps = []
    for step in steps_about(candidate):
        calls = step.calls.all()
        steps.append(
            StepDocument(
                step.stage,
                step.prompt,
                step.prompt_sha256,
                step.state,
                step.text,
                step.reused.run.name if step.reused else "",
                len(calls),
                sum(call.prompt_tokens or 0 for call in calls),
                sum(call.completion_tokens or 0 for call in calls),
            )
        )
    return CandidateDocument(
        id=candidate.pk,
        paper=str(candidate.paper.source),
        key=candidate.key,
        stage=candidate.stage,
        state=candidate.state,
        code=candidate.code,
        sentence=candidate.sentence,
        places=candidate.places,
        lines=[line.line for line in lines],
        faults=[line.fault for line in lines if line.fault],
        strings=[
            StringDocument(
                string.name,
                string.text,
                string.written_by,
                string.program,
                [list(place) for place in string.places],
            )
            for line in lines
            for string in line.strings
        ],
        steps=steps,
        reviews=[
            ReviewDocument(
                one.decision,
                one.reason,
                one.before,
                one.after,
                one.by.email,
                one.at.isoformat(),
                one.withdrawn_at.isoformat() if one.withdrawn_at else None,
            )
            for one in reviews
        ],
    )


def selection_document(build: Build, choice: Choice) -> SelectionDocument:
    """Every line with what the selection says about it."""
    return SelectionDocument(
        build.name,
        len(choice.selected.places),
        [drop.sentence for drop in choice.selected.shortages],
        domain_documents(build, choice),
        [
            StandingDocument(
                one.line.candidate.pk,
                str(one.line.candidate.paper.source),
                one.line.candidate.key,
                one.line.candidate.paper.source.domain,
                one.is_selected,
                one.rank,
                one.total,
                dict(one.points),
                one.reason.code if one.reason else "",
                one.reason.sentence if one.reason else "",
            )
            for one in standings(choice)
        ],
    )
