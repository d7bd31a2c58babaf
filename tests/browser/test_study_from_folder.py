"""From a folder of what systems sent to an open campaign, by browser alone, as a new user does it; then it is graded.

`SHOTS=FOLDER` keeps a picture of every step at 1280 and 390 pixels, light and dark.
"""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.benchmark.test_collecting import study as files_of_study
from tests.browser.conftest import DESKTOP
from tests.browser.watching import Faults
from tests.deployment import Deployment, deployed

pytestmark = pytest.mark.browser
FIRST_PORT = 18600
REFEREES = [f"referee{number}@study.test" for number in (1, 2, 3)]
WORDS = "seven quiet lemmas asleep"
MOST_CLICKS = 25


class Walk:
    """A site of its own with a worker; windows of people; the clicks of the coordinator, and pictures of each step."""

    def __init__(self, deployment: Deployment, browser: Any) -> None:
        self.deployment, self.browser = deployment, browser
        self.faults, self.pages, self.clicks, self.steps = Faults(), [], 0, 0
        self.url = deployment.web(FIRST_PORT)
        deployment.worker()

    def window(self, **size: Any) -> Page:
        context = self.browser.new_context(base_url=self.url, viewport=DESKTOP, **size)
        context.set_default_timeout(60_000)
        page: Page = context.new_page()
        self.faults.watch(page)
        self.pages.append(page)
        return page

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def look(self, page: Page) -> None:
        if not (folder := os.environ.get("SHOTS")):
            return
        self.steps += 1
        page.wait_for_load_state("networkidle")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 900})
                page.screenshot(path=f"{folder}/{self.steps:02}-{width}-{scheme}.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESKTOP)

    def join(self, page: Page, link: str, name: str, domain: str = "") -> None:
        """Accept an invitation and sign in."""
        page.goto(link)
        page.locator('[name="name"]').fill(name)
        for field in ("password", "again"):
            page.locator(f'[name="{field}"]').fill(WORDS)
        if domain:
            page.locator('[name="domains-0-domain"]').fill(domain)
        email = page.locator("main strong").nth(1).inner_text()
        page.get_by_role("button", name="Create the account").click()
        page.get_by_label("Email").fill(email)
        page.get_by_label("Password").fill(WORDS)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url(lambda address: "/accounts/" not in address)


@pytest.fixture
def walk(tmp_path: Path, chromium: Any) -> Iterator[Walk]:
    with deployed(tmp_path, TOUCHSTONE_REQUIRE_MFA="0") as deployment:
        deployment.manage("collectstatic", "--noinput", "--verbosity", "0")
        deployment.manage("createcachetable", "--verbosity", "0")
        walk = Walk(deployment, chromium)
        yield walk
        for page in walk.pages:
            page.context.close()


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    for name, content in files_of_study(request.param).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return (tmp_path / "study").rename(tmp_path / "ten-proofs")


@pytest.mark.parametrize("folder", [2, pytest.param(10, marks=pytest.mark.night)], indirect=True)
def test_a_folder_becomes_an_open_campaign_in_few_clicks(walk: Walk, folder: Path) -> None:
    link = re.search(r"http\S+", walk.deployment.manage("create_owner", "nora@study.test"))
    assert link
    page = walk.window()
    walk.join(page, link[0], "Nora Feld")
    began = time.monotonic()
    import_folder(walk, page, folder)
    compose_form(walk, page)
    links = invite(walk, page)
    for number, address in enumerate(links, start=1):
        walk.join(walk.window(), address, f"Referee {number}", "mathematics")
    open_campaign(walk, page)
    minutes = (time.monotonic() - began) / 60
    print(f"{walk.clicks} clicks, {minutes:.1f} minutes")
    assert walk.clicks <= MOST_CLICKS
    expect(page.get_by_text("rubric referee-v1")).to_be_visible()
    assert minutes < 15
    expect(page.get_by_text("Open", exact=True).first).to_be_visible()
    assert walk.faults.unforgiven() == []


def import_folder(walk: Walk, page: Page, folder: Path) -> None:
    expect(page.get_by_role("heading", name="No study yet")).to_be_visible()
    walk.look(page)
    walk.click(page.get_by_role("link", name="New study", exact=True))
    expect(page.get_by_text("Choose a folder")).to_be_visible()  # its script is at work
    page.locator("#folder").set_input_files(str(folder))
    walk.clicks += 1
    expect(page.locator("#chosen")).to_contain_text("are chosen")
    walk.look(page)
    walk.click(page.get_by_role("button", name="Continue"))
    expect(page.get_by_text("4 systems from alpha to gamma")).to_be_visible()
    walk.look(page)
    walk.click(page.get_by_role("button", name="Check the files"))
    report = page.get_by_role("link", name="What would change")
    button = page.get_by_role("button", name="Import exactly this")
    expect(report.or_(button).first).to_be_visible()
    if not button.is_visible():
        walk.click(report)
    walk.look(page)
    walk.click(button)
    study = page.get_by_role("link", name="To the study")
    for _ in range(60):
        if study.is_visible():
            break
        page.wait_for_timeout(2000)
        page.reload()
    walk.look(page)
    walk.click(study)
    expect(page.get_by_role("heading", level=1, name="ten-proofs")).to_be_visible()
    walk.look(page)


def compose_form(walk: Walk, page: Page) -> None:
    walk.click(page.locator(".steps").get_by_role("link", name="Forms"))
    section = page.locator("section", has=page.get_by_role("heading", name="Whole proofs"))
    walk.look(page)
    walk.click(section.get_by_role("button", name="Write"))
    walk.look(page)
    walk.click(page.get_by_role("button", name="Use this version"))
    page.wait_for_url("**/rubrics/")
    back_to_the_study(walk, page)


def back_to_the_study(walk: Walk, page: Page) -> None:
    walk.click(page.get_by_role("navigation", name="Main").get_by_role("link", name="Studies"))
    walk.click(page.get_by_role("link", name="ten-proofs"))


def invite(walk: Walk, page: Page) -> list[str]:
    walk.click(page.locator(".steps").get_by_role("link", name="Invite"))
    page.get_by_label("Email addresses").fill("\n".join(REFEREES))
    walk.look(page)
    walk.click(page.get_by_role("button", name="Invite", exact=True))
    links = [box.input_value() for box in page.locator("input.link").all()]
    assert len(links) == len(REFEREES)
    walk.look(page)
    back_to_the_study(walk, page)
    return links


def open_campaign(walk: Walk, page: Page) -> None:
    walk.look(page)
    walk.click(page.get_by_role("link", name="Set up grading"))
    page.locator('[name="name"]').fill("Referee round")
    walk.click(page.get_by_role("radio", name="Referee"))
    walk.look(page)
    for step in ("items", "people", "options", "plan"):
        walk.click(page.get_by_role("button", name="Save and continue"))
        page.wait_for_url(f"**/setup/{step}/")
        if step == "people":
            page.locator('[name="reviewers_per_item"]').fill("3")
        walk.look(page)
    draw = page.get_by_role("button", name=re.compile("^Draw"))
    if draw.is_visible():
        walk.click(draw)
    walk.look(page)
    walk.click(page.get_by_role("button", name="Apply this plan"))
    walk.look(page)
    walk.click(page.get_by_role("button", name="Open to reviewers"))
    page.wait_for_url("**/campaigns/referee-round/")
    walk.look(page)
