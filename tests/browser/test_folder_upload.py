"""A folder as an organiser has it, chosen in the browser: a study in few clicks, by its shown mapping."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from benchmark.importing import uploading
from benchmark.models import Output, Release
from tests.benchmark.test_collecting import study
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def folder(tmp_path, settings) -> Path:
    """The study on disk, as nobody has packed it, with what macOS leaves in folders."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.UPLOAD_DIR.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.UPLOAD_DIR)
    for name, content in {**study(2), "study/.DS_Store": b"\0", "study/alpha/notes.txt": "Notes."}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return tmp_path / "study"


def look(page: Page, name: str) -> None:
    if not os.environ.get("SHOTS"):
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1280, 834, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{os.environ['SHOTS']}/{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.slow
def test_the_choice_of_a_folder_shows_that_it_has_the_focus(sign_in, coordinator):
    page = sign_in(coordinator)
    page.goto(reverse("import-files"))
    button = page.locator("label", has_text="Choose a folder")
    expect(button).to_have_css("outline-style", "none")
    page.get_by_label("Folder, ZIP, or table").focus()
    page.keyboard.press("Tab")
    expect(button).to_have_css("outline-style", "solid")


@pytest.mark.slow
def test_a_folder_becomes_a_study_in_five_clicks(sign_in, coordinator, folder):
    page = sign_in(coordinator)
    page.goto(reverse("studies"))
    page.get_by_role("link", name="New study", exact=True).click()
    look(page, "upload")
    expect(page.get_by_text("Choose a folder")).to_be_visible()  # its script is at work
    page.locator("#folder").set_input_files(str(folder))
    expect(page.locator("#chosen")).to_have_text("27 files of study are chosen.")
    assert not axe(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("4 systems from alpha to gamma")).to_be_visible()
    assert not axe(page)
    look(page, "mapping")
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    uploading.work_imports()
    page.get_by_role("link", name="What would change").click()
    expect(page.get_by_text("18 formulas in 10 texts: all of them can be set.")).to_be_visible()
    assert not axe(page)
    look(page, "dry-run")
    page.get_by_role("button", name="Import exactly this").click()
    uploading.work_imports()
    page.goto(page.url)
    page.get_by_role("link", name="To the study").click()
    expect(page.get_by_role("heading", level=1, name="study")).to_be_visible()
    assert Release.objects.get(name="study").instances.count() == 2
    assert Output.objects.count() == 8


@pytest.mark.slow
def test_a_folder_that_is_too_large_is_not_chosen_nor_what_was_chosen_before(sign_in, coordinator, folder):
    page = sign_in(coordinator)
    page.goto(reverse("studies"))
    page.get_by_role("link", name="New study", exact=True).click()
    expect(page.get_by_text("Choose a folder")).to_be_visible()  # its script is at work
    page.locator("#folder").set_input_files(str(folder))
    expect(page.locator("#chosen")).to_have_text("27 files of study are chosen.")
    with (folder / "large.bin").open("wb") as large:
        large.truncate(int(page.locator("#upload").get_attribute("data-limit")) + 1)
    page.locator("#folder").set_input_files(str(folder))
    expect(page.locator("#chosen")).to_contain_text("This is more than")
    assert page.locator('input[name="file"]').evaluate("input => input.files.length") == 0
