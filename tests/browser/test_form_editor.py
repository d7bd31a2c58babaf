"""The editor of forms in Chromium: First Proof's form by keyboard alone, with its rule, and used to grade."""

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Rubric, RubricDraft
from annotation.rubrics import drafting
from annotation.rubrics.available import read_rubric_file, rubric_called, rubric_toml
from benchmark.protocols import get_protocol
from tests.browser.accessibility import axe
from tests.browser.test_grading import sign_in_again

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


@pytest.mark.slow
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


@pytest.mark.slow
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


def opened(sign_in, coordinator, start: str = "four-levels") -> tuple[Page, RubricDraft]:
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start=start)
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[draft.pk]))
    return page, draft


def content(page: Page, draft: RubricDraft) -> dict:
    """What the server has once the editor says that it has everything."""
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 50))")
    saved(page)
    draft.refresh_from_db()
    return draft.content


def test_a_level_typed_through_another_s_name_takes_nothing_of_it(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    page.get_by_label("Name of level 3").press("Control+a")
    page.keyboard.type("flawless but late")
    (level, *_) = content(page, draft)["questions"]
    assert level["scale"]["success"] == ["flawless", "minor revision"]
    assert level["anchors"]["flawless"] == "Correct and complete; at most misprints."
    assert level["anchors"]["flawless but late"] == "A serious gap that may be repairable."


def test_rules_written_after_a_removal_stay_when_it_is_undone(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    page.get_by_role("button", name="Edit Would you accept it as a proof?").click()
    page.get_by_role("button", name="Remove this question").click()
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("What the referee reads").last.fill("Say where.")
    page.get_by_role("button", name="Undo").click()
    rules = content(page, draft)["rules"]
    assert [rule.get("message") for rule in rules] == [None, "Say where.", None]
    assert rules[-1]["then"] == "accept"


def test_a_removed_level_comes_back_with_its_meaning(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    before = content(page, draft)
    page.get_by_role("button", name="Remove level 2").click()
    expect(page.locator(".levels tbody tr:not(.threshold)")).to_have_count(3)
    page.get_by_role("button", name="Undo: bring “minor revision” back").click()
    assert content(page, draft) == before


@pytest.mark.slow
def test_an_answer_that_a_question_lost_can_be_taken_out_of_a_rule(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    page.get_by_role("button", name="Remove level 4").click()
    rule = page.locator("#rule-0 .several").first
    rule.get_by_label("major revision").check()
    rule.get_by_label("reject").click()
    assert content(page, draft)["rules"][0]["values"] == ["major revision"]
    expect(rule.get_by_label("reject")).to_have_count(0)


def test_the_arrow_keys_pass_through_all_kinds_and_lose_no_level(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    before = content(page, draft)
    page.locator("#question-kind-0").focus()
    for key in ("ArrowDown", "ArrowUp"):
        for _ in range(4):
            page.keyboard.press(key)
    expect(page.locator("#question-kind-0")).to_have_value("levels")
    assert content(page, draft) == before


def test_the_button_that_moved_a_question_moves_it_on(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    page.get_by_role("button", name="Move Level down").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert [question["key"] for question in content(page, draft)["questions"]] == [
        "accept",
        "report",
        "level",
    ]
    expect(page.get_by_role("button", name="Move Level up")).to_be_focused()


def test_two_windows_stay_to_be_chosen_from(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    elsewhere = {**draft.content, "title": "From the laptop"}
    drafting.save_draft(actor=coordinator, draft=draft, saves=draft.saves, content=elsewhere)
    page.get_by_label("Meaning of level 1").fill("From the tablet.")
    expect(page.locator("#conflict")).to_be_visible()
    expect(page.locator("#conflict-mine")).to_contain_text("flawless: From the tablet.")
    for _ in range(4):
        page.keyboard.press("Escape")
    expect(page.locator("#conflict")).to_be_visible()
    page.get_by_role("button", name="Continue with this window").click()
    assert content(page, draft)["questions"][0]["anchors"]["flawless"] == "From the tablet."


@pytest.mark.parametrize(
    "sent",
    [
        {"questions": [{"text": "Why?"}]},
        {"questions": [{"text": 5, "key": None, "scale": {"level": "ordinal", "values": 5}}]},
        {"questions": [{"text": "Why?", "scale": "flag"}], "rules": [{"question": "x", "values": 3}]},
    ],
)
def test_what_the_editor_does_not_understand_becomes_empty(sign_in, coordinator, blank, sent):
    drafting.save_draft(actor=coordinator, draft=blank, saves=blank.saves, content=sent)
    page = sign_in(coordinator)
    page.goto(reverse("form-editor", args=[blank.pk]))
    expect(page.locator("#question-text-0")).to_be_visible()


@pytest.mark.slow
def test_a_form_is_used_after_signing_in_again_in_another_window(sign_in, coordinator):
    page, _ = opened(sign_in, coordinator)
    Session.objects.all().delete()
    page.get_by_label("Title").fill("Written meanwhile")
    expect(page.locator("#save-state")).to_contain_text("sign in again in another window")
    sign_in_again(page, coordinator)
    saved(page)
    page.get_by_role("button", name="Use this version").click()
    expect(page.locator(".messages")).to_contain_text("referee-v1 can be used by campaigns")
    assert Rubric.objects.get(name="referee").content["title"] == "Written meanwhile"


@pytest.mark.slow
def test_the_end_of_a_number_is_typed_anew_and_what_counts_as_solved_stays(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator, "points")
    page.get_by_label("solved from (optional)").fill("6")
    page.get_by_label("to", exact=True).press("Control+a")
    page.keyboard.type("10")
    points = content(page, draft)["questions"][0]
    assert points["scale"]["success"] == ["6", "7", "8", "9", "10"]
    assert points["anchors"] == {"0": "Nothing of value.", "7": "Complete and correct."}
    page.get_by_label("From", exact=True).fill("20")
    expect(page.locator('[data-question-problem="0"]')).to_contain_text("between 2 and 25 values, not 0")
    page.get_by_label("From", exact=True).fill("0")
    assert content(page, draft)["questions"][0] == points


@pytest.mark.slow
def test_a_name_in_tables_typed_through_another_s_takes_none_of_its_rules(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    page.get_by_role("button", name="Edit Report to the authors").click()
    page.get_by_text("Name in tables").click()
    page.locator("#question-key-2").press("Control+a")
    page.keyboard.type("level_of_detail")
    stored = content(page, draft)
    assert stored["questions"][2]["key"] == "level_of_detail"
    assert [rule["question"] for rule in stored["rules"]] == ["level", "level"]
    page.locator("#question-2 header .button").click()
    page.locator("#question-0 header .button").click()
    page.get_by_text("Name in tables").click()
    page.locator("#question-key-0").fill("verdict")
    assert [rule["question"] for rule in content(page, draft)["rules"]] == ["verdict", "verdict"]


def test_the_focus_of_a_rule_stays_on_the_control_that_was_used(sign_in, coordinator):
    page, draft = opened(sign_in, coordinator)
    rules = content(page, draft)["rules"]
    page.get_by_label("What the rule demands").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        expect(page.get_by_label("What the rule demands").first).to_be_focused()
    assert [rule["question"] for rule in content(page, draft)["rules"]] == [
        rule["question"] for rule in rules
    ]
    tick = page.locator("#rule-0 .several input").nth(1)
    tick.focus()
    page.keyboard.press("Space")
    expect(tick).to_be_focused()


@pytest.mark.slow
def test_what_keeps_a_form_from_being_used_gets_the_focus(sign_in, coordinator):
    page, _ = opened(sign_in, coordinator)
    page.get_by_label("Question", exact=True).fill("")
    page.get_by_label("Name of level 1").fill("")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Use this version").press("Enter")
    expect(page.locator('[data-question-problem="0"]')).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
