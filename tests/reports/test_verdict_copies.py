"""Lock, then reveal: a verdict comes after the locked answer, or before it in a drawn arm, and is not a label."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.refusal import Refused
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.campaigns.revising import discard_draw, revise_campaign
from annotation.core.own_data import own_data
from annotation.grading.actions import reopen_grade
from annotation.models import (
    Assignment,
    ClaimMark,
    Grade,
    LaterGrade,
    Reveal,
    RevealArm,
    ShownClaim,
    ShownVerdict,
)
from annotation.quarantine.actions import decide_identity
from annotation.reveal.actions import amend_after_verdict, mark_claims
from annotation.reveal.claims import MAX_CLAIMS, claims_of, sees_before
from annotation.reveal.rules import is_to_mark
from annotation.training.actions import attach_training
from benchmark.identities.actions import add_identity_word, scan_identities
from benchmark.models import Output
from judging.models import JudgeRun, Verdict
from reports.core.seen_labels import SeenLabel
from reports.labels.rows import label_rows
from reports.verdicts.copies import copy_verdicts, verdicts_document
from tests.annotation.campaigns import drafted, rubric, second_algebraist
from tests.annotation.grading import submit, submit_grade
from tests.annotation.samples import COMPLETE
from tests.documents import anchoring_document, reviewers_document
from tests.factories import (
    RUBRIC,
    AssignmentFactory,
    CampaignFactory,
    ItemFactory,
    JudgeFactory,
    JudgeTaskFactory,
    VerdictFactory,
)

__all__ = ["drafted", "rubric", "second_algebraist"]
pytestmark = pytest.mark.django_db

REASON = "The base case holds.\n\n1. The bound $x^2 \\ge 0$ is used.\n2. The sum diverges."


@pytest.fixture
def judged(drafted, coordinator, monkeypatch):
    """The draft with its items drawn and a verdict on every output; the second system's are "no"."""
    draw_items(actor=coordinator, campaign=drafted)
    judge = JudgeFactory(slug="oraculum", model="sagacity-9", family="Sagacious")
    for output in Output.objects.select_related("run__system"):
        value = "no" if output.run.system.slug == "second-system" else "yes"
        VerdictFactory(judge=judge, output=output, predicate="accepted", value=value, reason=REASON)
    monkeypatch.setattr("reports.core.choosing.get_protocol", _with_predicate)
    return drafted


def _with_predicate(name):
    from dataclasses import replace

    from benchmark.protocol import Predicate
    from benchmark.protocols import get_protocol

    return replace(get_protocol(name), predicates=(Predicate("accepted", "accepted.v1"),))


def attached(campaign, coordinator, before=0.0, **terms):
    copy_verdicts(actor=coordinator, campaign=campaign, before_share=before, **terms)
    return open_campaign(actor=coordinator, campaign=campaign)


@pytest.fixture
def after(judged, coordinator):
    return attached(judged, coordinator)


@pytest.fixture
def before(judged, coordinator):
    return attached(judged, coordinator, before=1.0)


def graded(reviewer, campaign, **answers):
    place = take_next(reviewer=reviewer, campaign=campaign)
    submit(reviewer, place, **(answers or COMPLETE["answers"]))
    return Assignment.objects.get(pk=place.pk)


def test_a_reason_falls_into_paragraphs_and_list_items():
    assert claims_of(REASON) == [
        "The base case holds.",
        "The bound $x^2 \\ge 0$ is used.",
        "The sum diverges.",
    ]
    assert claims_of("- one\n  goes on\n* two\n(3) three") == ["one\n  goes on", "two", "three"]
    assert claims_of(" \n\n ") == []
    many = claims_of("\n\n".join(str(n) for n in range(100)))
    assert (len(many), many[-1].split()[-1]) == (MAX_CLAIMS, "99")


def test_an_arm_depends_on_seed_and_place_alone_and_has_the_share_that_was_asked():
    drawn = [sees_before(seed=1, handle=f"h{n}", share=0.3) for n in range(2000)]
    assert drawn == [sees_before(seed=1, handle=f"h{n}", share=0.3) for n in range(2000)]
    assert drawn != [sees_before(seed=2, handle=f"h{n}", share=0.3) for n in range(2000)]
    # 2,000 draws at .3: mean 600, standard deviation 20.5; four of them on either side
    assert 518 < sum(drawn) < 682
    assert not any(sees_before(seed=1, handle=f"h{n}", share=0.0) for n in range(50))
    assert all(sees_before(seed=1, handle=f"h{n}", share=1.0) for n in range(50))


def test_verdicts_are_copied_with_their_claims_and_frozen_under_a_hash(judged, coordinator):
    reveal = copy_verdicts(actor=coordinator, campaign=judged)
    assert (reveal.question, reveal.predicate, reveal.judge) == ("correctness", "accepted", "oraculum-v1")
    assert ShownVerdict.objects.count() == judged.items.count() == 6
    assert [claim.number for claim in ShownVerdict.objects.first().claims.order_by("number")] == [1, 2, 3]
    assert verdicts_document(judged)["verdicts"] == {"no": 3, "yes": 3}


def test_a_reason_that_names_a_system_or_the_judge_is_withheld(judged, coordinator):
    judge = JudgeFactory(slug="other", model="sagacity-10", family="Sagacious")
    for name, output in zip(
        ("sagacity-10", "first-system", "nobody"), Output.objects.order_by("pk")[:3], strict=True
    ):
        VerdictFactory(judge=judge, output=output, predicate="accepted", reason=f"This was seen by {name}.")
    reveal = copy_verdicts(actor=coordinator, campaign=judged, judge="other-v1")
    assert reveal.withheld == 2
    assert [claim.text for claim in ShownClaim.objects.all()] == ["This was seen by nobody."]


@pytest.mark.parametrize("way", ["word", "passage"])
def test_a_reason_with_what_was_redacted_after_the_judge_had_read_it_is_withheld(
    drafted, coordinator, monkeypatch, way
):
    """The judge quotes the answer as it was; a coordinator marks a code name in it as a word, or as a passage."""
    monkeypatch.setattr("reports.core.choosing.get_protocol", _with_predicate)
    judge, named = JudgeFactory(slug="oraculum", model="sagacity-9", family="Sagacious"), []
    for output in Output.objects.select_related("run__system"):
        reason = "Two is two."
        if output.run.system.slug == "first-system":
            Output.objects.filter(pk=output.pk).update(text="The Nightjar pipeline proves this.")
            reason = (
                "It says that the *Night-jar* pipeline proves this."
                if way == "passage"
                else "Nightjar says so."
            )
            named.append(Output.objects.get(pk=output.pk))
        VerdictFactory(judge=judge, output=output, predicate="accepted", value="yes", reason=reason)
    if way == "word":
        add_identity_word(actor=coordinator, release=drafted.release, word="Nightjar")
    scan_identities(release=drafted.release)
    for output in named:
        also = [] if way == "word" else [("text", 4, 12)]
        decide_identity(actor=coordinator, output=output, verdict="redacted", also=also)
    draw_items(actor=coordinator, campaign=drafted)
    reveal = copy_verdicts(actor=coordinator, campaign=drafted)
    assert reveal.withheld == len(named)
    assert set(ShownClaim.objects.values_list("text", flat=True)) == {"Two is two."}


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"judge": "nobody-v1"}, "no_judge"),
        ({"predicate": "beauty"}, "no_predicate"),
        ({"question": "remarks"}, "no_question"),
        ({"before_share": 1.5}, "bad_share"),
    ],
)
def test_what_cannot_be_attached_is_refused(judged, coordinator, terms, code):
    with pytest.raises(Refused) as refusal:
        copy_verdicts(actor=coordinator, campaign=judged, **terms)
    assert refusal.value.code == code
    assert not Reveal.objects.exists()


def test_verdicts_are_attached_once_and_before_the_campaign_opens(after, coordinator):
    with pytest.raises(Refused) as refusal:
        copy_verdicts(actor=coordinator, campaign=after)
    assert refusal.value.code == "wrong_phase"


def test_a_draw_with_verdicts_stays_and_a_trained_rubric_too(judged, coordinator):
    copy_verdicts(actor=coordinator, campaign=judged)
    with pytest.raises(Refused) as refusal:
        discard_draw(actor=coordinator, campaign=judged)
    assert refusal.value.code == "verdicts"


def test_the_rubric_of_a_training_stays(drafted, coordinator):
    gold = {"problem": "a1", "answer": "x", "gold": COMPLETE["answers"], "note": "n"}
    attach_training(actor=coordinator, campaign=drafted, file=json.dumps(gold).encode(), form="jsonl")
    with pytest.raises(Refused) as refusal:
        revise_campaign(actor=coordinator, campaign=drafted, rubric="proofs-v1")
    assert refusal.value.code == "trained"


def test_before_the_answer_nothing_of_the_verdict_reaches_the_reviewer(after, client, algebraist):
    place = take_next(reviewer=algebraist, campaign=after)
    client.force_login(algebraist)
    seen = [
        client.get(reverse(name, args=[place.handle]))
        for name in ("grade", "api-assignment", "verdict", "api-verdict", "verdict-amend")
    ]
    assert [reply.status_code for reply in seen] == [200, 200, 404, 404, 405]
    assert not any(
        b"The sum diverges" in reply.content or b"What a judge" in reply.content for reply in seen[:2]
    )


def test_after_the_answer_the_verdict_comes_with_claims_to_mark_and_names_no_judge(after, client, algebraist):
    place = graded(algebraist, after)
    client.force_login(algebraist)
    reply = client.get(reverse("submitted", args=[place.handle]))
    assert reply["Location"] == reverse("verdict", args=[place.handle])
    page = client.get(reply["Location"]).content.decode()
    assert page.count('<fieldset class="claim">') == 3
    for hidden in ("oraculum", "sagacity", "Sagacious", "first-system", "second-system"):
        assert hidden not in page
    refused = client.post(reply["Location"], {"mark-1": "right"})
    assert (refused.status_code, ClaimMark.objects.count()) == (409, 0)
    client.post(reply["Location"], {"mark-1": "right", "mark-2": "wrong", "mark-3": "irrelevant"})
    assert dict(ClaimMark.objects.values_list("claim__number", "mark")) == {
        1: "right", 2: "wrong", 3: "irrelevant",
    }  # fmt: skip
    assert "/verdict/" not in client.get(reverse("submitted", args=[place.handle]))["Location"]
    assert verdicts_document(after)["marks"] == {"right": 1, "wrong": 1, "irrelevant": 1}


def test_the_verdict_waits_until_the_same_text_is_graded_in_another_campaign(after, client, algebraist):
    place = graded(algebraist, after)
    other = CampaignFactory(release=after.release, phase="open", opened_at=timezone.now())
    waiting = AssignmentFactory(
        item=ItemFactory(campaign=other, output=place.item.output), reviewer=algebraist
    )
    client.force_login(algebraist)
    assert not is_to_mark(place)
    address = reverse("verdict", args=[place.handle])
    assert client.get(address).status_code == 404
    assert client.get(reverse("submitted", args=[place.handle]))["Location"] != address
    own = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert f"What a judge said opens when you have graded the same text in {other.name}." in own
    assert address not in own
    Assignment.objects.filter(pk=waiting.pk).update(state="submitted", submitted_at=timezone.now())
    # Now the marks are asked for, and the page of the answers has the link again.
    assert client.get(reverse("submitted", args=[waiting.handle]))["Location"] == address
    assert client.get(address).status_code == 200
    assert address in client.get(reverse("grade", args=[place.handle])).content.decode()


def elsewhere(place: Assignment) -> Assignment:
    """A place of the same reviewer on the same text in a campaign without verdicts, given now."""
    campaign = place.item.campaign
    other = CampaignFactory(
        release=campaign.release, rubric=campaign.rubric, phase="open", opened_at=timezone.now()
    )
    return AssignmentFactory(
        item=ItemFactory(campaign=other, output=place.item.output), reviewer=place.reviewer
    )


def test_a_label_of_a_text_whose_verdict_was_seen_in_another_campaign_was_given_in_sight_of_it(
    after, algebraist
):
    place = take_next(reviewer=algebraist, campaign=after)
    given_before = elsewhere(place)
    submit(algebraist, place, **COMPLETE["answers"])
    submit(algebraist, given_before, **COMPLETE["answers"])  # the verdict was hidden until now
    assert given_before.grades.get().verdict_seen is None
    reopen_grade(reviewer=algebraist, assignment=given_before)
    submit_grade(
        reviewer=algebraist,
        assignment=given_before,
        content={"answers": {"correctness": "incorrect", "rigour": "3"}},
        idempotency_key="revised",
        rubric_sha256=after.rubric.sha256,
    )
    assert given_before.grades.get(superseded_by=None).verdict_seen is True
    given_after = elsewhere(place)
    grade = {"assignment": given_after, "rubric_sha256": after.rubric.sha256, "idempotency_key": "k"}
    for untrue in (None, False):
        with pytest.raises(IntegrityError, match="in sight follows"), transaction.atomic():
            Grade.objects.create(**grade, verdict_seen=untrue)
    submit(algebraist, given_after, **COMPLETE["answers"])
    assert given_after.grades.get().verdict_seen is True


def test_of_a_verdict_that_is_hidden_still_nothing_is_told_and_nothing_stored(after, client, algebraist):
    place = take_next(reviewer=algebraist, campaign=after)
    elsewhere(place)
    submit(algebraist, place, **COMPLETE["answers"])
    client.force_login(algebraist)
    address = reverse("api-verdict", args=[place.handle])
    replies = {
        client.post(address, {"marks": dict.fromkeys(numbers, "right")}, "application/json").json()["code"]
        for numbers in ("1", "12", "123")  # there are three
    }
    assert replies == {"no_verdict"}
    amendment = {"content": COMPLETE, "reason": "The judge is right.", "version": 0}
    for send in (client.post, client.put):
        fields = ("content", "reason") if send == client.post else ("content", "version")
        sent = {name: amendment[name] for name in fields}
        reply = send(reverse("api-verdict-amend", args=[place.handle]), sent, "application/json")
        assert (reply.status_code, reply.json()["code"]) == (409, "no_verdict")
    assert not ClaimMark.objects.exists()
    assert not LaterGrade.objects.exists()


def test_rest_marks_claims_and_records_an_amendment(after, client, algebraist):
    place = graded(algebraist, after)
    client.force_login(algebraist)
    address = reverse("api-verdict", args=[place.handle])
    bad = client.post(address, {"marks": {"1": "splendid"}}, "application/json")
    assert bad.status_code == 400
    marked = client.post(address, {"marks": {"1": "right", "2": "right", "3": "wrong"}}, "application/json")
    assert [claim["mark"] for claim in marked.json()["claims"]] == ["right", "right", "wrong"]
    again = client.post(address, {"marks": {"1": "right", "2": "right", "3": "wrong"}}, "application/json")
    assert (again.status_code, again.json()["code"]) == (409, "already_marked")
    amended = client.post(
        reverse("api-verdict-amend", args=[place.handle]),
        {"content": COMPLETE, "reason": "The judge is right."},
        "application/json",
    )
    assert (amended.status_code, amended.json()["amended"]) == (201, True)


def test_a_locked_answer_is_final_and_an_amendment_is_no_label(after, algebraist):
    place = graded(algebraist, after, correctness="correct", rigour="3")
    with pytest.raises(Refused) as refusal:
        reopen_grade(reviewer=algebraist, assignment=place)
    assert refusal.value.code == "verdict_shown"
    labels = list(label_rows(after.release, campaign=after.slug))
    amend_after_verdict(reviewer=algebraist, assignment=place, content=COMPLETE, reason="Convinced.")
    assert list(label_rows(after.release, campaign=after.slug)) == labels
    assert own_data(algebraist)["places"][0]["later"][0]["occasion"] == "verdict"
    with pytest.raises(Refused):
        amend_after_verdict(reviewer=algebraist, assignment=place, content=COMPLETE, reason="Again.")


def test_in_the_other_arm_the_verdict_stands_beside_the_form(before, client, algebraist):
    place = take_next(reviewer=algebraist, campaign=before)
    assert RevealArm.objects.get().before
    client.force_login(algebraist)
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert "What a judge said about this answer" in page
    assert "The sum diverges." in page
    assert "oraculum" not in page
    assert client.get(reverse("api-verdict", args=[place.handle])).status_code == 200
    with pytest.raises(Refused) as refusal:
        mark_claims(reviewer=algebraist, assignment=place, marks={"1": "right", "2": "right", "3": "right"})
    assert refusal.value.code == "not_submitted"


def test_anchoring_compares_the_arms_with_an_interval():
    question = RUBRIC.question("correctness")
    # in sight: 18 of 20 say what the verdict says; hidden: 10 of 20; twenty raters give a label on each side
    labels = [
        SeenLabel(n, n, "correct" if n < agree else "incorrect", "yes", before)
        for before, agree in ((True, 18), (False, 10))
        for n in range(20)
    ]
    found = anchoring_document(question, labels)
    assert (found["visible"]["value"], found["hidden"]["value"]) == (0.9, 0.5)
    assert found["difference"]["value"] == pytest.approx(0.4)
    low, high = found["difference"]["ci"]
    assert 0 < low < 0.4 < high


def test_a_verdict_on_the_question_s_own_scale_agrees_where_it_is_equal():
    question = RUBRIC.question("correctness")
    labels = [
        SeenLabel(1, 1, "inconclusive", "incorrect", True),
        SeenLabel(1, 1, "incorrect", "no", True),
        SeenLabel(1, 1, "inconclusive", "inconclusive", False),
    ]
    found = anchoring_document(question, labels)
    assert (found["visible"]["value"], found["hidden"]["value"]) == (0.5, 1.0)


def test_monitoring_shows_the_arms_by_page_and_rest(before, client, algebraist, coordinator):
    graded(algebraist, before, correctness="correct", rigour="3")
    document = reviewers_document(before)
    assert (document["anchoring"]["labels"], document["anchoring"]["hidden"]["value"]) == (1, None)
    client.force_login(coordinator)
    assert "Verdict shown before" in client.get(reverse("monitoring", args=[before.slug])).content.decode()
    assert client.get(reverse("api-monitoring", args=[before.slug])).json()["anchoring"]["labels"] == 1


def test_page_and_rest_attach(judged, client, coordinator):
    client.force_login(coordinator)
    page = reverse("campaign-verdicts", args=[judged.slug])
    assert "oraculum-v1" in client.get(page).content.decode()
    api = reverse("api-campaign-verdicts", args=[judged.slug])
    refused = client.post(api, {"question": "remarks"}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_question")
    outside = {
        "judge": "oraculum-v1",
        "predicate": "accepted",
        "question": "correctness",
        "before_share": 101,
    }
    assert "less than or equal to 100" in client.post(page, {**outside, "seed": 1}).content.decode()
    attached = client.post(api, {"before_share": 0.5}, "application/json")
    assert attached.json()["before_share"] == 0.5
    assert client.get(api).json()["attached"] is True
    assert "oraculum-v1" in client.get(page).content.decode()


def test_the_page_attaches_what_its_form_says(judged, client, coordinator):
    client.force_login(coordinator)
    terms = {
        "judge": "oraculum-v1",
        "predicate": "accepted",
        "question": "rigour",
        "before_share": 25,
        "seed": 7,
    }
    client.post(reverse("campaign-verdicts", args=[judged.slug]), terms)
    reveal = Reveal.objects.get()
    assert (reveal.question, reveal.before_share, reveal.seed) == ("rigour", 0.25, 7)


def test_the_database_takes_a_first_grade_with_an_arm_and_no_second(after, algebraist, second_algebraist):
    place = graded(algebraist, after)
    words = "its first grade is final"
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        Grade.objects.create(assignment=place, supersedes=place.grades.get(), idempotency_key="forged")
    unarmed = AssignmentFactory(item=place.item, reviewer=second_algebraist)
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        Grade.objects.create(assignment=unarmed, idempotency_key="k")


def test_the_database_keeps_verdicts_arms_and_marks(after, algebraist):
    place = graded(algebraist, after)
    mark_claims(reviewer=algebraist, assignment=place, marks={"1": "right", "2": "right", "3": "wrong"})
    for model in (Reveal, ShownVerdict, ShownClaim, RevealArm, ClaimMark):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.update(id=999)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.all()._raw_delete("default")
    verdict = ShownVerdict.objects.first()
    with pytest.raises(IntegrityError, match="attached with their verdict"), transaction.atomic():
        ShownClaim.objects.create(verdict=verdict, number=9, text="Late.")


def test_the_database_draws_no_arm_after_the_grade_and_marks_no_foreign_claim(after, algebraist):
    place = take_next(reviewer=algebraist, campaign=after)
    claim = ShownClaim.objects.filter(verdict__item=place.item_id).first()
    with pytest.raises(IntegrityError, match="marked after the grade"), transaction.atomic():
        ClaimMark.objects.create(assignment=place, claim=claim, mark="right")
    submit(algebraist, place, **COMPLETE["answers"])
    foreign = ShownClaim.objects.exclude(verdict__item=place.item_id).first()
    with pytest.raises(IntegrityError, match="marked after the grade"), transaction.atomic():
        ClaimMark.objects.create(assignment=place, claim=foreign, mark="right")
    with pytest.raises(IntegrityError), transaction.atomic():
        ClaimMark.objects.create(assignment=place, claim=claim, mark="splendid")


def test_the_database_wants_a_draft_for_verdicts_and_a_verdict_for_amendments(
    drafted, coordinator, algebraist
):
    draw_items(actor=coordinator, campaign=drafted)
    campaign = open_campaign(actor=coordinator, campaign=drafted)
    terms = {
        "campaign": campaign, "question": "q", "judge": "j", "predicate": "p", "seed": 1, "withheld": 0,
        "attached_by": coordinator,
    }  # fmt: skip
    with pytest.raises(IntegrityError, match="before the campaign opens"), transaction.atomic():
        Reveal.objects.create(**terms)
    place = graded(algebraist, campaign)
    with pytest.raises(IntegrityError, match="an amendment follows"), transaction.atomic():
        LaterGrade.objects.create(assignment=place, occasion="verdict", reason="x")
    with pytest.raises(IntegrityError, match="an arm is drawn before"), transaction.atomic():
        RevealArm.objects.create(assignment=place, before=True)


def test_a_share_beyond_one_is_no_share(drafted, coordinator):
    with pytest.raises(IntegrityError), transaction.atomic():
        Reveal.objects.create(
            campaign=drafted, question="q", judge="j", predicate="p", seed=1, withheld=0, before_share=1.2,
            attached_by=coordinator,
        )  # fmt: skip


def test_a_judge_with_votes_to_come_is_not_copied(judged, coordinator):
    task = JudgeTaskFactory(
        run__judge=Verdict.objects.first().judge,
        run__release=judged.release,
        output=judged.items.first().output,
        predicate="accepted",
        vote=2,
    )
    with pytest.raises(Refused, match="1 to come") as refusal:
        copy_verdicts(actor=coordinator, campaign=judged)
    assert refusal.value.code == "judge_unfinished"
    JudgeRun.objects.filter(pk=task.run_id).update(state="cancelled", finished_at=timezone.now())
    assert copy_verdicts(actor=coordinator, campaign=judged).judge == "oraculum-v1"
