"""Reading long documents: whole displays, an outline that reaches everything, the exact way back, one's own marks."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.models import Comment
from benchmark.models import Output
from tests.browser.accessibility import axe
from tests.browser.long_documents import long_documents, proof
from tests.factories import AssignmentFactory, ItemFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WITH_WINDOWS = True

# Displays of which ink lies beyond the passage that clips it, those that say so, and all. Only what has a size counts.
DISPLAYS = """() => {
  const all = [...document.querySelectorAll('.paper .math[data-display="true"][data-state="done"]')]
    .filter((display) => display.clientWidth);
  const ink = (display) => Math.max(...[...display.querySelectorAll(".katex-base, .katex-tag")]
    .map((piece) => piece.getBoundingClientRect().right));
  const edge = (display) => display.closest(".passage").getBoundingClientRect().right;
  const hinted = all.filter((display) => display.classList.contains("overflows"));
  const cut = all.filter((display) => !hinted.includes(display) && ink(display) > edge(display));
  const sources = cut.map((display) => display.dataset.source);
  return { all: all.length, hinted: hinted.map((display) => display.scrollWidth), cut: sources };
}"""


@pytest.fixture
def place_on(drafted, coordinator, algebraist):
    """`place_on(text)`: a place of the algebraist on a proof with this text."""

    def taken(text: str):
        Output.objects.update(text=text, text_format="latex")
        draw_items(actor=coordinator, campaign=drafted)
        open_campaign(actor=coordinator, campaign=drafted)
        return take_next(reviewer=algebraist, campaign=drafted)

    return taken


@pytest.fixture
def reading(place_on, sign_in, algebraist):
    """`reading(text, **context)`: the page of that proof with all of its formulas set."""

    def page(text: str, **context) -> Page:
        place = place_on(text)
        opened = sign_in(algebraist, **context)
        opened.goto(reverse("grade", args=[place.handle]))
        everything_is_set(opened)
        return opened

    return page


def everything_is_set(page: Page) -> None:
    expect(page.locator("#clock")).not_to_be_empty()
    expect(page.locator(".math:not([data-state=done], [data-state=failed])")).to_have_count(0, timeout=60_000)
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(100)


BY_DAY = ("FP10_A", "combs-6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [BY_DAY, pytest.param(tuple(long_documents()), marks=pytest.mark.night, id="all")]
)
def test_no_display_of_long_documents_is_cut_without_a_word(opened, sign_in, algebraist, names):
    """At 1280 pixels none has to be scrolled either."""
    texts = {name: long_documents()[name] for name in names}
    places = {}
    for number, (name, text) in enumerate(texts.items()):
        item = ItemFactory(campaign=opened, output__text=text, output__text_format="latex")
        places[name] = AssignmentFactory(item=item, reviewer=algebraist, position=number + 10)
    scrolled = {}
    for width in (1280, 834, 390):
        page = sign_in(algebraist, viewport={"width": width, "height": 900})
        for name, place in places.items():
            page.goto(reverse("grade", args=[place.handle]))
            everything_is_set(page)
            found = page.evaluate(DISPLAYS)
            assert found["cut"] == [], (name, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert found["all"] >= 3, name
            scrolled[width] = [*scrolled.get(width, []), *found["hinted"]]
    assert scrolled[1280] == []


@pytest.mark.slow
def test_back_returns_to_the_pixel_after_fifty_references(reading):
    page = reading(proof(5))
    links = page.locator(".paper .block a.reference")
    assert links.count() >= 50
    # Chromium's driver scrolls before it clicks where something covers the link: what counts is where it was clicked.
    page.evaluate("""addEventListener("click", ({ target }) => {
      window.clicked = target.closest("a")?.getBoundingClientRect().top ?? window.clicked;
    }, true)""")
    missed = []
    for number in range(50):
        link = links.nth(number)
        link.evaluate("(link) => link.scrollIntoView({ block: 'center' })")
        link.click()
        expect(page.locator("#back-chip")).to_be_visible()
        if number % 2:
            page.go_back()
        else:
            page.keyboard.press("b")
        expect(page.locator("#back-chip")).to_be_hidden()
        after = link.evaluate("(link) => link.getBoundingClientRect().top")
        missed.append(abs(after - page.evaluate("window.clicked")))
    assert max(missed) <= 2


@pytest.mark.slow
def test_the_reading_place_survives_a_reload(reading):
    page = reading(proof(5))
    target = page.locator(".paper .passage").nth(40)
    target.evaluate("(passage) => passage.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(600)
    before = target.bounding_box()["y"]
    page.reload()
    everything_is_set(page)
    assert abs(target.bounding_box()["y"] - before) <= 2


@pytest.mark.slow
def test_the_outline_and_go_to_reach_every_numbered_statement_and_equation(reading):
    page = reading(proof(6))
    page.keyboard.press("Escape")
    wanted = [f"Theorem {at}.1" for at in range(1, 7)] + [f"Lemma {at}.2" for at in range(1, 7)]
    wanted += [f"({at}.{number})" for at in range(1, 7) for number in (1, 2)] + [
        f"Figure {at}" for at in range(1, 7)
    ]
    names = page.locator("#outline b").all_text_contents()
    assert set(wanted) <= set(names)
    for name in [*wanted, "[3]", "Footnote 2"]:
        page.keyboard.press("/")
        page.locator("#go-to input").fill(name)
        expect(page.locator("#go-to [aria-selected=true] b")).to_have_text(name)
        page.keyboard.press("Enter")
        expect(page.locator(".reached")).to_be_in_viewport()
        assert name.strip("()[]").split()[-1] in page.locator(".reached").inner_text().replace("\n", " ")
        page.wait_for_timeout(20)


def test_the_outline_keeps_a_title_that_is_a_citation(reading):
    source = r"\newtheorem{lemma}{Lemma}\begin{document}\begin{lemma}[\cite{knuth}]It holds.\end{lemma}"
    source += r"\begin{lemma}[Knuth, \cite{knuth}]It holds.\end{lemma}"
    source += r"\begin{thebibliography}{9}\bibitem{knuth} Knuth.\end{thebibliography}\end{document}"
    page = reading(r"\documentclass{article}" + source)
    entries = page.locator("#outline a:has(b)")
    expect(entries.nth(0)).to_have_text("Lemma 1 [1]")
    expect(entries.nth(1)).to_have_text("Lemma 2 Knuth, [1]")


@pytest.mark.slow
def test_go_to_understands_abbreviations_and_words(reading):
    page = reading(proof(6))
    for typed, found in (("le 2.2", "Lemma 2.2"), ("thm 4", "Theorem 4.1"), ("variance", "Lemma 1.2")):
        page.keyboard.press("/")
        page.locator("#go-to input").fill(typed)
        expect(page.locator("#go-to [aria-selected=true] b")).to_have_text(found)
        page.keyboard.press("Escape")
        expect(page.locator("#go-to")).to_be_hidden()
    page.keyboard.press("/")
    page.locator("#go-to input").fill("carry energy")
    expect(page.locator("#go-to li")).to_have_count(6)
    expect(page.locator("#go-to li").first).to_contain_text("in the text, 6 places")
    page.locator("#go-to input").fill("because f is constant")
    expect(page.locator("#go-to li").first).to_contain_text("because f is constant")
    page.locator("#go-to input").fill("no such words")
    expect(page.get_by_text("Nothing in this document matches.")).to_be_visible()


@pytest.mark.slow
def test_a_reference_shows_what_it_leads_to_on_focus_and_can_be_kept_beside_the_proof(reading):
    page = reading(proof(6))
    link = page.locator(".paper a.reference", has_text="2.2").first
    page.locator(".paper .passage").first.focus()
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("Lemma 2.2")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    expect(link).to_be_focused()
    link.hover()
    expect(preview).to_be_visible()
    preview.get_by_role("button", name="Keep next to the proof").click()
    expect(page.locator("#second")).to_contain_text("Lemma 2.2")
    expect(page.locator("#second-title")).to_have_text("Reference 2.2")


@pytest.mark.slow
def test_statement_and_reference_solution_are_read_beside_the_proof(reading):
    page = reading(proof(6))
    second = page.locator("#second")
    expect(second).to_contain_text("Show that")
    expect(page.locator("#paper .part")).to_have_count(0)
    page.locator("#beside-buttons").get_by_role("button", name="Reference solution").click()
    expect(second).to_contain_text("By definition")
    page.keyboard.press("d")
    expect(second).to_be_hidden()
    page.reload()
    everything_is_set(page)
    expect(second).to_be_hidden()  # what was chosen last holds on this device
    page.keyboard.press("d")
    expect(second).to_contain_text("Show that")


@pytest.mark.slow
def test_the_dividers_of_all_panes_are_dragged_and_moved_by_keyboard_and_stay(reading):
    page = reading(proof(6))

    def width(pane: str) -> float:
        return page.locator(pane).evaluate("node => node.getBoundingClientRect().width")

    page.locator("#second").get_by_role("button", name="Close").click()
    for pane, name, start in (
        ("#outline", "Width of the outline", 15),
        ("#second", "Width of the second document", 24),
    ):
        if pane == "#second":
            page.locator("#beside-buttons button").first.click()
        divider = page.get_by_role("separator", name=name)
        assert width(pane) == start * 16
        divider.focus()
        page.keyboard.press("ArrowRight")
        expect(divider).to_have_attribute("aria-valuenow", str(start + 1))
        assert width(pane) == (start + 1) * 16
        page.keyboard.press("End")
        widest = int(divider.get_attribute("aria-valuemax"))
        assert width(pane) == widest * 16
        box = divider.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 300)
        page.mouse.down()
        page.mouse.move(18 * 16, box["y"] + 320)
        page.mouse.up()
        expect(divider).to_have_attribute("aria-valuenow", "18")
        page.reload()
        everything_is_set(page)
        assert width(pane) == 18 * 16
        assert axe(page) == []
    form = page.get_by_role("separator", name="Width of the proof")
    form.focus()
    page.keyboard.press("Home")
    expect(form).to_have_attribute("aria-valuenow", "50")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 834, "height": 900})
    expect(page.get_by_role("separator")).to_have_count(0)


SELECT = """(words) => {
  const walk = document.createTreeWalker(document.querySelector(".paper"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode()); ) {
    const at = node.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return;
  }
}"""


@pytest.mark.slow
def test_a_highlight_takes_whole_words_and_is_submitted_without_a_comment(reading):
    page = reading(proof(6))
    page.evaluate(SELECT, "ooth of")
    page.locator("#selection-tools").get_by_role("button", name="Highlight").click()
    expect(page.locator("#comment-list li")).to_contain_text("tooth of")
    assert page.evaluate("[...CSS.highlights.get('highlighted')].map(String)") == ["tooth of"]
    page.keyboard.press("Escape")
    for key in ("1", "ArrowDown", "5", "Control+Enter"):
        page.keyboard.press(key)
    page.wait_for_url(re.compile(r"/grading/$"))
    marked = Comment.objects.get()
    text = marked.grade.assignment.item.output.text
    assert (marked.severity, marked.text) == ("highlight", "")
    block = text[text.index("Let $n") :]  # offsets count from the beginning of the passage
    assert block[marked.start : marked.end] == "tooth of"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (834, "light"), (390, "dark")]
)
def test_the_reading_page_is_accessible(reading, width, scheme):
    page = reading(proof(2), viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.evaluate(SELECT, "ooth of")
    expect(page.locator("#selection-tools")).to_be_visible()
    assert axe(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [420, 703, 1046])
def test_paper_has_the_statement_and_all_of_the_proof(reading, width):
    page = reading(proof(2))
    page.get_by_role("button", name="Close", exact=True).first.click()
    expect(page.locator("#second")).to_be_hidden()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": 1000})
    expect(page.locator(".second-text > [data-first]")).to_be_visible()
    assert page.locator(".second-text > :visible").count() == 1
    within = ["body", "main", ".split", ".book", ".paper", ".answers"]
    cut = "nodes => nodes.filter(n => n.scrollHeight > n.clientHeight + 1 && n.clientHeight).map(n => n.className)"
    overflow = "nodes => nodes.map(n => getComputedStyle(n).overflowY)"
    boxes = page.locator(", ".join(within))
    assert set(boxes.evaluate_all(overflow)) == {"visible"}
    assert boxes.evaluate_all(cut) == []
