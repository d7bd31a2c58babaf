"""From a folder of what systems sent to reports for their authors, by browser alone, as new users do it.

One referee works with a mouse, one with the keyboard, one on a phone. `SHOTS=FOLDER` keeps a picture of every step at
1280 and 390 pixels, light and dark.
"""

import csv
import io
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.benchmark.test_collecting import study as files_of_study
from tests.browser.conftest import DESKTOP
from tests.browser.watching import Faults
from tests.deployment import Deployment, deployed
from tests.reports.reading_pdf import text_of

pytestmark = pytest.mark.browser
FIRST_PORT = 18600
REFEREES = [f"referee{number}@study.test" for number in (1, 2, 3)]
WORDS = "seven quiet lemmas asleep"
MOST_CLICKS = 25
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SOLVED = ("flawless", "minor revision")
LEVELS = (*SOLVED, "major revision", "reject")
DOUBT, ODD, UNSEEN, CIRCULAR = (
    "Why is this enough?",
    "This figure is odd.",
    "I do not see this step.",
    "This is circular.",
)


class Walk:
    """A site of its own with a worker; windows of people; the clicks of the coordinator, and pictures of each step."""

    def __init__(self, deployment: Deployment, browser: Any) -> None:
        self.deployment, self.browser = deployment, browser
        self.faults, self.pages, self.clicks, self.steps = Faults(), [], 0, 0
        self.url = deployment.web(FIRST_PORT)
        deployment.worker()

    def window(self, **size: Any) -> Page:
        context = self.browser.new_context(**{"base_url": self.url, "viewport": DESKTOP, **size})
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
        size = page.viewport_size
        page.wait_for_load_state("networkidle")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour is half way
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 900})
                page.screenshot(path=f"{folder}/{self.steps:02}-{width}-{scheme}.png")
        page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        page.set_viewport_size(size)

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


@pytest.mark.slow
@pytest.mark.parametrize("folder", [2, pytest.param(10, marks=pytest.mark.night)], indirect=True)
def test_a_folder_becomes_reports_for_authors(walk: Walk, folder: Path, tmp_path: Path) -> None:
    link = re.search(r"http\S+", walk.deployment.manage("create_owner", "nora@study.test"))
    assert link
    page = walk.window()
    walk.join(page, link[0], "Nora Feld")
    began = time.monotonic()
    import_folder(walk, page, folder)
    compose_form(walk, page)
    links = invite(walk, page)
    referees = [walk.window(), walk.window(), walk.window(**PHONE)]
    for number, (window, address) in enumerate(zip(referees, links, strict=True), start=1):
        walk.join(window, address, f"Referee {number}", "mathematics")
    open_campaign(walk, page)
    minutes = (time.monotonic() - began) / 60
    print(f"{walk.clicks} clicks, {minutes:.1f} minutes")
    assert walk.clicks <= MOST_CLICKS
    expect(page.get_by_text("rubric referee-v1")).to_be_visible()
    assert minutes < 15
    expect(page.get_by_text("Open", exact=True).first).to_be_visible()

    said = Said()
    grade_with_the_mouse(walk, referees[0], said)
    grade_with_the_keyboard(walk, referees[1], said)
    grade_on_a_phone(walk, referees[2], said)
    problems = len(list((folder / "problems").iterdir()))
    assert [len(given) for given in said.levels.values()] == [4 * 3] * problems
    close_and_settle(walk, page)
    read_results(walk, page, problems)
    check_tables(page, said)
    check_reports(walk, page, said, tmp_path)
    assert "rules hold" in walk.deployment.manage("check_invariants")
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
    expect(page.locator("input.link")).to_have_count(
        len(REFEREES), timeout=60_000
    )  # a busy machine is not a fault
    links = [box.input_value() for box in page.locator("input.link").all()]
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


class Said:
    """The levels that the referees chose, by problem, and how often they wrote which comment."""

    def __init__(self) -> None:
        self.by_chance = random.Random(20261123)
        self.levels: dict[str, list[str]] = defaultdict(list)
        self.comments: Counter[str] = Counter()

    def note(self, page: Page, level: str) -> None:
        problem = page.locator(".grade-head h1").inner_text().split(" · ")[0]
        self.levels[problem].append(level)


def choose(page: Page, level: str, accept: str) -> None:
    for question, value in (("level", level), ("accept", accept)):
        page.locator(f'label.choice:has([name="answer-{question}"][value="{value}"])').click()


def begin(page: Page) -> None:
    """From the queue to the first item."""
    page.goto("/grading/")
    page.get_by_role("button", name="Grade next").click()
    page.wait_for_url("**/grading/items/**")


def ready(page: Page) -> None:
    for _ in range(60):
        if not page.get_by_text("This text is being prepared").count():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(page.locator("#clock")).not_to_be_empty()  # its scripts are at work
    expect(page.locator(".passage").first).to_be_visible()


def submitted(page: Page, button: Locator) -> bool:
    """Submit; returns whether another item follows."""
    before = page.url
    button.click()
    page.wait_for_url(lambda address: address != before)
    return "/grading/items/" in page.url


def grade_with_the_mouse(walk: Walk, page: Page, said: Said) -> None:
    """The first proof gets a comment on its text, the second one on a region of its PDF."""
    begin(page)
    number, more = 0, True
    while more:
        ready(page)
        level = said.by_chance.choice(SOLVED)
        said.note(page, level)
        choose(page, level, "yes")
        page.locator('[name="answer-report"]').fill("I checked every line. The bound $a<b$ is used once.")
        if number == 0:
            page.locator(".passage").first.hover()
            page.locator(".passage").first.get_by_role("button", name="Comment").click()
            page.locator('.comment-editor [name="text"]').fill(DOUBT)
            page.locator(".comment-editor").get_by_role("button", name="Keep").click()
        if number == 1:
            page.get_by_role("button", name="PDF of the proof").click()
            mark_region(page)
            page.get_by_role("group", name="Comment").get_by_role("textbox").first.fill(ODD)
            page.get_by_role("group", name="Comment").get_by_role("button", name="Keep").click()
        if number < 2:
            expect(page.locator("#comment-list li")).to_have_count(1)
            said.comments[(DOUBT, ODD)[number]] += 1
            walk.look(page)
        more = submitted(page, page.get_by_role("button", name="Submit"))
        number += 1


def mark_region(page: Page) -> None:
    shown = page.locator('#second [data-page="1"]')
    expect(shown.locator(".pdf-text")).not_to_be_empty()
    page.get_by_role("button", name="Mark a region").click()
    box = shown.bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 110)
    page.mouse.up()


def grade_with_the_keyboard(walk: Walk, page: Page, said: Said) -> None:
    """Nothing is clicked; the first two proofs get a comment on a passage each."""
    page.goto("/grading/")
    page.get_by_role("button", name="Grade next").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/grading/items/**")
    number = 0
    while "/grading/items/" in page.url:
        ready(page)
        level = said.by_chance.choice(LEVELS[1:3])
        said.note(page, level)
        if number < 2:
            for key in ("j", "c"):
                page.keyboard.press(key)
            page.keyboard.type(UNSEEN)
            page.keyboard.press("Control+Enter")
            expect(page.locator("#comment-list li")).to_have_count(1)
            said.comments[UNSEEN] += 1
        for question, value in (("level", level), ("accept", "yes" if level in SOLVED else "no")):
            choice = page.locator(f'label.choice:has([name="answer-{question}"][value="{value}"])')
            page.keyboard.press(str(choice.get_attribute("data-key")))
            expect(choice.locator("input")).to_be_checked()
            page.keyboard.press("ArrowDown")
        page.keyboard.type("A serious gap, I think.")
        if number < 2:
            walk.look(page)
        before = page.url
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda address, left=before: address != left)
        number += 1


def grade_on_a_phone(walk: Walk, page: Page, said: Said) -> None:
    """The first proof is rejected, which the form allows only with a serious comment and a no."""
    begin(page)
    more = True
    while more:
        ready(page)
        level = said.by_chance.choice(LEVELS[:3]) if CIRCULAR in said.comments else "reject"
        said.note(page, level)
        if level == "reject":
            page.locator(".passage").first.tap()
            page.locator(".passage").first.get_by_role("button", name="Comment").tap()
            page.locator(".comment-editor").get_by_text("major").tap()
            page.locator('.comment-editor [name="text"]').fill(CIRCULAR)
            page.locator(".comment-editor").get_by_role("button", name="Keep").tap()
            expect(page.locator("#comment-list li")).to_have_count(1)
            said.comments[CIRCULAR] += 1
        page.get_by_role("button", name=re.compile("^Answer")).tap()
        choose(page, level, "yes" if level in SOLVED else "no")
        page.locator('[name="answer-report"]').fill("Read on a train.")
        if level == "reject":
            walk.look(page)
        more = submitted(page, page.get_by_role("button", name="Submit"))


def close_and_settle(walk: Walk, page: Page) -> None:
    page.goto("/grading/campaigns/referee-round/")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_text("Closed", exact=True).first).to_be_visible()
    walk.look(page)
    page.goto("/grading/campaigns/referee-round/adjudication/")
    walk.look(page)
    split = page.locator("tbody tr", has=page.locator(".badge", has_text="split"))
    assert split.count()
    split.first.get_by_role("link").click()
    open_splits = page.locator("section.disputed .badge", has_text="split")
    expect(open_splits.first).to_be_visible()
    walk.look(page)
    for left in range(open_splits.count() - 1, -1, -1):
        disputed = page.locator("section.disputed", has=page.locator(".badge", has_text="split")).first
        given = disputed.locator("dd strong").first.inner_text()
        disputed.locator("label.choice-line", has=page.locator(f'input[value="{given}"]')).click()
        disputed.get_by_role("button", name="Decide").click()
        expect(open_splits).to_have_count(left)


def read_results(walk: Walk, page: Page, problems: int) -> None:
    """From the study's page, as somebody does who comes back: four systems, every proof, and where to look closer."""
    page.goto("/studies/ten-proofs/")
    walk.look(page)
    page.locator(".steps li", has_text="Results").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Results", level=1)).to_be_visible()
    expect(page.locator(".pgrid .cell")).to_have_count(4 * problems)
    main = page.locator("main")
    expect(main).to_contain_text(
        f"{problems} problems, 4 systems, {4 * problems} answers, {12 * problems} referee reports"
    )
    for system in ("alpha", "beta", "gamma", "delta"):
        expect(main).to_contain_text(system)
    walk.look(page)
    page.locator(".pgrid .cell").first.click()
    expect(page.locator("main")).to_contain_text("Towers of height 1")
    walk.look(page)


def check_tables(page: Page, said: Said) -> None:
    """The tables hold what was chosen and written, and name nobody."""
    labels, comments = (
        list(csv.DictReader(io.StringIO(page.request.get(f"/reports/releases/ten-proofs/{name}.csv").text())))
        for name in ("labels", "comments")
    )
    exported = Counter(
        (f"Towers of height {row['instance'].removeprefix('problem')}", row["value"])
        for row in labels
        if (row["question"], row["rater_kind"]) == ("level", "expert")
    )
    assert exported == Counter(
        (problem, level) for problem, levels in said.levels.items() for level in levels
    )
    assert Counter(row["text"] for row in comments) == said.comments
    assert [row["text"] for row in comments if row["anchor"] == "pdf"] == [ODD]
    assert {row["system"] for row in labels + comments} == {""}


def check_reports(walk: Walk, page: Page, said: Said, folder: Path) -> None:
    """A file for each submission; each comment is in the files of the proofs that it is about."""
    page.goto("/reports/releases/ten-proofs/printed/")
    page.locator('[name="per"]').select_option("submission")
    page.locator('[name="score"]').uncheck()
    walk.look(page)
    page.get_by_role("button", name="Print").click()
    download = page.get_by_role("link", name="Download ZIP")
    expect(download).to_be_visible(timeout=240_000)
    walk.look(page)
    reply = page.request.get(str(download.get_attribute("href")), timeout=60_000)
    found: Counter[str] = Counter()
    with ZipFile(io.BytesIO(reply.body())) as bundle:
        files = [name for name in bundle.namelist() if name.endswith(".pdf")]
        for name in files:
            text = " ".join(text_of(Path(bundle.extract(name, folder))).split())
            found.update({comment: text.count(comment) for comment in said.comments})
            assert text.index("Verdict") < text.index("By Lemma 1")
    assert len(files) == 4 * len(said.levels)
    assert found == said.comments
