"""Grading in a real browser: by mouse, by keyboard alone, and with things going wrong."""

import re

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from accounts.models import User
from annotation.assigning.taking import take_next
from annotation.campaigns.revising import revise_campaign
from annotation.grading.actions import save_draft
from annotation.models import Assignment, AssignmentState, Comment, Draft, Grade, ReleaseReason
from tests.accounts.test_second_factor import code_of
from tests.annotation.grading import submit
from tests.annotation.samples import COMPLETE
from tests.browser.conftest import session_cookie
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def item(sign_in, algebraist, place) -> Page:
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[place.handle]))
    scripts_run(page)
    return page


def scripts_run(page: Page) -> None:
    """Wait until the page's scripts listen to keys: then its clock shows a time."""
    expect(page.locator("#clock")).not_to_be_empty()


# A page that is being left may still send a request that no route of the test stops; this does.
AWAY = """(() => {
  const fetched = window.fetch;
  window.fetch = (...asked) => sessionStorage.away ? Promise.reject(new TypeError("away")) : fetched(...asked);
})()"""


def stored(page: Page, note: str) -> None:
    """Wait until the server has this note, and the page says so."""
    for _ in range(50):
        draft = Draft.objects.first()
        if draft is not None and draft.content.get("note") == note:
            break
        page.wait_for_timeout(200)
    else:
        raise AssertionError(f"the server has {draft and draft.content}, not {note!r}")
    expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|loaded"))


def test_an_item_is_graded_with_the_mouse_and_the_next_one_follows(sign_in, algebraist, opened):
    first = take_next(reviewer=algebraist, campaign=opened)
    second = take_next(reviewer=algebraist, campaign=opened)
    page = sign_in(algebraist)
    page.goto("/")
    page.get_by_role("button", name="Grade next").click()
    page.locator('label.choice:has([name="answer-correctness"][value="incorrect"])').click()
    page.locator('label.choice:has([name="answer-rigour"][value="2"])').click()
    page.locator(".passage").first.hover()
    page.locator(".passage").first.get_by_role("button", name="Comment").click()
    page.locator(".comment-editor").get_by_text("fatal").click()
    page.locator('.comment-editor [name="kind"]').select_option("gap")
    page.locator('.comment-editor [name="text"]').fill("This does not follow.")
    page.locator(".comment-editor").get_by_role("button", name="Keep").click()
    expect(page.locator(".passage-comments .comment")).to_contain_text("This does not follow.")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(f"**{reverse('grade', args=[second.handle])}")
    expect(page.locator(".messages")).to_contain_text("Submitted")
    grade = Grade.objects.get(assignment=first)
    assert dict(grade.answers.values_list("question", "value")) == {"correctness": "incorrect", "rigour": "2"}
    comment = Comment.objects.get()
    assert (comment.severity, comment.kind, comment.text) == ("fatal", "gap", "This does not follow.")


def test_an_item_is_graded_by_keyboard_alone(item, place):
    keys = item.keyboard
    keys.press("1")
    keys.press("ArrowDown")
    keys.press("4")
    keys.press("ArrowDown")
    keys.type("Well written. 3 c j")
    keys.press("Escape")
    keys.press("j")
    keys.press("j")
    keys.press("c")
    keys.type("A word is missing.")
    keys.press("Control+Enter")
    expect(item.locator(".comment-list li")).to_have_count(1)
    keys.press("Control+Enter")
    item.wait_for_url(re.compile(r"/grading/$"))
    grade = Grade.objects.get()
    assert dict(grade.answers.values_list("question", "value")) == {
        "correctness": "correct",
        "rigour": "4",
        "remarks": "Well written. 3 c j",
    }
    assert grade.comments.get().text == "A word is missing."


def test_question_mark_shows_the_keys_and_they_are_off_while_typing(item):
    item.keyboard.press("?")
    expect(item.locator("#keys")).to_be_visible()
    item.keyboard.press("Escape")
    item.locator('[name="note"]').fill("")
    item.locator('[name="note"]').press_sequentially("1?jc")
    expect(item.locator("#keys")).to_be_hidden()
    expect(item.locator('[name="note"]')).to_have_value("1?jc")
    expect(item.locator("input:checked")).to_have_count(0)


def test_an_incomplete_grade_is_refused_at_the_question_and_nothing_is_lost(item):
    item.locator('[name="note"]').fill("Half done.")
    item.keyboard.press("Control+Enter")
    expect(item.locator("#refusal")).to_contain_text("Not submitted")
    expect(item.locator("#problem-correctness")).to_have_text("This question still needs an answer.")
    expect(item.locator('[name="note"]')).to_have_value("Half done.")
    expect(item.locator("#question-correctness")).to_have_accessible_description(
        "This question still needs an answer."
    )
    assert not Grade.objects.exists()


def test_a_refusal_goes_question_by_question_once_it_is_repaired(item):
    item.keyboard.press("Control+Enter")
    expect(item.locator("#refusal")).to_be_visible()
    refused = item.locator(".problem:visible")
    expect(refused).to_have_count(2)
    item.locator('[name="note"]').fill("This repairs nothing.")
    expect(refused).to_have_count(2)
    item.locator("#question-correctness input").first.check()
    expect(refused).to_have_count(1)
    expect(item.locator("#refusal")).to_be_visible()
    item.locator("#question-rigour input").first.check()
    expect(refused).to_have_count(0)
    expect(item.locator("#refusal")).to_be_hidden()
    item.keyboard.press("Control+Enter")
    item.wait_for_url(re.compile(r"/grading/$"))


@pytest.mark.parametrize("width", [1280, 390])
def test_the_questions_are_two_steps_from_the_top_of_the_page(sign_in, algebraist, place, width):
    page = sign_in(algebraist, viewport={"width": width, "height": 844})
    page.goto(reverse("grade", args=[place.handle]))
    scripts_run(page)
    link = page.get_by_role("link", name="Skip to the questions")
    link.focus()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#question-correctness")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#question-correctness input").first).to_be_focused()


def test_instructions_are_open_until_read_and_again_once_they_change(sign_in, algebraist, place, coordinator):
    def instructed(words: str) -> None:
        revise_campaign(actor=coordinator, campaign=place.item.campaign, instructions=words)

    page = sign_in(algebraist)
    address = reverse("grade", args=[place.handle])
    shown, head = page.locator("#instructions p"), page.locator("#instructions summary")
    page.goto(address)
    scripts_run(page)
    expect(head).to_have_count(0)
    instructed("Judge the mathematics only.")
    page.reload()
    expect(shown).to_be_visible()
    expect(head).to_have_text("Instructions")
    page.reload()
    scripts_run(page)
    expect(head).to_be_visible()
    expect(shown).to_be_hidden()
    instructed("Judge the mathematics only, and every lemma.")
    page.reload()
    expect(shown).to_have_text("Judge the mathematics only, and every lemma.")
    expect(head).to_have_text("Instructions, changed since you last read them")


def test_what_is_typed_is_saved_within_seconds_and_survives_a_reload(item, place):
    item.locator('[name="note"]').press_sequentially("Slowly but surely.")
    stored(item, "Slowly but surely.")
    item.reload()
    expect(item.locator('[name="note"]')).to_have_value("Slowly but surely.")


@pytest.mark.slow
def test_while_the_server_is_away_the_text_stays_in_the_browser_and_is_saved_later(item, place):
    item.add_init_script(AWAY)
    item.evaluate(AWAY)
    item.evaluate("sessionStorage.away = 1")
    item.locator('[name="note"]').fill("Typed in a tunnel.")
    expect(item.locator("#save-state")).to_contain_text("kept in this browser")
    item.reload()
    expect(item.locator('[name="note"]')).to_have_value("Typed in a tunnel.")
    assert not Draft.objects.exists()
    item.evaluate("delete sessionStorage.away")
    stored(item, "Typed in a tunnel.")


@pytest.mark.slow
def test_a_save_that_arrives_after_the_page_was_read_again_is_no_other_version(item, place, algebraist):
    note, late = item.locator('[name="note"]'), []
    item.add_init_script(AWAY)
    item.evaluate(AWAY)
    item.evaluate("sessionStorage.away = 1")
    note.fill("Under way.")
    expect(item.locator("#save-state")).to_contain_text("kept in this browser")

    def overtaken(route: Route) -> None:
        """Once: before the first save of this visit, that of the one before is stored."""
        if not late:
            late.append(route.request.post_data_json["content"] | {"note": "Under way."})
            save_draft(reviewer=algebraist, assignment=place, version=0, content=late[0])
        route.continue_()

    item.evaluate("delete sessionStorage.away")
    item.route("**/api/v1/assignments/**", overtaken)
    item.reload()
    expect(note).to_have_value("Under way.")
    note.fill("Under way, and on.")
    stored(item, "Under way, and on.")
    assert late


def test_a_closed_tab_loses_nothing(item, place):
    item.route("**/api/v1/**", lambda route: route.abort())
    item.locator('[name="note"]').press_sequentially("Last words")
    context, address = item.context, item.url
    item.close()
    again = context.new_page()
    again.goto(address)
    expect(again.locator('[name="note"]')).to_have_value("Last words")
    stored(again, "Last words")


def sign_in_again(page: Page, person: User) -> None:
    other = page.context.new_page()
    other.goto(reverse("account_login"))
    other.locator('[name="login"]').fill(person.email)
    other.locator('[name="password"]').fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    other.close()


@pytest.mark.slow
def test_a_lost_session_is_said_and_saving_goes_on_after_signing_in_again(
    item,
    place,
    algebraist,
    live_server,
):
    Session.objects.all().delete()
    item.locator('[name="note"]').fill("Signed out meanwhile.")
    expect(item.locator("#save-state")).to_contain_text("Signed out: kept in this browser")
    expect(item.locator("#save-state button")).to_have_text("Sign in again")
    item.context.add_cookies([session_cookie(algebraist, live_server.url)])
    item.locator('[name="note"]').press_sequentially(" And back.")
    stored(item, "Signed out meanwhile. And back.")


@pytest.mark.slow
def test_signing_in_again_asks_for_the_second_factor_and_the_page_goes_on(item, algebraist):
    secret = generate_totp_secret()
    TOTP.activate(algebraist, secret)
    Session.objects.all().delete()
    item.locator('[name="note"]').fill("Before and after.")
    with item.expect_popup() as opened:
        item.get_by_role("button", name="Sign in again").click()
    window = opened.value
    window.get_by_label("Email").fill(algebraist.email)
    window.get_by_label("Password").fill(PASSWORD)
    window.get_by_role("button", name="Sign in", exact=True).click()
    window.get_by_label("Code").fill(code_of(secret, lasting=10))
    with window.expect_event("close", timeout=60_000):
        window.get_by_role("button", name="Sign in", exact=True).click()
    stored(item, "Before and after.")
    expect(item.locator('[name="note"]')).to_have_value("Before and after.")


def choose_key(page: Page, action: str, key: str) -> None:
    page.keyboard.press("?")
    page.locator(f'[data-action="{action}"] button').click()
    page.keyboard.press(key)


@pytest.mark.slow
def test_a_key_can_be_changed_and_stays_changed_in_this_browser(item):
    choose_key(item, "next-passage", "n")
    item.keyboard.press("Escape")
    item.reload()
    item.keyboard.press("j")
    expect(item.locator(".passage.current")).to_have_count(0)
    item.keyboard.press("n")
    expect(item.locator(".passage.current")).to_have_count(1)


@pytest.mark.parametrize(("key", "reason"), [("k", "is taken: previous passage"), ("3", "keeps its meaning")])
def test_a_key_that_means_something_else_is_refused(item, key, reason):
    choose_key(item, "next-passage", key)
    expect(item.locator("#keys-problem")).to_contain_text(reason)
    item.keyboard.press("Escape")
    item.locator("#keys").evaluate("(dialog) => dialog.close()")
    item.keyboard.press("j")
    expect(item.locator(".passage.current")).to_have_count(1)


def test_all_keys_go_back_to_what_they_were(item):
    choose_key(item, "next-passage", "n")
    item.get_by_role("button", name="Restore the default keys").click()
    expect(item.locator('[data-action="next-passage"] button')).to_have_text("j")


@pytest.mark.slow
def test_two_windows_are_shown_side_by_side_and_nothing_is_overwritten(item, place, algebraist):
    save_draft(reviewer=algebraist, assignment=place, version=0, content={"note": "From the laptop."})
    item.locator('[name="note"]').fill("From the tablet.")
    expect(item.locator("#conflict")).to_be_visible()
    expect(item.locator("#conflict-mine")).to_contain_text("From the tablet.")
    expect(item.locator("#conflict-theirs")).to_contain_text("From the laptop.")
    assert Draft.objects.get().content["note"] == "From the laptop."
    item.get_by_role("button", name="Continue with this window").click()
    stored(item, "From the tablet.")


@pytest.mark.slow
def test_the_saved_version_can_be_chosen_instead(item, place, algebraist):
    save_draft(reviewer=algebraist, assignment=place, version=0, content={"note": "From the laptop."})
    item.locator('[name="note"]').fill("From the tablet.")
    item.get_by_role("button", name="Continue with the saved version").click()
    expect(item.locator('[name="note"]')).to_have_value("From the laptop.")
    item.locator('[name="note"]').press_sequentially(" Continued.")
    stored(item, "From the laptop. Continued.")


def test_a_double_click_on_submit_makes_one_grade(item):
    item.keyboard.press("3")
    item.keyboard.press("ArrowDown")
    item.keyboard.press("0")
    item.get_by_role("button", name="Submit").dblclick()
    item.wait_for_url(re.compile(r"/grading/$"))
    assert Grade.objects.count() == 1


def test_the_source_of_a_block_is_one_key_away(item, place):
    item.keyboard.press("j")
    item.keyboard.press("s")
    source = item.locator(".passage").first.locator(".passage-source")
    expect(source).to_be_visible()
    assert source.inner_text().strip() in place.item.output.text


def test_the_divider_moves_by_keyboard_and_stays_where_it_was(item):
    divider = item.locator("#divider")
    divider.focus()
    before = item.locator("#paper").bounding_box()["width"]
    for _ in range(3):
        item.keyboard.press("ArrowLeft")
    after = item.locator("#paper").bounding_box()["width"]
    assert after < before
    item.reload()
    assert abs(item.locator("#paper").bounding_box()["width"] - after) < 2


@pytest.mark.slow
def test_a_submitted_item_is_reopened_and_revised(item, place):
    for key in ("1", "ArrowDown", "5", "Control+Enter"):
        item.keyboard.press(key)
    item.wait_for_url(re.compile(r"/grading/$"))
    item.get_by_role("link", name="Read or reopen it").click()
    item.get_by_role("button", name="Reopen and change").click()
    expect(item.locator('[name="answer-correctness"][value="correct"]')).to_be_checked()
    scripts_run(item)
    item.keyboard.press("2")
    item.keyboard.press("Control+Enter")
    item.wait_for_url(re.compile(r"/grading/$"))
    live = Grade.objects.get(superseded_by__isnull=True)
    assert live.answers.get(question="correctness").value == "inconclusive"
    assert Grade.objects.count() == 2


# Those fields of the form that lie under something else where they are scrolled into view.
COVERED = """fields => fields.filter(field => field.checkVisibility()).filter(field => {
    field.scrollIntoView({block: "nearest", behavior: "instant"});
    const {left, top, width, height} = field.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !field.contains(there);
}).map(field => field.outerHTML)"""


@pytest.mark.slow
def test_on_a_phone_the_form_is_a_sheet_over_the_text_and_nothing_scrolls_sideways(
    sign_in, algebraist, place
):
    page = sign_in(algebraist, viewport={"width": 360, "height": 740})
    for address in (reverse("queue"), reverse("grade", args=[place.handle]), reverse("finished")):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(reverse("grade", args=[place.handle]))
    page.get_by_role("button", name="Answer 2 left").click()
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport()
    expect(page.locator(".passage").first).to_be_in_viewport()  # the sheet leaves the text in sight
    covered = page.locator(".answers label.choice, .answers textarea").evaluate_all(COVERED)
    assert covered == []
    page.locator('label.choice:has([name="answer-correctness"][value="correct"])').click()
    page.get_by_role("button", name="Back to the text").click()
    expect(page.get_by_role("button", name="Submit")).to_be_hidden()
    expect(page.get_by_role("button", name="Answer 1 left")).to_be_focused()


def test_without_scripts_a_phone_shows_the_form_below_the_proof(sign_in, algebraist, place):
    page = sign_in(algebraist, viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page.goto(reverse("grade", args=[place.handle]))
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problem-correctness")).to_have_text("This question still needs an answer.")


def write_comment(page: Page, passage: int, text: str) -> None:
    page.locator(".passage").nth(passage).hover()
    page.locator(".passage").nth(passage).get_by_role("button", name="Comment").click()
    page.locator('.comment-editor [name="text"]').fill(text)


def kept_comments(page: Page, expected: list[str]) -> None:
    """Wait until the server has these comments and no others."""
    for _ in range(50):
        draft = Draft.objects.first()
        found = [each["text"] for each in draft.content["anchored"]] if draft else None
        if found == expected:
            return
        page.wait_for_timeout(200)
    raise AssertionError(f"the server has {found}, not {expected}")


@pytest.mark.slow
def test_two_windows_stay_to_be_chosen_from_however_often_escape_is_pressed(item, place, algebraist):
    save_draft(reviewer=algebraist, assignment=place, version=0, content={"note": "From the laptop."})
    item.locator('[name="note"]').fill("From the tablet.")
    expect(item.locator("#conflict")).to_be_visible()
    for _ in range(4):
        item.keyboard.press("Escape")
    expect(item.locator("#conflict")).to_be_visible()
    item.get_by_role("button", name="Continue with this window").click()
    expect(item.locator("#conflict")).to_be_hidden()
    stored(item, "From the tablet.")


@pytest.mark.slow
def test_a_comment_is_changed_where_it_stands_though_another_was_removed_meanwhile(item):
    for number in range(3):
        write_comment(item, number % 2, f"Comment {number}.")
        item.get_by_role("button", name="Keep").click()
    lines = item.locator(".comment-list li")
    lines.nth(1).get_by_role("button", name="Edit").click()
    item.locator('.comment-editor [name="text"]').fill("Changed.")
    lines.nth(0).get_by_role("button", name="Remove").click()
    item.get_by_role("button", name="Keep").click()
    expect(lines).to_have_count(2)
    kept_comments(item, ["Changed.", "Comment 2."])


@pytest.mark.slow
def test_a_comment_that_is_being_written_is_saved_and_can_be_taken_back(item):
    write_comment(item, 0, "Half a")
    kept_comments(item, ["Half a"])
    write_comment(item, 1, "Whole.")
    expect(item.locator(".comment-list li")).to_have_count(1)
    item.get_by_role("button", name="Cancel").click()
    kept_comments(item, ["Half a"])
    item.reload()
    scripts_run(item)
    item.locator(".comment-list").get_by_role("button", name="Edit").click()
    item.locator('.comment-editor [name="text"]').fill("Another")
    kept_comments(item, ["Another"])
    item.keyboard.press("Escape")
    expect(item.locator(".comment-editor .bank-status")).to_contain_text("Escape again")
    kept_comments(item, ["Another"])
    item.keyboard.press("Escape")
    kept_comments(item, ["Half a"])


@pytest.mark.slow
def test_a_comment_that_is_being_written_is_submitted(item):
    item.keyboard.press("1")
    item.keyboard.press("ArrowDown")
    item.keyboard.press("4")
    write_comment(item, 0, "Never kept by hand.")
    item.get_by_role("button", name="Submit").click()
    item.wait_for_url(re.compile(r"/grading/$"))
    assert Comment.objects.get().text == "Never kept by hand."


@pytest.mark.slow
def test_what_was_taken_back_before_it_was_sent_does_not_return_with_a_reload(item):
    item.locator('[name="note"]').fill("Kept.")
    stored(item, "Kept.")
    item.locator('[name="note"]').fill("Taken back.")
    item.locator('[name="note"]').fill("Kept.")
    item.reload()
    scripts_run(item)
    expect(item.locator("#save-state")).to_have_attribute("data-state", "loaded")
    item.wait_for_timeout(500)  # what the browser keeps is read after the page
    expect(item.locator('[name="note"]')).to_have_value("Kept.")


@pytest.mark.slow
def test_an_item_that_is_given_up_keeps_its_last_words_after_signing_in_again(item, algebraist):
    Session.objects.all().delete()
    item.locator('[name="note"]').fill("Signed out.")
    expect(item.locator("#save-state")).to_contain_text("Signed out: kept in this browser")
    sign_in_again(item, algebraist)
    stored(item, "Signed out.")
    item.on("dialog", lambda dialog: dialog.accept())
    item.locator('[name="note"]').fill("The last words.")
    item.get_by_role("button", name="Out of my field").click()
    item.wait_for_url(re.compile(r"/grading/$"))
    assert Draft.objects.get().content["note"] == "The last words."


@pytest.mark.slow
def test_an_item_that_was_taken_back_meanwhile_is_said_to_be_gone_and_the_text_kept(item, place, faults):
    faults.forgive("404")
    Assignment.objects.filter(pk=place.pk).update(
        state=AssignmentState.RELEASED, release_reason=ReleaseReason.WITHDRAWN
    )
    item.locator('[name="note"]').fill("Too late.")
    expect(item.locator("#save-state")).to_contain_text("no longer in your queue; your text is kept")
    item.locator("#submit").click()
    expect(item.locator("#refusal")).to_contain_text("no longer in your queue; your text is kept")


@pytest.mark.slow
def test_on_a_phone_the_sheet_of_a_page_that_is_only_read_takes_the_focus_and_escape_gives_it_back(
    sign_in, algebraist, place
):
    submit(algebraist, place, **COMPLETE["answers"])
    page = sign_in(algebraist, viewport={"width": 390, "height": 780})
    page.goto(reverse("grade", args=[place.handle]))
    button = page.locator('#dock [data-sheet="answers"]')
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate('document.activeElement.closest(".answers") !== null')
    page.keyboard.press("Escape")
    expect(page.locator(".answers")).to_be_hidden()
    expect(button).to_be_focused()


def test_on_a_phone_keys_answer_in_sight_and_a_refusal_shows_the_question_that_is_open(
    sign_in, algebraist, place, faults
):
    faults.forgive("409")
    page = sign_in(algebraist, viewport={"width": 390, "height": 780})
    page.goto(reverse("grade", args=[place.handle]))
    answers = page.locator(".answers")
    page.keyboard.press("Control+Enter")
    expect(answers.locator(".question.refused").first).to_be_focused()
    for key in ("1", "ArrowDown"):
        page.keyboard.press("Escape")
        expect(answers).to_be_hidden()
        page.keyboard.press(key)
        expect(answers).to_be_visible()
    page.keyboard.press("1")
    expect(answers.locator("input[type=radio]:checked")).to_have_count(2)
