"""Nothing that a reviewer receives predicts a system, and nothing changes when somebody else grades."""

from statistics import NormalDist

import pytest
from django.test import Client
from django.urls import reverse

from annotation.assigning.actions import apply_plan, plan_assignment
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.models import Assignment
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.annotation.test_blindness import crawl, steady
from tests.conftest import member
from tests.factories import CampaignFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory

pytestmark = pytest.mark.django_db

SYSTEMS, PROBLEMS, REVIEWERS = 10, 12, 4
Z = NormalDist().inv_cdf(0.9995)


def auc(early: list[float], late: list[float]) -> float:
    """The chance that a place of a late system is higher than one of an early system."""
    wins = sum((first < then) + (first == then) / 2 for first in early for then in late)
    return wins / (len(early) * len(late))


def margin(early: int, late: int) -> float:
    """Half of the 99.9 % interval of an AUC that tells nothing (Mann and Whitney 1947)."""
    return Z * ((early + late + 1) / (12 * early * late)) ** 0.5


@pytest.fixture
def work(settings, rubric, coordinator):
    """Ten systems imported one after another, all their answers planned for four reviewers."""
    settings.SECRET_KEY = "the same order in every run of this test, " * 2
    release = ReleaseFactory(name="ten")
    problems = [InstanceFactory(release=release, domain="algebra") for _ in range(PROBLEMS)]
    for number in range(SYSTEMS):
        run = RunFactory(release=release, system__slug=f"system-{number}")
        for problem in problems:
            OutputFactory(run=run, instance=problem)
    people = [member(f"r{n}@study.test", f"R{n}", "reviewer", "algebra") for n in range(REVIEWERS)]
    campaign = CampaignFactory(release=release, rubric=rubric, reviewers_per_item=REVIEWERS)
    draw_items(actor=coordinator, campaign=campaign)
    apply_plan(actor=coordinator, campaign=campaign, sha256=plan_assignment(campaign).sha256)
    open_campaign(actor=coordinator, campaign=campaign)
    return people


def received(person) -> list[dict]:
    """The reviewer's queue as REST gives it."""
    client = Client()
    client.force_login(person)
    return client.get(reverse("api-queue")).json()


def test_neither_order_nor_handles_nor_times_predict_the_system(work):
    systems = dict(Assignment.objects.values_list("handle", "item__output__run__system__slug"))
    rows = dict(Assignment.objects.values_list("handle", "item__output_id"))
    guesses: dict[str, list[float]] = {"place in the queue": [], "handle": [], "row of the output": []}
    for person in work:
        queue = received(person)
        assert len(queue) == SYSTEMS * PROBLEMS
        assert len({str(entry.get("assigned_at")) for entry in queue}) == 1
        handles = [entry["handle"] for entry in queue]
        alphabet = sorted(handles)
        for name, value in (
            ("place in the queue", handles.index),
            ("handle", alphabet.index),
            ("row of the output", rows.__getitem__),
        ):
            early, late = ([], [])
            for handle in handles:
                (early if systems[handle] < "system-5" else late).append(float(value(handle)))
            guesses[name].append(auc(early, late))
    per_half = SYSTEMS * PROBLEMS // 2
    allowed = margin(per_half, per_half) / REVIEWERS**0.5
    found = {name: sum(values) / REVIEWERS for name, values in guesses.items()}
    assert found.pop("row of the output") == 1  # the control: what a leak would look like
    assert {name: value for name, value in found.items() if abs(value - 0.5) > allowed} == {}


def test_what_a_reviewer_receives_is_the_same_before_and_after_another_one_grades(
    opened, rubric, algebraist, second_algebraist, coordinator
):
    apply_plan(actor=coordinator, campaign=opened, sha256=plan_assignment(opened).sha256)
    client = Client()
    client.force_login(algebraist)
    starts = [reverse("queue"), reverse("finished"), reverse("api-queue"), "/"]
    before = {address: steady(text) for address, text in crawl(client, *starts).items()}
    for place in Assignment.objects.filter(reviewer=second_algebraist):
        submit_grade(
            reviewer=second_algebraist,
            assignment=place,
            content={**COMPLETE, "note": "Only mine."},
            idempotency_key="k",
            rubric_sha256=rubric.sha256,
        )
    assert Assignment.objects.filter(reviewer=second_algebraist, state="submitted").exists()
    after = {address: steady(text) for address, text in crawl(client, *starts).items()}
    assert sum("/grading/items/" in address for address in before) >= 2
    assert {a for a in before | after if before.get(a) != after.get(a)} == set()
    mine = Assignment.objects.filter(reviewer=algebraist).values_list("handle", flat=True)
    for handle in Assignment.objects.exclude(handle__in=list(mine)).values_list("handle", flat=True):
        assert client.get(reverse("grade", args=[handle])).status_code == 404
        assert client.get(reverse("api-assignment", args=[handle])).status_code == 404
