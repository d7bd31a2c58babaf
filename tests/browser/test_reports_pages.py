"""Score pages in a real browser: figures, links and keys. tests/browser/test_every_page.py looks for faults."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Campaign
from tests.reports.conftest import load_gaps
from tests.reports.ten_proofs import ten_proofs

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def gaps(db):
    return load_gaps()


@pytest.mark.slow
def test_figures_take_the_colours_of_the_page(sign_in, owner, gaps):
    seen = {}
    for scheme in ("light", "dark"):
        page = sign_in(owner, color_scheme=scheme)
        page.goto(reverse("score-numbers", args=["sample-re2math"]))
        mark = page.locator("svg.figure circle").first
        seen[scheme] = mark.evaluate("node => getComputedStyle(node).fill")
    assert seen["light"] != seen["dark"]


@pytest.mark.slow
def test_a_figure_is_read_out_with_its_numbers(sign_in, owner, gaps):
    page = sign_in(owner)
    page.goto(reverse("score-numbers", args=["sample-re2math"]))
    plot = page.get_by_role("img", name="ToolAcc of every system")
    expect(plot).to_have_accessible_description(
        re.compile(r"aurora, Fixed judge, Wilson: 53.3 \[36.1, 69.8\]")
    )


@pytest.mark.slow
def test_a_number_leads_to_its_definition_and_to_its_rows(sign_in, owner, gaps):
    page = sign_in(owner)
    page.goto(reverse("score-numbers", args=["sample-re2math"]))
    page.get_by_role("link", name="Wilson").first.click()
    expect(page.locator("#def-wilson")).to_be_in_viewport()
    page.get_by_role("cell", name="16", exact=True).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Outputs behind the score")
    expect(page.locator("tbody tr")).to_have_count(16)


@pytest.mark.slow
def test_a_number_opens_its_method_and_its_definition_by_keyboard(sign_in, owner, gaps):
    page = sign_in(owner)
    page.goto(reverse("compare", args=["sample-re2math"]))
    number = page.locator("details.behind").first
    number.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(number.get_by_text("95 %, Wilson on the effective number")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#def-effective")).to_be_in_viewport()


@pytest.mark.slow
def test_rows_are_downloaded_as_a_file(sign_in, owner, gaps):
    page = sign_in(owner)
    page.goto(reverse("score", args=["sample-re2math"]))
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Labels, blinded CSV").click()
    assert started.value.suggested_filename == "labels-sample-re2math-blinded.csv"


@pytest.mark.slow
def test_an_audit_is_planned_and_drawn_by_keyboard(sign_in, coordinator, gaps):
    page = sign_in(coordinator)
    page.goto(reverse("audit-draw", args=["sample-re2math"]))
    page.get_by_label("Outputs per stratum").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Draw 18 outputs")).to_be_visible()  # nine strata of three or more
    page.get_by_label("Name").fill("A closer look")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('campaign', args=['a-closer-look'])}")
    assert Campaign.objects.get(slug="a-closer-look").items.count() == 18


@pytest.mark.slow
def test_the_first_screen_of_the_results_holds_leaderboard_and_grid(sign_in, owner, db):
    release = ten_proofs()
    for width in (1280, 834, 390):
        page = sign_in(owner, viewport={"width": width, "height": 800})
        page.goto(reverse("score", args=[release.name]))
        height, wide = page.evaluate(
            "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        assert height <= 3000
        assert wide <= width
        if width == 1280:
            for name in ("Leaderboard", "Problems by systems"):
                expect(page.get_by_role("region", name=name)).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_what_is_folded_on_a_phone_is_open_without_a_summary_where_there_is_room(sign_in, owner, db):
    release = ten_proofs()
    for width in (1280, 834, 390):
        page = sign_in(owner, viewport={"width": width, "height": 800})
        page.goto(reverse("score", args=[release.name]))
        folds = page.locator("details.fold")
        expect(folds).to_have_count(6)  # marks, splits, pairs, counts, conditions, notes
        for fold in folds.all():
            body = fold.locator(":scope > :not(summary)").first
            if width == 390:
                expect(body).not_to_be_visible()
                fold.locator(":scope > summary").click()
            else:
                expect(fold.locator(":scope > summary")).not_to_be_visible()
            expect(body).to_be_visible()
            assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth")


@pytest.mark.slow
def test_a_footnote_opens_the_notes_that_are_folded_on_a_phone(sign_in, owner, db):
    release = ten_proofs()
    page = sign_in(owner, viewport={"width": 390, "height": 800})
    page.goto(reverse("score", args=[release.name]))
    page.locator("#disagreements sup a").first.click()
    expect(page.locator("#note-split")).to_be_in_viewport()


@pytest.mark.slow
def test_arrows_move_between_the_cells_and_enter_opens_the_proof(sign_in, owner, db):
    release = ten_proofs()
    page = sign_in(owner)
    page.goto(reverse("score", args=[release.name]))
    page.get_by_role("link", name=re.compile("^Problem 1, Heron 3: ")).focus()
    for key, name in (
        ("ArrowRight", "Problem 1, Kestrel"),
        ("ArrowDown", "Problem 2, Kestrel"),
        ("ArrowLeft", "Problem 2, Heron 3"),
        ("ArrowLeft", "Problem 2, Heron 3"),  # nothing is further left
        ("ArrowUp", "Problem 1, Heron 3"),
    ):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_accessible_name(re.compile(f"^{name}: "))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What the graders said")).to_be_visible()


@pytest.mark.slow
def test_escape_closes_the_download_menu_and_returns_to_it(sign_in, owner, db):
    release = ten_proofs()
    page = sign_in(owner)
    page.goto(reverse("score", args=[release.name]))
    menu = page.locator("details.menu")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    for link in menu.get_by_role("link").all():
        box = link.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()


@pytest.mark.slow
def test_the_results_can_be_read_without_scripts(sign_in, owner, db):
    release = ten_proofs()
    page = sign_in(owner, java_script_enabled=False)
    page.goto(reverse("score", args=[release.name]))
    expect(
        page.get_by_role("img", name=re.compile("A: experts 67 %, 95 % interval 35 to 88"))
    ).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Problem 7, Wren mini: minor"))).to_be_visible()


@pytest.mark.slow
def test_a_wide_table_is_whole_on_paper(sign_in, owner, gaps):
    page = sign_in(owner)
    page.goto(reverse("score-numbers", args=["sample-re2math"]))
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 600, "height": 900})
    overflow = "nodes => [...new Set(nodes.map(node => getComputedStyle(node).overflowX))]"
    assert page.locator(".scroll, .table-wrap").evaluate_all(overflow) == ["visible"]
