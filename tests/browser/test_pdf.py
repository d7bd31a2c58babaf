"""PDFs on the page on which an item is graded: in place of a text, next to it, searched, and followed."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.grading.actions import save_draft
from annotation.grading.file_anchors import quote_of
from annotation.models import Assignment, Campaign, Comment, Draft
from benchmark.files.actions import attach
from benchmark.files.child import Mark
from benchmark.files.process import with_marks
from benchmark.models import Output
from benchmark.rendering.actions import render_waiting
from tests.benchmark.pdfs import PARAGRAPH, paper, png
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = [f"Page {number} has a cactus network. {PARAGRAPH}" for number in range(1, 8)]


@pytest.fixture
def attached(drafted: Campaign, coordinator, algebraist, request) -> Assignment:
    """A place on an item whose outputs have a PDF, alone or with their text, and whose problem has a picture."""
    told, picture = paper(*PAGES), png("x")
    for output in Output.objects.filter(run__release=drafted.release):
        attach(actor=None, subject=output, name="proof.pdf", data=told)
    for instance in drafted.release.instances.all():
        attach(actor=None, subject=instance, name="figure.png", data=picture)
    if request.param == "alone":
        Output.objects.filter(run__release=drafted.release).update(text="")
    draw_items(actor=coordinator, campaign=drafted)
    return take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))


def open_item(sign_in, algebraist, place: Assignment, **context) -> Page:
    page = sign_in(algebraist, **context)
    page.goto(reverse("grade", args=[place.handle]))
    return page


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["alone"], indirect=True)
def test_a_pdf_alone_is_read_searched_and_paged(sign_in, algebraist, attached):
    """`sign_in` fails the test on any error of the console, which is where violations of the policy are told."""
    page = open_item(sign_in, algebraist, attached)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    expect(page.locator(".pdf-page")).to_have_count(7)
    expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("Page 1 has a cactus network")
    query = page.get_by_role("searchbox", name="Find in the PDF")
    query.fill("CACTUS  net-work")
    query.press("Enter")
    expect(page.locator(".pdf-tools output")).to_have_text("1 of 7")
    for _ in range(4):
        query.press("Enter")
    expect(page.locator(".pdf-tools output")).to_have_text("5 of 7")
    expect(page.locator('[data-page="5"] .pdf-text')).to_contain_text("Page 5 has")
    expect(page.get_by_role("spinbutton", name="Page", exact=True)).to_have_value("5")
    assert page.locator("canvas").count() <= 4  # others are forgotten
    page.get_by_role("combobox", name="Go to a section of the PDF").select_option("2. Section")
    expect(page.locator('[data-page="2"] .pdf-text')).to_contain_text("Page 2 has")
    page.get_by_role("button", name="Back to where the link was").click()
    expect(page.locator('[data-page="5"] .pdf-text')).to_contain_text("Page 5 has")
    assert all(address.startswith(page.url.split("/grading")[0]) for address in asked)


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["with text"], indirect=True)
def test_a_pdf_is_a_document_next_to_the_text(sign_in, algebraist, attached):
    page = open_item(sign_in, algebraist, attached)
    expect(page.locator(".passage").first).to_be_visible()
    page.get_by_role("button", name="PDF of the proof").click()
    expect(page.locator('#second [data-page="1"] .pdf-text')).to_contain_text("Page 1 has a cactus network")
    page.get_by_role("button", name="Picture of the problem").click()
    expect(page.get_by_role("img", name="Picture of the problem")).to_be_visible()


SELECT = """() => {
  const layer = document.querySelector('[data-page="1"] .pdf-text');
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf("cactus network");
    if (at < 0) continue;
    getSelection().setBaseAndExtent(node, at, node, at + "cactus network".length);
    return;
  }
}"""
MARK = """() => {
  const mark = document.querySelector(".pdf-mark").getBoundingClientRect();
  const page = document.querySelector(".pdf-mark").parentElement.querySelector("canvas").getBoundingClientRect();
  return [(mark.left - page.left) / page.width, (mark.top - page.top) / page.width, mark.width / page.width];
}"""


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["alone"], indirect=True)
def test_words_and_regions_of_a_pdf_are_commented_on_and_graded(sign_in, algebraist, attached):
    page = open_item(sign_in, algebraist, attached)
    expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("cactus network")
    page.evaluate(SELECT)
    page.get_by_role("toolbar", name="Selected words").get_by_role("button", name="Comment").click()
    editor = page.get_by_role("group", name="Comment")
    expect(editor.locator(".quote")).to_have_text("On: cactus network")
    editor.get_by_role("textbox").first.fill("Which network?")
    editor.get_by_role("button", name="Keep").click()
    expect(page.locator("#comment-list")).to_contain_text("minor, page 1 on cactus network Which network?")
    places = [page.evaluate(MARK)]
    for _ in range(3):  # three other zooms
        page.get_by_role("button", name="Larger").click()
        expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("cactus network")
        expect(page.locator(".pdf-mark")).to_have_count(1)
        places.append(page.evaluate(MARK))
    page.get_by_role("button", name="Mark a region").click()
    box = page.locator('[data-page="1"]').bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 120)
    page.mouse.up()
    editor.get_by_role("textbox").first.fill("The heading is odd.")
    editor.get_by_role("button", name="Keep").click()
    expect(page.locator("#comment-list li")).to_have_count(2)
    for _ in range(50):
        if Draft.objects.filter(content__anchored__1__text="The heading is odd.").exists():
            break
        page.wait_for_timeout(200)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")
    page.reload()
    expect(page.locator(".pdf-mark")).to_have_count(2)
    places.append(page.evaluate(MARK))
    assert all(
        abs(one - other) <= 0.001 for place in places for one, other in zip(place, places[0], strict=True)
    )
    page.locator('label.choice:has([name="answer-correctness"][value="incorrect"])').click()
    page.locator('label.choice:has([name="answer-rigour"][value="2"])').click()
    page.get_by_role("button", name="Submit").click()
    expect(page).not_to_have_url(re.compile(attached.handle))
    words, region = Comment.objects.filter(grade__assignment=attached).order_by("pk")
    assert (words.block, words.anchor["kind"], quote_of(words.anchor)) == (
        "file1-page1",
        "text",
        "cactus network",
    )
    assert PAGES[0].startswith("Page 1 has a cactus network")
    assert words.end - words.start == len("cactus network")
    assert (region.anchor["kind"], region.anchor["document"]["pages"]) == ("region", 7)
    page.goto(reverse("grade", args=[attached.handle]))
    expect(page.get_by_role("list", name="Comments on this PDF")).to_contain_text(
        "Page 1, minor on cactus network"
    )


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["alone"], indirect=True)
def test_a_page_of_a_pdf_is_commented_on_with_the_keyboard_alone(sign_in, algebraist, attached):
    page = open_item(sign_in, algebraist, attached)
    expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("cactus network")
    page.get_by_role("region", name="PDF of the proof").focus()
    page.keyboard.press("c")
    page.keyboard.type("The whole page is unclear.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#comment-list")).to_contain_text("minor, page 1 The whole page is unclear.")


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["with text"], indirect=True)
def test_a_comment_leads_to_its_page(sign_in, algebraist, attached):
    content = {"anchored": [{
        "block": "file1-page6", "start": 0, "end": 0, "severity": "major", "kind": "", "text": "Here.",
        "anchor": {"page": 6, "quote": None, "rects": [[50, 300, 200, 400]]},
    }]}  # fmt: skip
    save_draft(reviewer=algebraist, assignment=attached, content=content, version=0)
    page = open_item(sign_in, algebraist, attached)
    page.locator("#comment-list").get_by_role("button", name="Show").click()
    expect(page.locator('#second [data-page="6"] .pdf-text')).to_contain_text("Page 6 has")
    expect(page.locator('#second [data-page="6"] .pdf-mark')).to_be_in_viewport()


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["with text"], indirect=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_pdf_that_was_marked_elsewhere_comes_back_as_comments(
    sign_in, algebraist, attached, tmp_path, width
):
    page = open_item(sign_in, algebraist, attached, viewport={"width": width, "height": 900})
    if width < 800:
        page.locator('[data-sheet="comments"]').click()
    page.get_by_text("Mark the PDF of the proof in another program").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the PDF").click()
    region, gone = ((50.0, 300.0, 200.0, 400.0),), ((1.0, 1.0, 5.0, 5.0),)
    marks = [Mark(6, region, False, "Here."), Mark(2, gone, True, "Nowhere.", quote="nothing")]
    marked = tmp_path / "marked.pdf"
    marked.write_bytes(with_marks(saved.value.path().read_bytes(), marks))
    chosen = page.get_by_label("Choose the marked PDF")
    chosen.set_input_files(marked)
    told = page.locator(".found-marks")
    expect(told).to_contain_text("2 comments added. Read them through before you submit.")
    expect(page.locator("#comment-list")).to_contain_text("minor, page 6 Here.")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    chosen.set_input_files(marked)
    expect(told).to_contain_text("0 comments added. 2 comments had been read before.")
    marked.write_bytes(b"nothing")
    chosen.set_input_files(marked)
    expect(told).to_contain_text("The file is broken.")
    for _ in range(50):
        if Draft.objects.filter(content__anchored__0__text="Nowhere.").exists():
            break
        page.wait_for_timeout(200)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")


@pytest.mark.slow
def test_a_figure_is_where_the_text_has_it_and_opens_alone(sign_in, algebraist, drafted, coordinator):
    text = "See \\includegraphics[width=.4\\textwidth]{figs/plot} here.\n\nAnother passage."
    for output in Output.objects.filter(run__release=drafted.release):
        Output.objects.filter(pk=output.pk).update(text=text)
        output.refresh_from_db()
        attach(actor=None, subject=output, name="figs/plot.pdf", data=paper("A plot of something."))
    draw_items(actor=coordinator, campaign=drafted)
    place = take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))
    render_waiting()
    page = open_item(sign_in, algebraist, place)
    picture = page.get_by_role("img", name="Picture of the proof")
    expect(picture).to_be_visible()
    assert picture.bounding_box()["width"] == pytest.approx(256, abs=1)  # of a line of 640 pixels
    assert picture.evaluate("(one) => one.naturalWidth") > 1000
    assert page.get_by_role("button", name="Picture of the proof").count() == 0
    assert "plot" not in page.content()
    assert axe(page) == []
    with page.expect_popup() as alone:
        page.get_by_role("link", name="Picture of the proof").click()
    assert alone.value.url.endswith("/files/1/")


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["alone"], indirect=True)
@pytest.mark.parametrize("width", [1280, 834, 390])
def test_a_pdf_fits_its_place_and_is_accessible(sign_in, algebraist, attached, width):
    page = open_item(sign_in, algebraist, attached, viewport={"width": width, "height": 900})
    expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("Page 1 has")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".pdf-page").first.bounding_box()["width"] <= width
    page.get_by_role("button", name="Larger").click()
    expect(page.locator('[data-page="1"] .pdf-text')).to_contain_text("Page 1 has")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("attached", ["alone"], indirect=True)
def test_a_reader_that_does_not_start_is_said_and_not_replaced(sign_in, algebraist, attached, faults):
    """pdf.js would otherwise read the file in the page, where no policy of a worker holds."""
    faults.forgive("")
    page = sign_in(algebraist)
    page.route(re.compile(r"pdf\.worker"), lambda route: route.abort())
    page.goto(reverse("grade", args=[attached.handle]))
    expect(page.get_by_role("alert").filter(has_text="could not be shown")).to_be_visible()
    assert page.locator("canvas").count() == 0
