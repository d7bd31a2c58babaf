"""Training: gold items before real work; what is answered there meets no label."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import NotAllowed, Refused
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.core.own_data import own_data
from annotation.models import (
    Answer,
    Grade,
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)
from annotation.tasks import prepare_campaign
from annotation.training.actions import answer_training, attach_training, skip_training
from annotation.training.file import read_gold
from annotation.training.reading import training_results, training_rows, unfinished
from benchmark.files.actions import attach
from benchmark.importing.survey import BadFile
from benchmark.models import RenderedDocument
from benchmark.rendering.actions import render_waiting
from reports.labels.rows import label_rows
from tests.annotation.grading import submit, submit_grade
from tests.annotation.samples import COMPLETE
from tests.benchmark.pdfs import paper
from tests.factories import AssignmentFactory, CampaignFactory, ExpertiseFactory, ItemFactory

pytestmark = pytest.mark.django_db

GOLD = {"correctness": "incorrect", "rigour": "2"}
WHY = {"correctness": "The bound $x \\le 1$ is *never* shown.", "rigour": "One gap."}
FIRST = {
    "problem": "a1",
    "answer": {"text": "Clearly.", "format": "markdown"},
    "gold": GOLD,
    "rationale": WHY,
}
SECOND = {
    "problem": {
        "instance_id": "t2",
        "title": "A made-up one",
        "statement": "Is $2$ even?",
        "domain": "algebra",
    },
    "answer": "Yes.",
    "gold": {"correctness": "correct", "rigour": "5"},
    "note": "Nothing is missing here.",
}


def lines(*items) -> bytes:
    return "\n".join(json.dumps(item) for item in items).encode()


@pytest.fixture
def training(drafted, coordinator):
    """Two items, on a campaign that is open since."""
    made = attach_training(
        actor=coordinator, campaign=drafted, file=lines(FIRST, SECOND), form="jsonl", may_skip=False
    )
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    return TrainingSet.objects.get(pk=made.pk)


@pytest.fixture
def skippable(drafted, coordinator):
    attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST), form="jsonl", may_skip=True)
    draw_items(actor=coordinator, campaign=drafted)
    return open_campaign(actor=coordinator, campaign=drafted)


def train(reviewer, training, **answers):
    for item in unfinished(reviewer, training.campaign):
        answer_training(reviewer=reviewer, item=item, content={"answers": {**COMPLETE["answers"], **answers}})


def test_an_opened_campaign_has_its_training_rendered_before_anybody_comes(
    training, client, algebraist, no_worker
):
    RenderedDocument.objects.all().delete()
    prepare_campaign(training.campaign.pk)
    render_waiting()
    address = reverse("training-item", args=[training.campaign.slug, 1])
    client.force_login(algebraist)
    assert "being prepared" not in client.get(address).content.decode()
    train(algebraist, training)
    page = client.get(address).content.decode()
    assert "Your answer and the gold" in page
    assert "being prepared" not in page


def test_a_line_of_the_file_becomes_an_item_with_gold_and_rationale(training):
    first, second = training.items.order_by("number")
    assert (first.title, first.domain, first.text, first.text_format) == (
        "Problem a1", "algebra", "Clearly.", "markdown",
    )  # fmt: skip
    assert second.problem["statement"] == "Is $2$ even?"
    assert (second.text_format, second.note) == ("latex", "Nothing is missing here.")
    gold = {row.question: (row.value, row.rationale) for row in first.gold.all()}
    assert gold == {key: (GOLD[key], WHY[key]) for key in GOLD}


def test_nobody_is_told_that_their_own_words_differ_from_the_gold(client, drafted, coordinator, algebraist):
    words = {**FIRST, "gold": {**GOLD, "remarks": "The bound is not shown."}}
    made = attach_training(actor=coordinator, campaign=drafted, file=lines(words), form="jsonl")
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    train(algebraist, TrainingSet.objects.get(pk=made.pk), remarks="Where does the bound come from?")
    client.force_login(algebraist)
    shown = client.get(reverse("training-item", args=[drafted.slug, 1])).content.decode()
    assert "The bound is not shown." in shown
    assert (shown.count(">the same<"), shown.count(">different<")) == (2, 0)
    rows = list(training_rows(drafted))
    assert {row[3]: row[7] for row in rows[1:]} == {"correctness": "yes", "rigour": "yes", "remarks": ""}


def test_a_table_says_the_same_as_lines():
    table = (
        "item,problem,answer,question,step,value,rationale,note\n"
        '1,a1,"{ ""text"": ""Clearly."", ""format"": ""markdown""}",correctness,,incorrect,'
        f'"{WHY["correctness"]}",\n'
        "1,,,rigour,,2,One gap.,\n"
    )
    (from_table,) = read_gold(table.encode(), form="csv")
    (from_line,) = read_gold(lines(FIRST), form="jsonl")
    assert (from_table.problem, from_table.answer, from_table.content) == (
        from_line.problem, from_line.answer, from_line.content,
    )  # fmt: skip


def test_latex_in_braces_is_text_and_no_object():
    table = "item,problem,answer,question,step,value\n1,a1,{\\bf Proof.} Done.,correctness,,correct\n"
    assert read_gold(table.encode(), form="csv")[0].answer == {"text": "{\\bf Proof.} Done."}


@pytest.mark.parametrize(
    ("item", "where"),
    [
        ({**FIRST, "problem": "zz"}, "line 2, field problem: sheet has no instance 'zz'"),
        ({**FIRST, "gold": {**GOLD, "rigour": "9"}}, "line 2, field gold.rigour: rigour: '9' is not one of"),
        ({**FIRST, "gold": {"rigour": "2"}}, "line 2, field gold.correctness: This question still needs"),
        ({**FIRST, "gold": {**GOLD, "beauty": "2"}}, "line 2, field gold.beauty: test-v1 has no question"),
        ({**FIRST, "rationale": {}}, "line 2, field rationale.correctness: needs a rationale"),
        ({**FIRST, "rationale": {**WHY, "taste": "x"}}, "line 2, field rationale.taste"),
        ({**FIRST, "answer": {"txt": "x"}}, "line 2, field answer.txt: this format has no such field"),
        ({**FIRST, "answer": {"state": "failed"}}, "line 2, field answer.state"),
        ({**FIRST, "problem": {"title": "x"}}, "line 2, field problem.statement: this field is missing"),
        ({**FIRST, "colour": "red"}, "line 2, field colour: this format has no such field"),
        ({"problem": "a1"}, "line 2, field answer: this field is missing"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_and_field_and_nothing_is_kept(drafted, coordinator, item, where):
    attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST), form="jsonl")
    with pytest.raises(BadFile) as refusal:
        attach_training(actor=coordinator, campaign=drafted, file=lines(SECOND, item), form="jsonl")
    assert where in str(refusal.value)
    assert [item.title for item in TrainingItem.objects.all()] == ["Problem a1"]


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ("item,problem\n", "line 1: the columns are item, problem"),
        ("", "line 1: the columns are item"),
        ("item,problem,answer,question,step,value\n", "the file contains no items"),
        (
            "item,problem,answer,question,step,value\n1,a1,x,q,,yes\n1,,,q,,no\n",
            "line 3, field question: this question already has a value",
        ),
        (
            "item,problem,answer,question,step,value\n1,a1,x,q,,yes\n1,a2,,r,,no\n",
            "line 3, field problem: differs from an earlier row",
        ),
        (
            "item,problem,answer,question,step,value\n1,a1,\"{\"\"text\"\": }\",q,,yes\n",
            "line 2, field answer: not JSON",
        ),
    ],
)  # fmt: skip
def test_a_fault_in_a_table_names_its_line_too(table, where):
    with pytest.raises(BadFile) as refusal:
        read_gold(table.encode(), form="csv")
    assert str(refusal.value).startswith(where)


def test_a_training_is_replaced_as_a_whole_while_in_draft_and_frozen_once_open(drafted, coordinator):
    attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST, SECOND), form="jsonl")
    attach_training(actor=coordinator, campaign=drafted, file=lines(SECOND), form="jsonl")
    assert [item.title for item in TrainingItem.objects.all()] == ["A made-up one"]
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    with pytest.raises(Refused) as refusal:
        attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST), form="jsonl")
    assert refusal.value.code == "wrong_phase"


def test_a_comparison_has_no_training_and_a_reviewer_attaches_none(coordinator, algebraist, drafted):
    pairs = CampaignFactory(kind="compare", release=drafted.release)
    with pytest.raises(Refused) as refusal:
        attach_training(actor=coordinator, campaign=pairs, file=lines(FIRST), form="jsonl")
    assert refusal.value.code == "wrong_kind"
    with pytest.raises(NotAllowed):
        attach_training(actor=algebraist, campaign=drafted, file=lines(FIRST), form="jsonl")


def test_real_work_waits_for_the_training(training, algebraist):
    with pytest.raises(Refused) as refusal:
        take_next(reviewer=algebraist, campaign=training.campaign)
    assert refusal.value.code == "training_first"
    train(algebraist, training)
    submit(algebraist, take_next(reviewer=algebraist, campaign=training.campaign), **COMPLETE["answers"])
    assert Grade.objects.count() == 1


def test_a_place_that_was_assigned_waits_too(training, algebraist):
    place = AssignmentFactory(item__campaign=training.campaign, reviewer=algebraist)
    with pytest.raises(Refused) as refusal:
        submit_grade(
            reviewer=algebraist,
            assignment=place,
            content=COMPLETE,
            idempotency_key="k",
            rubric_sha256=training.campaign.rubric.sha256,
        )
    assert refusal.value.code == "training_first"


def test_items_are_answered_once_in_their_order_and_completely(training, algebraist, analyst):
    first, second = training.items.order_by("number")
    with pytest.raises(Refused) as refusal:
        answer_training(reviewer=algebraist, item=second, content=COMPLETE)
    assert refusal.value.code == "not_next"
    with pytest.raises(Refused) as refusal:
        answer_training(reviewer=algebraist, item=first, content={"answers": {"rigour": "2"}})
    assert refusal.value.code == "incomplete"
    answer_training(reviewer=algebraist, item=first, content=COMPLETE)
    with pytest.raises(Refused) as refusal:
        answer_training(reviewer=algebraist, item=first, content=COMPLETE)
    assert refusal.value.code == "already_answered"
    assert list(unfinished(analyst, training.campaign)) == [first, second]


def test_somebody_without_work_in_the_campaign_has_no_training_there(training, geometer, coordinator, client):
    no_reviewer = ExpertiseFactory(domain="algebra").user
    for person in (geometer, coordinator, no_reviewer):
        with pytest.raises(NotAllowed):
            answer_training(reviewer=person, item=training.items.first(), content=COMPLETE)
        client.force_login(person)
        for name in ("training", "api-training"):
            assert client.get(reverse(name, args=["round-1"])).status_code == 404


def test_a_training_is_skipped_only_where_that_is_allowed(training, algebraist):
    with pytest.raises(Refused) as refusal:
        skip_training(reviewer=algebraist, campaign=training.campaign)
    assert refusal.value.code == "may_not_skip"


def test_who_skips_goes_to_work_at_once(skippable, algebraist):
    skip_training(reviewer=algebraist, campaign=skippable)
    assert take_next(reviewer=algebraist, campaign=skippable)


def test_no_answer_of_the_training_is_a_label(training, algebraist):
    train(algebraist, training)
    assert not Answer.objects.exists()
    assert list(label_rows(training.campaign.release)) == []


def test_the_pages_lead_from_the_queue_through_the_training_to_work(training, client, algebraist):
    client.force_login(algebraist)
    assert "2 items to answer" in client.get(reverse("queue")).content.decode()
    assert client.post(reverse("grade-next"))["Location"] == reverse("training", args=["round-1"])
    address = reverse("training-item", args=["round-1", 1])
    page = client.get(address).content.decode()
    assert "The bound" not in page
    refused = client.post(address, {"answer-correctness": "correct"})
    assert refused.status_code == 409
    assert 'value="correct" checked' in refused.content.decode()
    told = client.post(
        address, {"answer-correctness": "correct", "answer-rigour": "2"}, follow=True
    ).content.decode()
    assert "<em>never</em> shown" in told
    assert (told.count(">different<"), told.count(">the same<")) == (1, 1)
    client.post(
        reverse("training-item", args=["round-1", 2]), {"answer-correctness": "correct", "answer-rigour": "5"}
    )
    assert client.post(reverse("grade-next"))["Location"].startswith("/grading/items/")


def test_what_a_second_window_sends_is_said_not_to_be_stored(training, client, algebraist):
    client.force_login(algebraist)
    address = reverse("training-item", args=["round-1", 1])
    said = [{"answer-correctness": value, "answer-rigour": "2"} for value in ("correct", "incorrect")]
    first, second = (client.post(address, sent, follow=True).content.decode() for sent in said)
    assert "You have already answered" not in first
    assert "You have already answered this training item." in second
    assert TrainingAttempt.objects.get().answers.get(question="correctness").value == "correct"


def test_an_assigned_item_shows_the_training_first(training, client, algebraist):
    place = AssignmentFactory(item__campaign=training.campaign, reviewer=algebraist)
    client.force_login(algebraist)
    reply = client.get(reverse("grade", args=[place.handle]))
    assert reply["Location"] == reverse("training", args=["round-1"])


def test_rest_shows_the_gold_only_after_the_answer(training, client, algebraist):
    client.force_login(algebraist)
    assert client.get(reverse("api-training", args=["round-1"])).json() == {
        "items": 2, "left": [1, 2], "may_skip": False,
    }  # fmt: skip
    address = reverse("api-training-item", args=["round-1", 1])
    before = client.get(address).json()
    assert (before["compared"], before["note"], before["parts"][-1]["text"]) == ([], "", "Clearly.")
    assert "never" not in json.dumps(before)
    bad = client.post(address, {"content": {"answers": {}}}, "application/json")
    assert (bad.status_code, set(bad.json()["problems"])) == (409, {"correctness", "rigour"})
    after = client.post(address, {"content": COMPLETE}, "application/json")
    assert after.status_code == 201
    assert [(row["key"], row["same"]) for row in after.json()["compared"]] == [
        ("correctness", True), ("rigour", True),
    ]  # fmt: skip


def test_the_coordinator_sees_by_name_how_it_went(training, client, coordinator, algebraist, analyst):
    train(analyst, training, rigour="5")
    train(algebraist, training)
    # the sample answers are incorrect and 2; gold is incorrect and 2, then correct and 5
    results = training_results(training.campaign)
    assert [(row.reviewer, row.done, row.questions) for row in results.reviewers] == [
        ("Ada Algebraist", 2, {"correctness": {"same": 1, "answered": 2}, "rigour": {"same": 1, "answered": 2}}),
        ("Emil Analyst", 2, {"correctness": {"same": 1, "answered": 2}, "rigour": {"same": 1, "answered": 2}}),
    ]  # fmt: skip
    client.force_login(coordinator)
    page = client.get(reverse("campaign-training", args=["round-1"])).content.decode()
    assert page.index("Ada Algebraist") < page.index("Emil Analyst")
    table = b"".join(client.get(reverse("training-csv", args=["round-1"])).streaming_content).decode()
    assert len(table.splitlines()) == 1 + 2 * 2 * 2
    assert algebraist.rater in table
    assert "Ada" not in table


def test_a_table_row_says_whether_it_equals_the_gold(training, algebraist):
    train(algebraist, training)
    header, *rows = training_rows(training.campaign)
    same = {(row[2], row[3]): row[header.index("same")] for row in rows}
    assert same == {
        (1, "correctness"): "yes", (1, "rigour"): "yes", (2, "correctness"): "no", (2, "rigour"): "no",
    }  # fmt: skip


def test_the_page_attaches_a_file_and_names_its_faults(drafted, client, coordinator, tmp_path):
    client.force_login(coordinator)
    file = tmp_path / "gold.jsonl"
    file.write_bytes(lines({**FIRST, "problem": "zz"}))
    address = reverse("campaign-training", args=["round-1"])
    with file.open("rb") as opened:
        refused = client.post(address, {"file": opened})
    assert (refused.status_code, TrainingSet.objects.count()) == (409, 0)
    assert "line 1, field problem" in refused.content.decode()
    file.write_bytes(lines(FIRST))
    with file.open("rb") as opened:
        client.post(address, {"file": opened, "may_skip": "on"})
    assert TrainingSet.objects.get().may_skip
    assert "This campaign has no training" not in client.get(address).content.decode()


def test_rest_attaches_a_training_and_replaces_it(drafted, client, coordinator):
    client.force_login(coordinator)
    body = {"file": lines(FIRST, SECOND).decode(), "form": "jsonl"}
    made = client.post(reverse("api-campaign-training", args=["round-1"]), body, "application/json")
    assert (made.status_code, made.json()["items"]) == (201, 2)
    refused = client.post(
        reverse("api-campaign-training", args=["round-1"]), {"file": "{}"}, "application/json"
    )
    assert refused.status_code == 409
    assert (refused.json()["line"], refused.json()["field"]) == (1, "problem")
    again = client.post(reverse("api-campaign-training", args=["round-1"]), body, "application/json")
    assert again.json()["sha256"] == made.json()["sha256"]


def test_rest_shows_how_it_went(training, algebraist, coordinator, client):
    train(algebraist, training)
    client.force_login(coordinator)
    shown = client.get(reverse("api-campaign-training", args=["round-1"])).json()
    assert [row["reviewer"] for row in shown["reviewers"]] == ["Ada Algebraist"]


def test_a_reviewer_gets_their_own_training_with_their_data(training, algebraist):
    train(algebraist, training)
    own = own_data(algebraist)["training"]
    assert [(row["campaign"], row["item"], len(row["answers"])) for row in own] == [
        ("round-1", 1, 2), ("round-1", 2, 2),
    ]  # fmt: skip


def test_the_database_wants_the_training_before_a_grade(training, algebraist):
    place = AssignmentFactory(item__campaign=training.campaign, reviewer=algebraist)
    with pytest.raises(IntegrityError, match="training comes before real work"), transaction.atomic():
        Grade.objects.create(assignment=place, idempotency_key="k")
    train(algebraist, training)
    Grade.objects.create(assignment=place, idempotency_key="k")


def test_the_database_keeps_training_and_answers(training, algebraist):
    train(algebraist, training)
    frozen = (TrainingSet, TrainingItem, TrainingGold)
    for model in frozen:
        with pytest.raises(IntegrityError, match="replaced as a whole"), transaction.atomic():
            model.objects.update(id=999)
        with pytest.raises(IntegrityError, match="is frozen"), transaction.atomic():
            model.objects.all()._raw_delete("default")
    for kept in (TrainingAttempt, TrainingAnswer):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            kept.objects.update(id=999)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            kept.objects.all()._raw_delete("default")
    with pytest.raises(IntegrityError, match="is frozen"), transaction.atomic():
        TrainingGold.objects.create(item=training.items.first(), question="new", value="x")


def test_the_database_refuses_a_skip_that_is_not_allowed(training, algebraist):
    with pytest.raises(IntegrityError, match="may not be skipped"), transaction.atomic():
        TrainingSkip.objects.create(training=training, reviewer=algebraist)


def test_the_database_refuses_training_outside_the_open_campaign(drafted, coordinator, algebraist):
    attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST), form="jsonl")
    with pytest.raises(IntegrityError, match="while its campaign is open"), transaction.atomic():
        TrainingAttempt.objects.create(item=TrainingItem.objects.get(), reviewer=algebraist)


def test_a_campaign_without_training_grades_as_before(opened, algebraist):
    item = ItemFactory(campaign=opened)
    Grade.objects.create(assignment=AssignmentFactory(item=item, reviewer=algebraist), idempotency_key="k")


def test_the_files_of_a_problem_are_shown_in_training_too(drafted, coordinator, client, algebraist, stranger):
    instance = drafted.release.instances.get(key="a1")
    attach(actor=None, subject=instance, name="proof.pdf", data=paper("A paper."))
    attach_training(actor=coordinator, campaign=drafted, file=lines(FIRST, SECOND), form="jsonl")
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    address = reverse("training-file", args=[drafted.slug, 1, 1])
    client.force_login(algebraist)
    page = client.get(reverse("training-item", args=[drafted.slug, 1])).content.decode()
    assert f'data-file="{address}"' in page
    assert "PDF of the problem" in page
    assert "proof.pdf" not in page
    assert client.get(address)["Content-Type"] == "application/pdf"
    for missing in ((1, 2), (2, 1), (3, 1)):
        assert client.get(reverse("training-file", args=[drafted.slug, *missing])).status_code == 404
    client.force_login(stranger)
    assert client.get(address).status_code in (403, 404)
