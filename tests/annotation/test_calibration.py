"""Calibration: blind answers, revealed to those who gave them, discussed, answered again; the blind ones count."""

import datetime as dt
import json

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role
from accounts.refusal import NotAllowed, Refused
from annotation.assigning.actions import plan_assignment, release_assignment
from annotation.assigning.taking import take_next
from annotation.calibration.actions import (
    answer_again,
    discuss,
    end_calibration,
    make_calibration,
    reveal_calibration,
)
from annotation.core.own_data import own_data
from annotation.core.queries import free_pairs
from annotation.grading.actions import reopen_grade
from annotation.models import (
    Assignment,
    CalibrationItem,
    CalibrationRemark,
    CalibrationRound,
    Grade,
    Item,
    LaterAnswer,
    LaterGrade,
)
from benchmark.models import Instance
from reports.labels.rows import label_rows
from tests.annotation.grading import submit, submit_grade
from tests.conftest import without_guards
from tests.documents import calibration_document
from tests.factories import AssignmentFactory, CampaignFactory, ItemFactory, PaperFactory

pytestmark = pytest.mark.django_db

AGAIN = {"answers": {"correctness": "incorrect", "rigour": "3"}}


@pytest.fixture
def round_of_one(opened, coordinator, algebraist, second_algebraist):
    made = make_calibration(actor=coordinator, campaign=opened, items=1)
    item = made.items.get().item
    for person, value in ((algebraist, "correct"), (second_algebraist, "incorrect")):
        place = AssignmentFactory(item=item, reviewer=person, handle=f"h-{person.pk}")
        submit(person, place, correctness=value, rigour="3")
    return made


@pytest.fixture
def revealed(round_of_one, coordinator):
    reveal_calibration(actor=coordinator, campaign=round_of_one.campaign)
    return CalibrationRound.objects.get()


def place_of(person) -> Assignment:
    return Assignment.objects.get(reviewer=person, item__calibration__isnull=False)


def test_a_round_takes_items_in_the_seeded_order_and_one_round_is_open_at_a_time(opened, coordinator):
    made = make_calibration(actor=coordinator, campaign=opened, items=2)
    assert made.items.count() == 2
    with pytest.raises(Refused) as refusal:
        make_calibration(actor=coordinator, campaign=opened, items=1)
    assert refusal.value.code == "round_open"


@pytest.mark.parametrize("items", [0, 7])
def test_a_round_has_between_one_item_and_all(opened, coordinator, items):
    with pytest.raises(Refused) as refusal:
        make_calibration(actor=coordinator, campaign=opened, items=items)
    assert refusal.value.code == "too_few"


def test_a_reviewer_makes_and_reveals_no_round(opened, algebraist):
    for verb in (reveal_calibration, end_calibration):
        with pytest.raises(NotAllowed):
            verb(actor=algebraist, campaign=opened)


def test_a_round_is_revealed_only_when_every_item_has_two_answers_and_nobody_is_at_it(
    round_of_one, coordinator, analyst, blind_page
):
    place = AssignmentFactory(item=round_of_one.items.get().item, reviewer=analyst)
    with pytest.raises(Refused) as refusal:
        reveal_calibration(actor=coordinator, campaign=round_of_one.campaign)
    assert refusal.value.code == "not_answered"
    release_assignment(actor=coordinator, assignment=place, reason="late")
    reveal_calibration(actor=coordinator, campaign=round_of_one.campaign)


@pytest.fixture
def blind_page(round_of_one, client, algebraist):
    """Before the reveal nobody's answers are shown, by page or REST."""
    client.force_login(algebraist)
    for name in ("discussion", "api-discussion"):
        assert client.get(reverse(name, args=[place_of(algebraist).handle])).status_code == 404


def test_after_the_reveal_everybody_who_answered_sees_all_answers_by_letter(
    revealed, client, algebraist, second_algebraist, analyst
):
    client.force_login(algebraist)
    shown = client.get(reverse("api-discussion", args=[place_of(algebraist).handle])).json()
    (correctness,) = [q for q in shown["questions"] if q["key"] == "correctness"]
    assert sorted(g["blind"][0][1] for g in correctness["graders"]) == ["correct", "incorrect"]
    assert [g["blind"][0][1] for g in correctness["graders"] if g["own"]] == ["correct"]
    page = client.get(reverse("discussion", args=[place_of(algebraist).handle])).content.decode()
    for hidden in (second_algebraist.name, second_algebraist.rater, second_algebraist.email):
        assert hidden not in page + json.dumps(shown)
    assert (
        reverse("discussion", args=[place_of(algebraist).handle])
        in client.get(reverse("queue")).content.decode()
    )
    client.force_login(analyst)
    assert client.get(reverse("discussion", args=[place_of(algebraist).handle])).status_code == 404


def test_a_discussion_is_closed_to_who_has_to_grade_the_same_text_in_another_campaign(
    revealed, client, algebraist, second_algebraist, coordinator
):
    place = place_of(algebraist)
    other = CampaignFactory(
        release=place.item.campaign.release, phase="open", opened_at=timezone.now(), name="Second look"
    )
    waiting = AssignmentFactory(
        item=ItemFactory(campaign=other, output=place.item.output), reviewer=algebraist
    )
    client.force_login(algebraist)
    queue = client.get(reverse("queue")).content.decode()
    assert "Opens when you have graded the same text in Second look." in queue
    assert reverse("discussion", args=[place.handle]) not in queue
    for address in ("discussion", "api-discussion"):
        assert client.get(reverse(address, args=[place.handle])).status_code == 404
    own = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert "What the others answered opens when you have graded the same text in Second look." in own
    assert reverse("discussion", args=[place.handle]) not in own
    client.force_login(second_algebraist)  # who has no such place
    assert client.get(reverse("discussion", args=[place_of(second_algebraist).handle])).status_code == 200
    client.force_login(algebraist)
    Assignment.objects.filter(pk=waiting.pk).update(state="submitted", submitted_at=timezone.now())
    assert client.get(reverse("discussion", args=[place.handle])).status_code == 200


def test_revealed_blind_answers_are_neither_reopened_nor_revised_nor_added_to(
    revealed, algebraist, analyst, coordinator
):
    place = place_of(algebraist)
    for verb in (
        lambda: reopen_grade(reviewer=algebraist, assignment=place),
        lambda: submit_grade(
            reviewer=algebraist,
            assignment=place,
            content=AGAIN,
            idempotency_key="other",
            rubric_sha256=place.item.campaign.rubric.sha256,
        ),
    ):
        with pytest.raises(Refused) as refusal:
            verb()
        assert refusal.value.code == "revealed"
    item = revealed.items.get().item
    item.places = 5
    assert item.pk not in {pair[0] for pair in free_pairs(analyst, {item.domain}, revealed.campaign)} | {
        pair[0] for pair in plan_assignment(revealed.campaign).pairs
    }


def test_remarks_are_shown_with_their_formulas_and_by_letter(revealed, client, algebraist, second_algebraist):
    client.force_login(second_algebraist)
    client.post(
        reverse("discussion", args=[place_of(second_algebraist).handle]),
        {"text": "See **step 2**: $x^2$ <script>alert(1)</script>"},
    )
    client.force_login(algebraist)
    page = client.get(reverse("discussion", args=[place_of(algebraist).handle])).content.decode()
    assert "<strong>step 2</strong>" in page
    assert "<script>alert" not in page


def test_only_who_answered_or_runs_the_campaign_takes_part(revealed, analyst, coordinator):
    item = revealed.items.get().item
    with pytest.raises(NotAllowed):
        discuss(author=analyst, item=item, text="I have a view.")
    discuss(author=coordinator, item=item, text="Please look at the definition.")
    with pytest.raises(Refused):
        discuss(author=coordinator, item=item, text="  ")


def test_second_answers_stand_beside_the_blind_ones_once_and_with_a_reason(revealed, algebraist):
    place = place_of(algebraist)
    with pytest.raises(Refused) as refusal:
        answer_again(reviewer=algebraist, assignment=place, content=AGAIN, reason=" ")
    assert refusal.value.code == "no_reason"
    with pytest.raises(Refused) as refusal:
        answer_again(reviewer=algebraist, assignment=place, content={"answers": {}}, reason="Convinced.")
    assert refusal.value.code == "incomplete"
    answer_again(reviewer=algebraist, assignment=place, content=AGAIN, reason="Convinced.")
    with pytest.raises(Refused) as refusal:
        answer_again(reviewer=algebraist, assignment=place, content=AGAIN, reason="Convinced.")
    assert refusal.value.code == "already_answered"
    assert Grade.objects.filter(assignment=place).count() == 1


def test_only_blind_answers_are_labels(revealed, algebraist):
    before = list(label_rows(revealed.campaign.release))
    answer_again(reviewer=algebraist, assignment=place_of(algebraist), content=AGAIN, reason="Convinced.")
    assert list(label_rows(revealed.campaign.release)) == before
    assert {row["value"] for row in before if row["question"] == "correctness"} == {"correct", "incorrect"}


@pytest.mark.parametrize("paper", [True, False])
def test_agreement_is_reported_before_and_after(revealed, algebraist, client, coordinator, paper):
    item = place_of(algebraist).item
    named = PaperFactory(release=item.instance.release) if paper else None
    with without_guards(connection.cursor()):
        Instance.objects.filter(pk=item.instance_id).update(paper=named)
    answer_again(reviewer=algebraist, assignment=place_of(algebraist), content=AGAIN, reason="Convinced.")
    document = calibration_document(revealed.campaign)
    # one item, two reviewers: they differed on correctness and now agree; they always agreed on rigour
    percent = {
        when: {key: document[when][key]["coefficients"]["percent"]["value"] for key in document["questions"]}
        for when in ("before", "after")
    }
    assert percent == {
        "before": {"correctness": 0.0, "rigour": 1.0},
        "after": {"correctness": 1.0, "rigour": 1.0},
    }
    assert document["changed"] == {"correctness": 1, "rigour": 0}
    assert (document["items"], document["blind"], document["answered_again"]) == (1, 2, 1)
    client.force_login(coordinator)
    assert client.get(reverse("api-calibration-agreement", args=["round-1"])).json()["changed"] == {
        "correctness": 1, "rigour": 0,
    }  # fmt: skip
    assert "Afterwards" in client.get(reverse("calibration-agreement", args=["round-1"])).content.decode()


def test_an_ended_discussion_is_read_and_not_continued(revealed, algebraist, coordinator, client):
    end_calibration(actor=coordinator, campaign=revealed.campaign)
    place = place_of(algebraist)
    for verb in (
        lambda: discuss(author=algebraist, item=place.item, text="One more."),
        lambda: answer_again(reviewer=algebraist, assignment=place, content=AGAIN, reason="Late."),
    ):
        with pytest.raises(Refused) as refusal:
            verb()
        assert refusal.value.code == "not_discussed"
    client.force_login(algebraist)
    assert client.get(reverse("discussion", args=[place.handle])).status_code == 200


def test_a_discussion_ends_although_the_clock_was_set_back(revealed, coordinator):
    with time_machine.travel(timezone.now() - dt.timedelta(hours=1)):
        ended = end_calibration(actor=coordinator, campaign=revealed.campaign)
    assert ended.ended_at == ended.revealed_at


def test_a_page_of_an_earlier_round_reveals_and_ends_no_later_one(revealed, coordinator, client):
    client.force_login(coordinator)
    end_calibration(actor=coordinator, campaign=revealed.campaign)
    later = make_calibration(actor=coordinator, campaign=revealed.campaign, items=1)
    address = reverse("calibration", args=[revealed.campaign.slug])
    assert f'name="seen" value="{later.pk}"' in client.get(address).content.decode()
    for verb in ("reveal", "end"):
        page = client.post(address, {"verb": verb, "seen": revealed.pk}, follow=True).content.decode()
        assert "The round that you looked at has ended" in page
    later.refresh_from_db()
    assert (later.revealed_at, later.ended_at) == (None, None)


def test_pages_and_rest_lead_through_a_round(opened, client, coordinator):
    client.force_login(coordinator)
    page, api = reverse("calibration", args=["round-1"]), reverse("api-calibration", args=["round-1"])
    assert "no round yet" in client.get(page).content.decode()
    client.post(page, {"verb": "make", "items": "2"})
    assert [len(row["items"]) for row in client.get(api).json()] == [2]
    refused = client.post(api, {"verb": "reveal"}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_answered")
    assert "can be revealed when every item" in client.post(page, {"verb": "reveal"}).content.decode()
    early = client.post(api, {"verb": "end"}, "application/json")
    assert early.status_code == 409
    assert "not been revealed yet" in early.json()["reason"]


def test_second_answers_without_a_reason_come_back_open_at_the_field_of_the_reason(
    revealed, client, algebraist
):
    """They were folded away, under a sentence at the top of the page."""
    client.force_login(algebraist)
    reply = client.post(reverse("answer-again", args=[place_of(algebraist).handle]), {"answer-rigour": "4"})
    assert reply.status_code == 409
    assert '<details class="card" open>' in reply.content.decode()
    assert 'name="reason" rows="2" required aria-invalid="true"' in reply.content.decode()


def test_the_second_answers_page_keeps_what_was_typed_when_it_refuses(revealed, client, algebraist):
    client.force_login(algebraist)
    place = place_of(algebraist)
    reply = client.post(reverse("answer-again", args=[place.handle]), {"answer-rigour": "4", "reason": "So."})
    assert reply.status_code == 409
    assert 'value="4" checked' in reply.content.decode()
    assert client.post(
        reverse("answer-again", args=[place.handle]),
        {"answer-rigour": "4", "answer-correctness": "incorrect", "reason": "So."},
    ).status_code == 302  # fmt: skip
    assert LaterGrade.objects.get().reason == "So."


def test_later_answers_and_remarks_are_among_the_own_data(revealed, algebraist):
    discuss(author=algebraist, item=place_of(algebraist).item, text="Mine.")
    answer_again(reviewer=algebraist, assignment=place_of(algebraist), content=AGAIN, reason="Convinced.")
    own = own_data(algebraist)
    assert [row["text"] for row in own["remarks_in_discussions"]] == ["Mine."]
    assert own["places"][0]["later"][0]["reason"] == "Convinced."


def test_the_database_takes_no_grade_and_no_place_of_a_revealed_item(revealed, algebraist, analyst):
    with (
        pytest.raises(IntegrityError, match="blind answers of a revealed item are final"),
        transaction.atomic(),
    ):
        Grade.objects.create(
            assignment=place_of(algebraist), supersedes=Grade.objects.first(), idempotency_key="forged"
        )
    with pytest.raises(IntegrityError, match="no more places"), transaction.atomic():
        AssignmentFactory(item=revealed.items.get().item, reviewer=analyst)


def test_the_database_keeps_rounds_remarks_and_later_answers(revealed, algebraist, coordinator):
    subject = revealed.items.get()
    discuss(author=algebraist, item=subject.item, text="Mine.")
    answer_again(reviewer=algebraist, assignment=place_of(algebraist), content=AGAIN, reason="Convinced.")
    for model in (CalibrationItem, CalibrationRemark, LaterGrade, LaterAnswer):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.update(id=999)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.all()._raw_delete("default")
    for change in ({"revealed_at": None, "revealed_by": None}, {"made_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="never hidden again"), transaction.atomic():
            CalibrationRound.objects.update(**change)
    with pytest.raises(IntegrityError, match="not deleted"), transaction.atomic():
        CalibrationRound.objects.all()._raw_delete("default")
    with pytest.raises(IntegrityError, match="before it is revealed"), transaction.atomic():
        CalibrationItem.objects.create(
            round=revealed, item=revealed.campaign.items.exclude(pk=subject.item_id)[0]
        )


def test_the_database_wants_items_of_the_campaign_and_discussion_after_the_reveal(round_of_one, algebraist):
    with pytest.raises(IntegrityError, match="items of its campaign"), transaction.atomic():
        CalibrationItem.objects.create(round=round_of_one, item=ItemFactory())
    with pytest.raises(IntegrityError, match="between the reveal and the end"), transaction.atomic():
        CalibrationRemark.objects.create(subject=round_of_one.items.get(), author=algebraist, text="x")
    with pytest.raises(IntegrityError, match="later answers come after"), transaction.atomic():
        LaterGrade.objects.create(assignment=place_of(algebraist), occasion="discussion", reason="x")


def test_the_database_knows_what_a_round_and_a_later_grade_are(revealed, coordinator, algebraist):
    campaign = revealed.campaign
    with pytest.raises(IntegrityError), transaction.atomic():  # a second round that is not ended
        CalibrationRound.objects.create(campaign=campaign, made_by=coordinator)
    end_calibration(actor=coordinator, campaign=campaign)
    with pytest.raises(IntegrityError), transaction.atomic():  # ended, and never revealed
        CalibrationRound.objects.create(campaign=campaign, made_by=coordinator, ended_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        LaterGrade.objects.create(assignment=place_of(algebraist), occasion="whim", reason="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        LaterGrade.objects.create(assignment=place_of(algebraist), occasion="verdict", reason="")


def test_a_reviewer_who_takes_work_is_not_given_a_revealed_item(revealed, analyst):
    assert take_next(reviewer=analyst, campaign=revealed.campaign).item_id != revealed.items.get().item_id


def test_a_grade_of_the_same_text_elsewhere_is_final_once_others_answers_could_be_read(
    round_of_one, coordinator, client, algebraist
):
    """She has the text in a second campaign, too. What others said is shown after her blind grade there, not before,
    not while she has it open again, and from then on her grade stays."""
    first = place_of(algebraist)
    item, now = first.item, timezone.now()
    second = CampaignFactory(
        release=item.campaign.release, rubric=item.campaign.rubric, phase="open", opened_at=now
    )
    again = ItemFactory(campaign=second, output=item.output, instance=item.instance)
    there = AssignmentFactory(item=again, reviewer=algebraist)
    client.force_login(algebraist)
    discussion = reverse("api-discussion", args=[first.handle])
    submit(algebraist, there, correctness="correct", rigour="3")
    reopen_grade(reviewer=algebraist, assignment=there)
    reveal_calibration(actor=coordinator, campaign=round_of_one.campaign)
    assert client.get(discussion).status_code == 404
    submit_grade(
        reviewer=algebraist,
        assignment=there,
        content=AGAIN,
        idempotency_key="again",
        rubric_sha256=second.rubric.sha256,
    )
    assert client.get(discussion).status_code == 200
    with pytest.raises(Refused) as refusal:
        reopen_grade(reviewer=algebraist, assignment=there)
    assert refusal.value.code == "revealed"


def test_a_late_place_of_the_same_text_elsewhere_hides_what_others_said_while_it_can_come_back(
    revealed, client, algebraist
):
    first = place_of(algebraist)
    item, now = first.item, timezone.now()
    second = CampaignFactory(
        release=item.campaign.release, rubric=item.campaign.rubric, phase="open", opened_at=now
    )
    again = ItemFactory(campaign=second, output=item.output, instance=item.instance, places=1)
    late = AssignmentFactory(item=again, reviewer=algebraist)
    Assignment.objects.filter(pk=late.pk).update(state="released", release_reason="late")
    client.force_login(algebraist)
    discussion = reverse("api-discussion", args=[first.handle])
    assert client.get(discussion).status_code == 404
    Item.objects.filter(pk=again.pk).update(places_taken=1)  # somebody else has it now
    assert client.get(discussion).status_code == 200


def test_what_was_sent_after_the_end_of_the_discussion_comes_back(revealed, client, algebraist, coordinator):
    client.force_login(algebraist)
    handle = place_of(algebraist).handle
    end_calibration(actor=coordinator, campaign=revealed.campaign)
    late = {"discussion": {"text": "Typed for an hour."}, "answer-again": {"reason": "Typed for an hour."}}
    for address, sent in late.items():
        reply = client.post(reverse(address, args=[handle]), sent)
        assert reply.status_code == 409
        assert "Typed for an hour." in reply.content.decode()
    assert "What you typed" not in client.get(reverse("discussion", args=[handle])).content.decode()


def test_who_is_no_reviewer_any_more_writes_no_remark(revealed, client, algebraist):
    place = place_of(algebraist)
    Role.objects.filter(user=algebraist).delete()
    client.force_login(algebraist)
    reply = client.post(reverse("discussion", args=[place.handle]), {"text": "Still here."})
    assert reply.status_code == 409
    assert "Still here." in reply.content.decode()
    address = reverse("api-discussion", args=[place.handle])
    reply = client.post(address, {"text": "Still here."}, content_type="application/json")
    assert reply.status_code == 403
    assert not CalibrationRemark.objects.exists()
