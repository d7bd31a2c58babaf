"""Fixtures: an open campaign over two algebra problems and one in analysis, answered by two systems."""

import pytest

from accounts.models import Conflict, User
from accounts.profile.actions import declare_conflict
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import close_campaign, draw_items, open_campaign
from annotation.conflicts.actions import decide_conflict
from annotation.models import Assignment, Campaign, Item
from benchmark.rubrics import rubric_from_content
from tests.annotation.grading import graded_by
from tests.annotation.samples import QUESTIONS
from tests.conftest import member
from tests.factories import (
    CampaignFactory,
    InstanceFactory,
    OutputFactory,
    PaperFactory,
    ReleaseFactory,
    RubricFactory,
    RunFactory,
)


def decided(person: User, coordinator: User, *targets: tuple[str, str], kind: str = "system") -> Conflict:
    """A conflict of the person's that a coordinator decided: it excludes the targets."""
    words = ", ".join(key for _, key in targets) or "somebody unknown here"
    conflict = declare_conflict(actor=person, kind=kind, key=words)
    return decide_conflict(actor=coordinator, conflict=conflict, targets=targets)


@pytest.fixture
def rubric(db):
    content = {"name": "test", "version": 1, "kind": "grade", "title": "Test", "questions": QUESTIONS}
    return RubricFactory(name="test", content=content, sha256=rubric_from_content(content).sha256)


@pytest.fixture
def drafted(coordinator: User, rubric) -> Campaign:
    release = ReleaseFactory(name="sheet")
    paper = PaperFactory(release=release, key="paper-a")
    problems = [
        InstanceFactory(release=release, key="a1", domain="algebra", paper=paper),
        InstanceFactory(release=release, key="a2", domain="algebra"),
        InstanceFactory(release=release, key="c1", domain="analysis"),
    ]
    for slug in ("first-system", "second-system"):
        run = RunFactory(release=release, system__slug=slug)
        for problem in problems:
            OutputFactory(run=run, instance=problem, text=f"Proof of {problem.key}.\n\nTwo is two.")
    return CampaignFactory(
        slug="round-1", name="Round one", release=release, rubric=rubric, reviewers_per_item=2
    )


@pytest.fixture
def opened(drafted: Campaign, coordinator: User) -> Campaign:
    draw_items(actor=coordinator, campaign=drafted)
    return open_campaign(actor=coordinator, campaign=drafted)


@pytest.fixture
def second_algebraist(db) -> User:
    return member("bea@study.test", "Bea Algebraist", "reviewer", "algebra")


@pytest.fixture
def split(opened: Campaign, coordinator: User, algebraist: User, second_algebraist: User) -> Item:
    """An item of the campaign, closed since, on whose correctness its two graders differ."""
    item = graded_by(algebraist, opened, correctness="correct", rigour="3")
    graded_by(second_algebraist, opened, item=item, correctness="incorrect", rigour="3")
    close_campaign(actor=coordinator, campaign=opened, reason="A rehearsal.")
    return item


@pytest.fixture
def place(opened: Campaign, algebraist: User) -> Assignment:
    """The algebraist's place on their first item."""
    return take_next(reviewer=algebraist, campaign=opened)
