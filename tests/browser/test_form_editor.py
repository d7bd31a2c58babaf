"""The editor of forms in Chromium: First Proof's form by keyboard alone, with its rule, and used to grade."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Rubric, RubricDraft
from annotation.rubrics import drafting
from annotation.rubrics.available import read_rubric_file, rubric_called, rubric_toml
from benchmark.protocols import get_protocol
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LEVELS = [
    ("Flawless", "Correct and complete; at most misprints."),
    ("Minor revision", "Correct; small gaps that any expert can fill."),
    ("Major revision", "A serious gap that may be repairable."),
    ("Reject", "Wrong, or an essential step is missing."),
]


@pytest.fixture
def blank(coordinator) -> RubricDraft:
    return drafting.start_draft(actor=coordinator, protocol="proofs", start="blank")


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")


def focus(page: Page, name: str, within: str = "body") -> None:
    """Move on with Tab until the focus is on the control of this name, as somebody without a mouse does."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate(
            """([name, within]) => {
              const at = document.activeElement;
              const words = at.getAttribute("aria-label") ?? at.closest("label")?.innerText ?? at.innerText ?? "";
              return at.closest(within) !== null && words.trim().startsWith(name);
            }""",
            [name, within],
        ):
            return
    raise AssertionError(f"no control {name!r} is reached with Tab")


def test_first_proof_s_form_is_composed_by_keyboard_alone(sign_in, coordinator, blank):
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[blank.pk]))
    keys = page.keyboard
    focus(page, "Title")
    keys.type("Referee's report")
    focus(page, "Short name")
    keys.press("Control+a")
    keys.type("referee")
    focus(page, "Add a question")
    keys.press("Enter")
    keys.type("Level")
    for _ in range(2):
        focus(page, "Add a level")
        keys.press("Enter")
    for number, (name, meaning) in enumerate(LEVELS, start=1):
        focus(page, f"Name of level {number}")
        keys.press("Control+a")
        keys.type(name)
        focus(page, f"Meaning of level {number}")
        keys.type(meaning)
    focus(page, "Level 2 counts as solved")
    keys.press("Space")
    expect(page.locator(".threshold")).to_contain_text("above: counts as solved")
    focus(page, "Add a question")
    keys.press("Enter")
    keys.type("Would you accept it?")
    focus(page, "Kind")
    keys.type("Yes or no")
    focus(page, "Add a rule")
    keys.press("Enter")
    focus(page, "What the rule demands")
    keys.press("Home")
    expect(page.locator("#rule-0 .several").nth(1)).to_contain_text("no")
    saved(page)
    stored = RubricDraft.objects.get().content
    assert stored["rules"] == [
        {"question": "level", "values": ["Reject"], "then": "would_you_accept_it", "allowed": ["yes"]}
    ]
    focus(page, "no", "#rule-0")
    keys.press("Space")
    focus(page, "yes", "#rule-0")
    keys.press("Space")
    saved(page)
    page.wait_for_timeout(500)  # the preview that follows a save
    focus(page, "Flawless", "#preview")
    for number in (1, 2, 3):
        keys.press("ArrowDown")
        expect(page.locator('#preview [name="answer-level"]').nth(number)).to_be_checked()
        page.wait_for_timeout(300)  # the server renders the preview again
    focus(page, "yes", "#preview")
    keys.press("Space")
    expect(page.locator("#preview .problem:visible")).to_have_text(
        "You answered “Reject”. Then this must be “no”."
    )
    assert axe(page) == []
    focus(page, "Use this version")
    keys.press("Enter")
    expect(page.locator(".messages")).to_contain_text("referee-v1 can be used by campaigns")
    row = Rubric.objects.get(name="referee")
    assert row.content["questions"][0]["scale"] == {
        "level": "ordinal",
        "values": [name for name, _ in LEVELS],
        "success": ["Flawless", "Minor revision"],
    }
    (again,) = read_rubric_file(
        rubric_toml(rubric_called("proofs", "referee-v1")).encode(), get_protocol("proofs")
    )
    assert again.sha256 == row.sha256


def test_a_number_with_too_many_steps_is_refused_where_it_is_written(sign_in, coordinator):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="points")
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[draft.pk]))
    page.get_by_label("to", exact=True).fill("100")
    problem = page.locator('[data-question-problem="0"]')
    expect(problem).to_contain_text("between 2 and 25 values, not 101")
    page.get_by_label("in steps of").fill("10")
    expect(problem).to_be_hidden()


def test_a_removed_question_comes_back_with_its_rules(sign_in, coordinator):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="four-levels")
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[draft.pk]))
    expect(page.locator("#form-rules > li")).to_have_count(2)
    page.get_by_role("button", name="Remove this question").click()
    expect(page.locator("#form-rules > li")).to_have_count(0)
    page.get_by_role("button", name="Undo: bring “Level” back").click()
    expect(page.locator("#form-rules > li")).to_have_count(2)
    saved(page)
    draft.refresh_from_db()
    assert [question["key"] for question in draft.content["questions"]] == ["level", "accept", "report"]


def test_two_windows_are_shown_side_by_side(sign_in, coordinator):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="yes-or-no")
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[draft.pk]))
    drafting.save_draft(
        actor=coordinator, draft=draft, saves=1, content={**draft.content, "title": "Elsewhere"}
    )
    page.locator("#form-title").fill("Here")
    expect(page.locator("#conflict-theirs")).to_contain_text("Elsewhere")
    page.get_by_role("button", name="Continue with this window").click()
    saved(page)
    draft.refresh_from_db()
    assert draft.content["title"] == "Here"


def test_a_form_that_is_not_whole_is_not_used(sign_in, coordinator, blank):
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[blank.pk]))
    page.get_by_role("button", name="Use this version").click()
    expect(page.locator("#form-problem")).to_contain_text("Add a question")
    assert not Rubric.objects.filter(name="form").exists()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (834, "dark")])
def test_the_editor_fits_a_phone_and_a_tablet(sign_in, coordinator, width, scheme):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="four-levels")
    page = sign_in(coordinator, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(reverse("form-editor", args=[draft.pk]))
    expect(page.locator("#preview .question")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(page) == []
