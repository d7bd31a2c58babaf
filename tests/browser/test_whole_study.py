"""A whole study in a browser, against a real server and a real worker: what is exported is what was clicked.

Six problems, four systems, nine reviewers with fields and conflicts. A coordinator sets up a round of grading and
one of comparisons with mirrored repeats in six steps each; reviewers work with the mouse, one of them with the
keyboard alone; graders' differences are settled; two people unblind; a worker prints the report. The test keeps
its own record of every click and knows an answer by a sentence in its text, as a reader would.
"""

import csv
import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP
from tests.browser.setting_up import close, set_up
from tests.browser.study_seed import CONFLICTS, PROBLEMS, REVIEWERS, SYSTEMS, sentence
from tests.browser.watching import Faults
from tests.deployment import ROOT, Deployment, deployed

pytestmark = pytest.mark.browser
FIRST_PORT = 18400
BY_KEYBOARD = "geo2"
ANSWERS = {sentence(problem, system): (problem, system) for problem in PROBLEMS for system in SYSTEMS}
Click = tuple[str, str, str, str, str]  # rater, subject, system (left|right as shown), question, value


class Study:
    """The site, a window for each person, and the record of what they clicked."""

    def __init__(self, deployment: Deployment, browser: Any, folder: Path) -> None:
        self.deployment, self.browser = deployment, browser
        folder.mkdir()
        command = [sys.executable, "-m", "tests.browser.study_seed", str(folder)]
        seeded = subprocess.run(
            command, cwd=ROOT, env=deployment.environment, capture_output=True, text=True, check=True
        )
        told = json.loads(seeded.stdout)
        self.sessions: dict[str, str] = told["sessions"]
        self.raters: dict[str, str] = told["raters"]
        self.windows: dict[str, Page] = {}
        self.faults = Faults()
        self.clicks: list[Click] = []
        self.by_chance = random.Random(20261121)
        self.url = deployment.web(FIRST_PORT)
        deployment.worker()

    def window(self, person: str) -> Page:
        if person not in self.windows:
            context = self.browser.new_context(base_url=self.url, viewport=DESKTOP)
            context.set_default_timeout(60_000)
            cookie = {"name": "sessionid", "value": self.sessions[person], "url": self.url}
            context.add_cookies([cookie])
            self.windows[person] = context.new_page()
            self.faults.watch(self.windows[person])
        return self.windows[person]

    def note(self, person: str, subject: str, system: str, chosen: dict[str, str]) -> None:
        rater = self.raters[f"{person}@study.test"]
        self.clicks += [(rater, subject, system, question, value) for question, value in chosen.items()]


@pytest.fixture
def study(tmp_path: Path, chromium: Any) -> Iterator[Study]:
    with deployed(tmp_path) as deployment:
        study = Study(deployment, chromium, tmp_path / "files")
        yield study
        for page in study.windows.values():
            page.context.close()


def grade_everything(study: Study, person: str) -> int:
    """Work through the person's queue; returns how many places it had."""
    page = study.window(person)
    page.goto("/grading/")
    done = 0
    while page.get_by_role("button", name="Grade next").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Grade next").click()
        while "/grading/items/" in page.url:
            grade_one(study, person, page)
            done += 1
    return done


def grade_one(study: Study, person: str, page: Page) -> None:
    expect(page.locator("#clock")).not_to_be_empty()  # its scripts are there
    read = [ANSWERS[found] for found in written(page)]
    options = page.locator("fieldset[data-question]").evaluate_all(
        """(sets) => sets.map((set) => [
            set.dataset.question, [...set.querySelectorAll("input[type=radio]")].map((radio) => radio.value)])"""
    )
    chosen = {question: study.by_chance.choice(values) for question, values in options if values}
    before = page.url
    if person == BY_KEYBOARD:
        by_keyboard(page, options, chosen)
    else:
        for question, value in chosen.items():
            page.locator(f'label.choice:has([name="answer-{question}"][value="{value}"])').click()
        page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda address: address != before)
    problem = read[0][0]
    systems = [system for _, system in read]
    subject = f"{problem}/{'|'.join(sorted(systems))}/1"
    study.note(person, subject, "|".join(systems), chosen)


def written(page: Page) -> list[str]:
    """The sentence that tells each shown answer from all others, from left to right."""
    shown = page.locator("section.proof").all_inner_texts()
    return [next(known for known in ANSWERS if known in text) for text in shown]


def by_keyboard(page: Page, options: list[Any], chosen: dict[str, str]) -> None:
    """Keys answer the question that has the turn, the arrow goes to the next one, Ctrl+Enter submits.

    Between the digits of a scale, such as 0.25, the arrows lead from 0.
    """
    for question, values in options:
        if question in chosen:
            choice = page.locator(f'label.choice:has([name="answer-{question}"][value="{chosen[question]}"])')
            key = choice.get_attribute("data-key")
            page.keyboard.press(key or "0")
            for _ in range(0 if key else values.index(chosen[question])):
                page.keyboard.press("ArrowRight")
            expect(choice.locator("input")).to_be_checked()
        if question != options[-1][0]:
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+Enter")


def settle(page: Page, campaign: str) -> list[str]:
    """Decide the first split question of three items, for the first grader; returns what was decided."""
    decided: list[str] = []
    for number in range(3):
        page.goto(f"/grading/campaigns/{campaign}/adjudication/")
        rows = page.locator("tbody tr", has=page.locator(".badge", has_text="split"))
        if rows.count() <= number:
            return decided
        with page.expect_navigation():
            rows.nth(number).get_by_role("link").click()
        assert not any(system in page.locator("main").inner_text().lower() for system in SYSTEMS)
        disputed = page.locator("section.disputed", has=page.locator(".badge", has_text="split")).first
        given = disputed.locator("dd strong").first.inner_text()
        disputed.locator("label.choice-line", has=page.locator(f'input[value="{given}"]')).click()
        disputed.get_by_role("button", name="Decide").click()
        decided.append(given)
        expect(page.locator(".decisions li")).to_have_count(1)
    return decided


def exported(page: Page, campaign: str, rater_kind: str = "expert") -> set[Click]:
    reply = page.request.get("/reports/releases/sheet/labels.csv", params={"identities": "1"})
    assert reply.ok
    rows = csv.DictReader(io.StringIO(reply.text()))
    return {
        (row["rater"], row["subject"], row["system"], row["question"], row["value"])
        for row in rows
        if row["campaign"] == campaign and row["rater_kind"] == rater_kind
    }


def unblind(study: Study, campaign: str) -> None:
    carl, owner = study.window("carl"), study.window("owner")
    carl.goto(f"/grading/campaigns/{campaign}/")
    carl.locator("#unblinding-reason").fill("Everything is settled.")
    carl.get_by_role("button", name="Request unblinding").click()
    expect(carl.get_by_role("button", name="Confirm and show the systems")).to_have_count(0)
    owner.goto(f"/grading/campaigns/{campaign}/")
    owner.get_by_role("button", name="Confirm and show the systems").click()
    expect(owner.locator("main")).to_contain_text("confirmed by")


def print_report(page: Page) -> bytes:
    """Asked for on the page, printed by the worker."""
    page.goto("/reports/releases/sheet/printed/")
    page.get_by_role("button", name="Print").click()
    download = page.get_by_role("link", name="Download")
    for _ in range(120):
        if download.count():
            break
        page.wait_for_timeout(1000)
        page.reload()
    return bytes(page.request.get(str(download.get_attribute("href"))).body())


@pytest.mark.slow
def test_a_whole_study_exports_what_was_clicked(study: Study) -> None:
    carl = study.window("carl")
    set_up(carl, "Grading", "proofs-v1", draw="Draw 24 items and plan")
    assert sum(grade_everything(study, person) for person in REVIEWERS) == 24 * 2
    graded, study.clicks = study.clicks, []
    for person, system in CONFLICTS.items():
        mine = {click[2] for click in graded if click[0] == study.raters[f"{person}@study.test"]}
        assert system not in mine
    close(carl, "grading")
    decided = settle(carl, "grading")
    assert len(decided) == 3

    compared_systems = ("aurora", "basalt")
    set_up(
        carl,
        "Pairs",
        "proofs-pairs-v1",
        draw="Draw 6 items and plan",
        systems=compared_systems,
        mirrored="50",
    )
    assert sum(grade_everything(study, person) for person in REVIEWERS) == 6 * 2 + 3 * 2
    compared = study.clicks
    sides: dict[tuple[str, str], list[str]] = {}
    for rater, subject, system, question, _ in compared:
        if question == "preference":
            sides.setdefault((rater, subject), []).append(system)
    repeated = [shown for shown in sides.values() if len(shown) == 2]
    assert len(repeated) == 3 * 2
    assert all(sorted(shown) == ["aurora|basalt", "basalt|aurora"] for shown in repeated)
    close(carl, "pairs")

    unblind(study, "grading")
    owner = study.window("owner")
    assert exported(owner, "grading") == set(graded)
    assert len(set(graded)) == len(graded)
    settled = exported(owner, "grading", "adjudicator")
    assert sorted(value for *_, value in settled) == sorted(decided)
    assert {click[1:4] for click in settled} <= {click[1:4] for click in graded}
    assert exported(owner, "pairs") == set(compared)
    assert print_report(owner)[:5] == b"%PDF-"
    assert "rules hold" in study.deployment.manage("check_invariants")
    assert study.faults.unforgiven() == []
