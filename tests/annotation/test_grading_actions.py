from dataclasses import replace

import pytest

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.assigning.actions import release_assignment
from annotation.campaigns.actions import close_campaign
from annotation.core.documents import anchors
from annotation.core.material import material
from annotation.core.queries import live_grade
from annotation.grading.actions import (
    DraftConflict,
    Sent,
    open_item,
    reopen_grade,
    save_draft,
    submit_or_revise,
)
from annotation.grading.answers import Incomplete
from annotation.models import Assignment, Comment, Draft, Grade
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE

pytestmark = pytest.mark.django_db


@pytest.fixture
def submit(place, algebraist):
    def run(content=COMPLETE, key="key-1", **fields):
        terms = {"rubric_sha256": place.item.campaign.rubric.sha256} | fields
        return submit_grade(
            reviewer=algebraist, assignment=place, content=content, idempotency_key=key, **terms
        )

    return run


@pytest.fixture
def save(place, algebraist):
    def run(version, content, **fields):
        return save_draft(reviewer=algebraist, assignment=place, version=version, content=content, **fields)

    return run


def code_of(refusal) -> str:
    return refusal.value.code


def test_each_save_raises_the_version(save):
    assert save(0, {"note": "a"}).version == 1
    assert save(1, {"note": "ab"}).version == 2
    assert Draft.objects.get().content == {"note": "ab"}


def test_a_save_over_a_newer_draft_is_refused_with_both_texts(save):
    save(0, {"note": "first window"})
    with pytest.raises(DraftConflict) as refusal:
        save(0, {"note": "second window"})
    assert code_of(refusal) == "draft_conflict"
    assert refusal.value.stored.content == {"note": "first window"}
    assert refusal.value.sent == {"note": "second window"}
    assert Draft.objects.get().content == {"note": "first window"}


def test_sending_again_what_was_stored_is_no_conflict_and_no_new_version(save):
    save(0, {"note": "a"})
    assert save(0, {"note": "a"}).version == 1
    assert save(1, {"note": "b"}).content == {"note": "b"}


def test_active_seconds_only_grow_and_are_bounded(save):
    save(0, {"note": "a"}, active_seconds=50)
    assert save(1, {"note": "b"}, active_seconds=20).active_seconds == 50
    assert save(2, {"note": "c"}, active_seconds=10**9).active_seconds == 7 * 24 * 3600


def test_malformed_drafts_are_refused(save):
    with pytest.raises(Refused) as refusal:
        save(0, {"system": "x"})
    assert code_of(refusal) == "malformed"


def test_a_submission_becomes_answers_in_long_form(submit, place):
    grade = submit(COMPLETE | {"note": " Nice. ", "seen_before": True, "statement_wrong": True})
    assert list(grade.answers.order_by("question").values_list("question", "value", "state")) == [
        ("correctness", "incorrect", "answered"),
        ("rigour", "2", "answered"),
    ]
    assert (grade.note, grade.seen_before, grade.statement_wrong) == ("Nice.", True, True)
    place.refresh_from_db()
    assert place.state == "submitted"
    assert AuditEvent.objects.filter(verb="submit_grade").count() == 1


def test_a_grade_records_what_was_shown_and_asked(submit, place):
    grade = submit()
    shown = material(place)
    assert grade.shown_sha256 == shown.sha256
    assert grade.rubric_sha256 == place.item.campaign.rubric.sha256


def test_comments_are_kept_at_their_block(submit, place):
    block, length = next(iter(anchors(material(place))[0].items()))
    remark = {"block": block, "start": 0, "end": length, "severity": "major", "kind": "gap", "text": "Why?"}
    submit(COMPLETE | {"anchored": [remark]})
    comment = Comment.objects.get()
    assert (comment.block, comment.end, comment.severity, comment.kind) == (block, length, "major", "gap")


def test_what_cannot_be_judged_is_an_abstention_with_its_reason(submit):
    grade = submit(
        {
            "answers": {"correctness": "inconclusive"},
            "abstained": ["rigour"],
            "comments": {"rigour": "The proof stops after one line."},
        }
    )
    answer = grade.answers.get(question="rigour")
    assert (answer.state, answer.value, answer.comment) == (
        "abstain",
        "",
        "The proof stops after one line.",
    )


def test_an_incomplete_submission_names_the_questions_and_writes_nothing(submit):
    with pytest.raises(Incomplete) as refusal:
        submit({"answers": {"correctness": "correct"}})
    assert list(refusal.value.problems) == ["rigour"]
    assert not Grade.objects.exists()


def test_the_same_key_and_body_again_give_the_same_grade(submit):
    assert submit() == submit()
    assert Grade.objects.count() == 1


def test_the_same_key_with_another_body_is_refused(submit):
    submit()
    with pytest.raises(Refused) as refusal:
        submit(COMPLETE | {"note": "other"})
    assert code_of(refusal) == "idempotency_mismatch"


@pytest.mark.parametrize("key", ["", "  ", "k" * 201])
def test_a_submission_needs_a_key_of_reasonable_length(submit, key):
    with pytest.raises(Refused) as refusal:
        submit(key=key)
    assert code_of(refusal) == "no_key"


def test_a_second_submission_is_refused(submit):
    submit()
    with pytest.raises(Refused) as refusal:
        submit(key="key-2")
    assert code_of(refusal) == "already_submitted"


def test_answers_to_an_old_rubric_are_refused_and_the_draft_stays(submit, save):
    save(0, {"note": "long work"})
    with pytest.raises(Refused) as refusal:
        submit(rubric_sha256="of yesterday")
    assert code_of(refusal) == "stale_rubric"
    assert Draft.objects.get().content == {"note": "long work"}


def test_a_text_that_changed_since_it_was_opened_is_refused(submit, place, algebraist):
    open_item(reviewer=algebraist, assignment=place, shown_sha256="of another text")
    with pytest.raises(Refused) as refusal:
        submit()
    assert code_of(refusal) == "stale_item"


def test_after_a_reload_the_text_that_was_read_is_what_counts(place, algebraist):
    open_item(reviewer=algebraist, assignment=place, shown_sha256="of another text")
    reloaded = Sent(COMPLETE, "key-1", place.item.campaign.rubric.sha256, shown_sha256=material(place).sha256)
    before = replace(reloaded, shown_sha256="of another text")
    with pytest.raises(Refused) as refusal:
        submit_or_revise(reviewer=algebraist, handle=place.handle, sent=before)
    assert code_of(refusal) == "stale_item"
    grade = submit_or_revise(reviewer=algebraist, handle=place.handle, sent=reloaded).grade
    place.refresh_from_db()
    assert grade.shown_sha256 == place.shown_sha256 == material(place).sha256


def test_the_first_opening_is_noted_once(place, algebraist):
    for shown in ("first", "second"):
        open_item(reviewer=algebraist, assignment=place, shown_sha256=shown)
    place.refresh_from_db()
    assert place.shown_sha256 == "first"
    assert AuditEvent.objects.filter(verb="open_item").count() == 1


def test_submitting_from_a_stale_window_is_a_conflict(submit, save):
    save(0, {"note": "first window"})
    save(1, {"note": "first window, longer"})
    with pytest.raises(DraftConflict):
        submit(draft_version=1)
    assert not Grade.objects.exists()


def test_a_submitted_item_takes_no_more_drafts(submit, save):
    save(0, {"note": "a"})
    submit(draft_version=1)
    with pytest.raises(Refused) as refusal:
        save(2, {"note": "from a forgotten tab"})
    assert code_of(refusal) == "already_submitted"


def test_reopening_brings_the_text_back_and_the_grade_stays_live(submit, place, algebraist, save):
    grade = submit()
    draft = reopen_grade(reviewer=algebraist, assignment=place)
    assert draft.content == COMPLETE
    assert live_grade(place) == grade
    assert save(draft.version, COMPLETE | {"note": "second thoughts"}).version == draft.version + 1


def test_a_revision_supersedes_and_both_versions_stay(submit, place, algebraist):
    first = submit()
    reopen_grade(reviewer=algebraist, assignment=place)
    second = submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={"answers": {"correctness": "correct", "rigour": "5"}},
        idempotency_key="key-2",
        rubric_sha256=first.rubric_sha256,
    )
    assert second.supersedes == first
    assert live_grade(place) == second
    assert first.answers.get(question="correctness").value == "incorrect"
    assert AuditEvent.objects.filter(verb="revise_grade").count() == 1


def test_there_is_nothing_to_reopen_before_the_first_grade(place, algebraist):
    with pytest.raises(Refused, match="no grade to reopen"):
        reopen_grade(reviewer=algebraist, assignment=place)


def test_closing_ends_saving_submitting_and_reopening(submit, save, place, opened, coordinator, algebraist):
    close_campaign(actor=coordinator, campaign=opened, reason="Done.")
    for verb in (
        lambda: save(0, {"note": "late"}),
        submit,
        lambda: reopen_grade(reviewer=algebraist, assignment=place),
    ):
        with pytest.raises(Refused, match="must be open"):
            verb()


def test_a_repeated_submission_is_answered_even_after_closing(submit, opened, coordinator):
    grade = submit()
    close_campaign(actor=coordinator, campaign=opened, reason="Done.")
    assert submit() == grade


def test_nobody_writes_into_the_place_of_another(place, analyst, coordinator, stranger):
    for person in (analyst, coordinator, stranger):
        with pytest.raises(NotAllowed):
            save_draft(reviewer=person, assignment=place, version=0, content={})
        with pytest.raises(NotAllowed):
            submit_grade(
                reviewer=person, assignment=place, content=COMPLETE, idempotency_key="k", rubric_sha256=""
            )


def test_a_reviewer_who_became_staff_no_longer_grades(place, algebraist, submit):
    algebraist.roles.create(name="coordinator")
    algebraist.known_roles = None
    with pytest.raises(NotAllowed):
        submit()


def test_a_released_place_takes_no_grade_and_keeps_its_draft(place, save, submit, coordinator):
    save(0, {"note": "half done"})
    release_assignment(actor=coordinator, assignment=place, reason="Late.")
    with pytest.raises(NotAllowed):
        submit()
    assert Draft.objects.get(assignment=place).content == {"note": "half done"}
    assert Assignment.objects.get(pk=place.pk).state == "released"
