"""A hundred referee reports in a folder, imported in the browser by the shown dry run."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.core.item_names import item_name
from annotation.models import Comment, Grade
from benchmark.importing.uploading import work_imports
from tests.browser.accessibility import axe
from tests.reports.conftest import load
from tests.reports.refereed import hundred

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SYSTEMS = ("aurora", "basalt", "cobalt")


@pytest.fixture
def release():
    return load("sample-proofs", "proofs", {system: f"outputs/{system}" for system in SYSTEMS})


@pytest.fixture
def folder(tmp_path, settings, release) -> Path:
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.UPLOAD_DIR.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.UPLOAD_DIR)
    for name, text in hundred(release)[0].items():
        path = tmp_path / "reports" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "reports"


def look(page: Page, name: str) -> None:
    if not os.environ.get("SHOTS"):
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{os.environ['SHOTS']}/{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.slow
def test_a_folder_of_reports_becomes_grades_and_comments(sign_in, coordinator, release, folder):
    page = sign_in(coordinator)
    page.goto(reverse("study", args=[release.name]))
    look(page, "hub")
    page.get_by_role("link", name="Import reports that exist").click()
    expect(page.locator("#id_release")).to_have_value(release.name)
    expect(page.get_by_text("Choose a folder")).to_be_visible()  # its script is at work
    look(page, "upload")
    assert not axe(page)
    page.get_by_role("link", name="How a report is written").click()
    look(page, "format")
    assert not axe(page)
    page.go_back()
    expect(page.get_by_text("Choose a folder")).to_be_visible()
    page.locator("#folder").set_input_files(str(folder))
    expect(page.locator("#chosen")).to_have_text("100 files of reports are chosen.")
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    work_imports()
    page.get_by_role("link", name="What would change").click()
    expect(
        page.get_by_text("57 comments are on passages that are not in the text; they keep their words")
    ).to_be_visible()
    look(page, "dry-run")
    assert not axe(page)
    assert not Grade.objects.exists()
    page.get_by_role("button", name="Import exactly this").click()
    work_imports()
    page.goto(page.url)
    look(page, "imported")
    page.get_by_role("link", name="Answers and comments of referee-reports").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert (Grade.objects.count(), Comment.objects.count()) == (100, 400)
    lost = Comment.objects.filter(block="").select_related("grade__assignment").first()
    name = item_name(lost.grade.assignment.item_id)
    page.goto(reverse("adjudicate", args=["referee-reports", name]))
    expect(page.get_by_role("heading", name="Comments without a passage")).to_be_visible()
    expect(page.get_by_text("passage not found in the text").first).to_be_visible()
    page.locator("#unplaced-title").scroll_into_view_if_needed()
    look(page, "item")
    assert not axe(page)
