"""One's own label file in a real browser: chosen by keyboard, dropped, mapped; and the planner."""

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.analysing import uploads
from reports.models import LabelUpload
from tests.browser.accessibility import axe
from tests.browser.conftest import session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FOREIGN = "Item,Annotator,Label,colour\n" + "".join(
    f"s{n},{who},{'yes' if n % (3 + len(who)) else 'no'},red\n"
    for n in range(24)
    for who in ("anna", "b", "cleo")
)
WIDTHS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
PLANS = ("plan-strata", "plan-agreement", "plan-comparison", "plan-proportion")
DROP = """([target, name, content]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([content], name, { type: "text/csv" }));
    for (const kind of ["dragover", "drop"]) {
        target.dispatchEvent(
            new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
    }
}"""


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


def drop(page, name, content):
    target = page.locator("#drop").element_handle()
    page.evaluate(DROP, [target, name, content])


@pytest.mark.slow
def test_a_dropped_file_is_mapped_and_answered_by_keyboard(sign_in, stranger):
    page = sign_in(stranger)
    page.goto(reverse("analyse"))
    drop(page, "mine.csv", FOREIGN)
    expect(page.get_by_role("status")).to_have_text("mine.csv is chosen.")
    expect(page.get_by_role("button", name="Show its columns")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("mine.csv")
    expect(page.get_by_label("Annotator is")).to_have_value("rater")
    page.get_by_label("Annotator is").focus()
    page.get_by_role("button", name="Analyse").press("Enter")
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.get_by_role("img", name="Kappa of pairs of raters")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON document").press("Enter")
    assert started.value.suggested_filename == "agreement.json"


def test_a_file_is_chosen_without_script_and_deleted_again(sign_in, stranger):
    page = sign_in(stranger, java_script_enabled=False)
    page.goto(reverse("analyse"))
    page.get_by_label("Label file").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": FOREIGN.encode()}
    )
    page.get_by_role("button", name="Show its columns").press("Enter")
    page.get_by_role("button", name="Analyse").press("Enter")
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    page.get_by_role("button", name="Delete mine.csv").press("Enter")
    expect(page.get_by_text("File and answer are deleted.")).to_be_visible()
    assert not LabelUpload.objects.exists()


def test_a_file_above_the_limit_is_refused_before_it_is_sent(sign_in, stranger, settings):
    settings.ANALYSE_MAX_BYTES = 1 << 20
    page = sign_in(stranger)
    page.goto(reverse("analyse"))
    drop(page, "large.csv", "x" * (1 << 20) + "y")
    expect(page.get_by_role("status")).to_have_text("The file is larger than 1 MB.")
    page.get_by_role("button", name="Show its columns").click()
    assert page.url.endswith(reverse("analyse"))


@pytest.fixture
def waiting(sign_in, stranger, monkeypatch) -> Page:
    """The page of a large file whose answer a worker has yet to compute."""
    monkeypatch.setattr(uploads, "AT_ONCE_BYTES", 10)
    page = sign_in(stranger)
    page.goto(reverse("analyse"))
    drop(page, "mine.csv", FOREIGN)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Analyse").press("Enter")
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    return page


@pytest.mark.slow
def test_a_large_file_shows_that_it_is_waited_for_and_then_its_answer(waiting):
    uploads.analyse_waiting()
    waiting.get_by_role("link", name="Show the answer").click()
    expect(waiting.get_by_role("heading", name="Answer")).to_be_visible()


@pytest.mark.slow
def test_a_page_that_waits_says_that_its_person_is_signed_out(waiting, stranger, live_server):
    Session.objects.all().delete()
    expect(waiting.get_by_role("alert")).to_contain_text("You are signed out")
    uploads.analyse_waiting()
    waiting.context.add_cookies([session_cookie(stranger, live_server.url)])
    expect(waiting.get_by_role("link", name="Show the answer")).to_be_visible()
    expect(waiting.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_have_no_serious_fault_and_fit_their_width(sign_in, stranger, scheme):
    for size in WIDTHS.values():
        page = sign_in(stranger, viewport=size, color_scheme=scheme)
        page.goto(reverse("analyse"))
        drop(page, "mine.csv", FOREIGN)
        check(page, size)
        page.get_by_role("button", name="Show its columns").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("mine.csv")
        check(page, size)
        page.get_by_role("button", name="Analyse").press("Enter")
        expect(page.get_by_role("heading", name="Answer")).to_be_visible()
        check(page, size)
        for name in PLANS:
            page.goto(reverse(name))
            check(page, size)


def check(page, size):
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert axe(page) == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"], page.url


@pytest.mark.slow
def test_a_plan_is_made_by_keyboard_and_its_address_can_be_shared(sign_in, stranger):
    page = sign_in(stranger)
    page.goto(reverse("plan-strata"))
    page.get_by_role("spinbutton", name="Audits").fill("90")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="Equal parts 30")).to_contain_text("30 + 30 + 30 = 90")
    shared = page.url
    page.goto(reverse("analyse"))
    page.goto(shared)
    expect(page.get_by_role("row", name="Equal parts 30")).to_contain_text("30 + 30 + 30 = 90")
    expect(page.get_by_role("img", name="Half-width of the expected interval")).to_be_visible()
