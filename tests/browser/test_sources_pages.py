"""Pages of sources in a browser: upload, dry run, one source, the matching queue, on a wide and a narrow screen."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connections
from playwright.sync_api import expect

from construction.models import Publication, Source
from construction.sources.manifest import ManifestRow, Published
from construction.sources.uploading import reconcile_sources
from tests.browser.accessibility import axe
from tests.construction.archives import add_archive
from tests.construction.test_sources import PAPER, TITLE, TWO
from work.worker import drain

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def worked() -> None:
    """As a worker does, in a thread of its own: the browser has the event loop of this one."""

    def work() -> None:
        try:
            drain()
            reconcile_sources()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(work).result()


@pytest.fixture(autouse=True)
def _quiet(monkeypatch, settings, tmp_path):
    monkeypatch.setattr("construction.sources.uploading.ring", lambda: None)
    settings.UPLOAD_DIR = tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_sources_are_uploaded_looked_at_and_added(sign_in, owner, width, theme, tmp_path: Path):
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})

    def fits(heading: str = "") -> None:
        if heading:  # of the page that a click has led to
            expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.goto("/construction/sources/")
    expect(page.get_by_text("There are no sources yet")).to_be_visible()
    fits()
    files = {"2401.00001v1.gz": gzip.compress(PAPER), "two.tar": TWO, "scan.gz": gzip.compress(b"%PDF-1.5")}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    page.get_by_role("link", name="Add some here").click()
    fits("Add sources")
    page.get_by_label("Archives").set_input_files([tmp_path / name for name in files])
    page.get_by_role("button", name="Read the archives").click()
    expect(page.get_by_text("0 of 3")).to_be_visible()
    worked()
    expect(page.get_by_role("link", name="What would be added")).to_be_visible()
    page.get_by_role("link", name="What would be added").click()
    expect(page.get_by_role("button", name="Add 3 sources")).to_be_visible()
    fits()
    page.get_by_role("button", name="Add 3 sources").click()
    worked()
    page.reload()
    page.get_by_role("link", name="To the sources").click()
    fits("Sources")
    page.get_by_role("link", name="2401.00001v1").click()
    page.get_by_role("link", name="Theorem 1").click()
    expect(page.locator("#marked")).to_contain_text("Every space has an")
    fits()
    page.locator(".source-outline").get_by_role("link", name="Proof").last.click()
    expect(page.get_by_text("Not paired: ")).to_be_visible()
    page.get_by_label("Statement").select_option(label="Theorem 1 (Nets, nets, 2401.00001v1.tex)")
    page.get_by_role("button", name="Pair").click()
    expect(page.get_by_text("Paired by hand.")).to_be_visible()
    fits()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Not paired: ")).to_be_visible()
    page.goto(f"/construction/sources/{Source.objects.get(code='tie').pk}/")
    page.get_by_label("The paper is in").select_option("b.tex")
    page.get_by_role("button", name="Choose").click()
    expect(page.get_by_role("button", name="Undo the choice")).to_be_visible()
    fits()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "dark"), (390, "light")])
def test_pairs_are_matched_by_keys_and_undone(sign_in, owner, width, theme):
    for number in range(3):
        row = ManifestRow(title=TITLE, authors=("Ann Author",), year=2024, published=Published(TITLE))
        add_archive(actor=None, data=PAPER + b"%%%d" % number, name=f"p{number}.tex", manifest=row)
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto("/construction/sources/matching/")
    cases = page.locator(".matching-case")
    expect(cases).to_have_count(3)
    expect(cases.nth(0)).to_be_focused()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("j")
    expect(cases.nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("y")
    expect(cases).to_have_count(2)
    page.keyboard.press("n")
    expect(cases).to_have_count(1)
    decided = {pair.source.key: pair.decision for pair in Publication.objects.select_related("source")}
    assert decided == {"p0": "same", "p1": "different", "p2": ""}
    page.keyboard.press("u")
    expect(cases).to_have_count(2)
    page.keyboard.press("l")
    expect(cases).to_have_count(2)
    assert sorted(Publication.objects.values_list("decision", flat=True)) == ["", "later", "same"]
