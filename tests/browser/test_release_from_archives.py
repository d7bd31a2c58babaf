"""From archives to a frozen, audited release of each recipe, in the browser, with the scripted model and a worker."""

import gzip
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from accounts.models import Expertise, User
from benchmark.models import Release
from construction.builds.actions import reconcile_builds
from construction.models import BuiltInstance
from construction.scripted import reply
from construction.sources.uploading import reconcile_sources
from llm.scripted import serving
from reports.construction.raters import raters
from tests.browser.setting_up import close, set_up
from tests.browser.test_five_protocols import offered
from tests.latex.hostile_archives import tar
from tests.latex.sources import SOURCES, files_of
from work.worker import drain

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "construction"
DOMAINS = ("analysis_pde", "algebra_number_theory", "combinatorics_discrete")
PATIENCE = 20_000  # ms
SMALL = {
    "min_entries": "1", "min_cited": "1", "min_cited_in_proofs": "1", "min_scout_score": "0", "quota": "1",
    "domains": ", ".join(DOMAINS),
}  # fmt: skip
# Recipe, numbers that differ, instances (as tests/construction/test_scripted.py counts them), rubric of the experts.
RECIPES = [
    ("masked_steps", {}, 8, "masked-steps-construction-v1"),
    ("lemmas", {}, 6, "lemmas-construction-v1"),
    ("re2math", SMALL, 3, "re2math-construction-v1"),
]


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.UPLOAD_DIR = tmp_path
    for place in ("construction.sources.uploading.ring", "construction.builds.actions.ring"):
        monkeypatch.setattr(place, lambda: None)
    with serving(reply) as model:
        settings.JUDGE_ENDPOINTS = json.dumps({"scripted": {"base_url": model.base_url, "private": True}})
        yield


def worked() -> None:
    """A worker until nothing waits, in a thread of its own: the browser has the event loop of this one."""

    def work() -> None:
        try:
            for _ in range(12):
                drain(shift_seconds=60)
                reconcile_sources()
                if not reconcile_builds()["waiting"]:
                    return
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(work).result()


def add_sources(page: Page, archives: list[Path], manifest: Path) -> None:
    page.goto("/construction/")
    page.get_by_role("link", name="Sources", exact=True).click()
    page.get_by_role("link", name="Add some here").click()
    page.get_by_label("Archives").set_input_files(archives)
    page.get_by_label("Manifest").set_input_files(manifest)
    page.get_by_role("button", name="Read the archives").click()
    worked()
    page.reload()
    page.get_by_role("button", name=f"Add {len(archives)} sources").click()
    worked()


def build(page: Page, protocol: str, numbers: dict[str, str], release: str) -> None:
    page.goto(f"/construction/builds/new/?protocol={protocol}")
    page.get_by_label("Name", exact=True).fill(release)
    page.get_by_label("Model", exact=True).fill("fixed-rules")
    if numbers:
        page.get_by_text("Numbers of the recipe").click()
    for name, value in numbers.items():
        page.locator(f'[name="n_{name}"]').fill(value)
    page.get_by_role("button", name="Estimate").click()
    page.get_by_label("Budget in tokens").fill("100000000")
    page.get_by_role("button", name="Begin the build").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(release)
    worked()
    page.goto(f"/construction/builds/{release}/release/")
    page.get_by_label("Name of the release").fill(release)
    page.get_by_role("button", name="Make the release").click()
    expect(page.get_by_text(f"This build has made the release {release}")).to_be_visible()


def graded(page: Page, by_chance: random.Random) -> int:
    """Every place of a reviewer's queue, each required question answered by lot."""
    page.goto("/grading/")
    times = 0
    while page.get_by_role("button", name="Grade next").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Grade next").click()
        while "/grading/items/" in page.url:
            expect(page.locator("#clock")).not_to_be_empty(timeout=PATIENCE)  # its scripts are there
            before = page.url
            for _, _, name, values in offered(page):
                page.locator(f'label:has([name="{name}"][value="{by_chance.choice(values)}"])').click()
            page.get_by_role("button", name="Submit").click()
            page.wait_for_url(lambda address, left=before: address != left)
            times += 1
    return times


def audited(page: Page, sign_in: Any, reviewers: list[User], protocol: str, rubric: str, name: str) -> None:
    """An audit by experts of one instance of each domain, from the page of the build's release to its results."""
    start = f"/grading/campaigns/new/?release={name}"  # as the page of the build's release has it
    expect(page.locator(f'a[href$="{start}"]')).to_have_text("Ask experts: new campaign")
    set_up(page, f"Audit of {name}", rubric, draw="Draw", start=start, extent="sample", each="1")
    drawn = len(set(Release.objects.get(name=name).instances.values_list("domain", flat=True)))
    for reviewer in reviewers:
        window = sign_in(reviewer)
        window.set_default_timeout(PATIENCE)
        assert graded(window, random.Random(protocol)) == drawn
        window.close()
    close(page, f"audit-of-{name}")
    release = Release.objects.get(name=name)
    assert release.frozen_at is not None  # by the draw
    for item in raters(release).agreement().items:
        assert sum(item.answers["experts"].values()) == drawn
        assert item.passed["experts"].method.startswith("wilson")
    page.goto(f"/reports/releases/{name}/construction/raters/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.get_by_text("experts").count()


@pytest.fixture
def reviewers(algebraist: User, analyst: User) -> list[User]:
    for reviewer in (algebraist, analyst):
        for domain in DOMAINS:
            Expertise.objects.create(user=reviewer, domain=domain, confidence=2)
    return [algebraist, analyst]


@pytest.mark.slow
def test_archives_become_frozen_and_audited_releases_of_all_three_recipes(
    sign_in, owner, coordinator, reviewers
):
    page = sign_in(owner)
    page.set_default_timeout(PATIENCE)
    add_sources(page, sorted(SAMPLE.glob("*.tex")), SAMPLE / "manifest.csv")
    for protocol, numbers, instances, rubric in RECIPES:
        name = f"mined-{protocol.replace('_', '-')}"
        build(page, protocol, numbers, name)
        assert BuiltInstance.objects.filter(instance__release__name=name).count() == instances
        audited(page, sign_in, reviewers, protocol, rubric, name)


# By hand: what works say that proofs of these sources cite, and a hint at each. The fixed rules know them in this test.
CITED = {
    "mazur-torsion": {
        "setup": "Let $p \\ge 5$ be a prime, and let $\\rho$ be the representation of the absolute Galois group of "
        "$\\mathbb{Q}$ on the points of order $p$ of the elliptic curve of a Frey package.",
        "tool": "The torsion subgroup of the rational points of an elliptic curve over $\\mathbb{Q}$ is "
        "$\\mathbb{Z}/n$ with $1 \\le n \\le 10$ or $n = 12$, or $\\mathbb{Z}/2 \\times \\mathbb{Z}/2m$ with "
        "$1 \\le m \\le 4$.",
        "anchor": "Exclude a rational line in the points of order $p$ by a bound for how many such points there are.",
    },
    "korf01": {
        "setup": "Observations $Y, Y_1, Y_2, \\ldots$ are independent with one law, $F(q)$ is the mean of "
        "$\\mathfrak{c}(Y, q)$, and $F_n(q)$ is the average of $\\mathfrak{c}(Y_i, q)$ over $i \\le n$.",
        "tool": "Let $f$ be a random lower semicontinuous function on a Polish space, and let the mean of its infimum "
        "be above $-\\infty$. Then averages of independent copies of $f$ epi-converge almost surely to its mean.",
        "anchor": "Go from averages over a sample to the mean in a sense that carries over to sets of minimisers.",
    },
    "adlerRandomFieldsGeometry2007": {
        "setup": "The field $f$ on a compact set of $\\mathbb{R}^N$ is Gaussian and smooth.",
        "tool": "For a centred Gaussian field $f$ from $\\mathbb{R}^N$ to $\\mathbb{R}^N$ with a nondegenerate law at "
        "each point and almost surely continuous derivatives, the mean number of its zeros in a compact set $T$ is "
        "$\\int_T \\mathbb{E}[|\\det \\nabla f(t)| \\mid f(t) = 0]\\, p_t(0)\\, \\mathrm{d}t$, where $p_t$ is the "
        "density of $f(t)$.",
        "anchor": "Count the points at which the gradient vanishes by an integral over the set.",
    },
    "elephant": {
        "setup": "All sets are those of a universe.",
        "tool": "A category with finite limits and a factorisation system that pullbacks preserve, whose right class "
        "is that of monomorphisms, is regular.",
        "anchor": "Reduce regularity to a way of splitting every map in two.",
    },
}


@pytest.mark.night
@pytest.mark.real_data
def test_books_and_papers_become_frozen_and_audited_releases(
    sign_in, owner, coordinator, reviewers, tmp_path, monkeypatch
):
    monkeypatch.setattr("construction.scripted._known", lambda: CITED)
    archives = []
    for name in SOURCES:
        archives.append(tmp_path / f"{name}.tar.gz")
        members = [(path, text.encode()) for path, text in files_of(name).items()]
        archives[-1].write_bytes(gzip.compress(tar(*members)))
    manifest = tmp_path / "manifest.csv"
    domains = {"hott": DOMAINS[1], "flt": DOMAINS[1]}
    lines = [f"{name}.tar.gz,{domains.get(name, DOMAINS[0])}\n" for name in SOURCES]
    manifest.write_text("file,domain\n" + "".join(lines))
    page = sign_in(owner)
    page.set_default_timeout(PATIENCE)
    add_sources(page, archives, manifest)
    # Of the two gaps, the book's cites a book, and only those that cite journal papers are selected.
    numbers = {"re2math": {**SMALL, "domains": DOMAINS[0]}}
    for protocol, _, _, rubric in RECIPES:
        name = f"mined-{protocol.replace('_', '-')}"
        build(page, protocol, numbers.get(protocol, {}), name)
        made = BuiltInstance.objects.filter(instance__release__name=name)
        assert made.exists()
        print(name, made.count(), "instances")
        audited(page, sign_in, reviewers, protocol, rubric, name)
