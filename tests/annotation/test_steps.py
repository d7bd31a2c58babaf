"""Labels of steps: what a step is, what may be said of it, and what is stored and exported."""

import json
from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

import latex
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.core.documents import anchors
from annotation.core.item_names import item_name
from annotation.core.material import material
from annotation.core.visibility import Viewer
from annotation.grading.answers import Incomplete, checked
from annotation.grading.sheets import sheet
from annotation.models import Grade, TrainingGold, TrainingItem
from annotation.templatetags.grading import step_of
from annotation.training.actions import answer_training, attach_training
from annotation.training.reading import compared, training_results, unfinished
from benchmark.rubrics import RubricError, rubric_from_content
from benchmark.steps import NO_ERROR, steps_of, up_to_first_error
from reports.printing.items import printed_items
from tests.annotation.grading import submit_grade
from tests.factories import CampaignFactory, InstanceFactory, OutputFactory, RubricFactory, digest

FIRST = {"key": "first", "text": "First wrong step?", "scale": "first_error"}
EACH = {"key": "each", "text": "Is each step right?", "scale": "steps"}
PLAIN = "# Proof\n\nOne.\n\nTwo.\n\nThree."
NUMBERED = "Let us begin.\n\n**Step 1.** Reduce.\n\nMore of it.\n\n**Step 2.** Conclude."


def rubric(*questions, kind="grade"):
    return rubric_from_content(
        {"name": "steps", "version": 1, "kind": kind, "title": "Steps", "questions": list(questions)}
    )


def steps(text: str):
    return steps_of(latex.render(text, "markdown").blocks)


def answers(question, content, text=PLAIN) -> dict[str, str]:
    submission = checked(rubric(question), content, {}, steps(text))
    return {answer.step: answer.value for answer in submission.answers}


def problem(question, content) -> str:
    with pytest.raises(Incomplete) as refusal:
        answers(question, content)
    return refusal.value.problems[question["key"]]


def test_every_block_but_a_heading_is_a_step():
    assert [(step.name, step.blocks) for step in steps(PLAIN)] == [
        ("1", ("b2",)),
        ("2", ("b3",)),
        ("3", ("b4",)),
    ]


def test_a_rule_between_paragraphs_is_no_step():
    """Half of all answers of chat models have some."""
    text = "# Proof\n\n---\n\nFirst.\n\n---\n\nSecond.\n\n***"
    assert [(step.name, step.blocks) for step in steps(text)] == [("1", ("b3",)), ("2", ("b5",))]
    numbered = steps("# Proof\n\n---\n\nStep 1. First.\n\n---\n\nStep 2. Second.")
    assert [step.name for step in numbered] == ["1", "2"]


def test_the_authors_own_numbered_steps_are_the_steps():
    assert [(step.name, step.blocks) for step in steps(NUMBERED)] == [
        ("Opening", ("b1",)),
        ("1", ("b2", "b3")),
        ("2", ("b4",)),
    ]


@pytest.mark.parametrize("text", ["Step 1. Alone.\n\nMore.", "Step 2. First.\n\nStep 1. Second."])
def test_one_numbered_step_or_numbers_out_of_order_make_no_steps_of_their_own(text):
    assert [step.name for step in steps(text)] == ["1", "2"]


def test_steps_after_the_first_wrong_one_are_not_assessed_and_never_wrong():
    assert answers(FIRST, {"answers": {"first": "b3"}}) == {
        "b2": "correct",
        "b3": "incorrect",
        "b4": "not_assessed",
    }


def test_no_wrong_step_means_that_all_are_correct():
    assert set(answers(FIRST, {"answers": {"first": NO_ERROR}}).values()) == {"correct"}
    assert set(up_to_first_error(steps(PLAIN), NO_ERROR).values()) == {"correct"}


def test_the_first_wrong_step_must_be_said_and_must_exist():
    assert problem(FIRST, {}) == "Mark the first wrong step, or say that there is none."
    assert problem(FIRST, {"answers": {"first": "b9"}}) == "'b9' is not a step of this text."


def test_independent_labels_are_kept_as_they_are():
    labels = {"b2": "incorrect", "b3": "not_assessed", "b4": "correct"}
    assert answers(EACH, {"steps": {"each": labels}}) == labels


def test_independent_labels_must_be_complete_on_the_scale_and_of_this_text():
    assert problem(EACH, {"steps": {"each": {"b3": "correct"}}}) == "Still without a label: step 1, 3."
    assert "not one of" in problem(EACH, {"steps": {"each": {"b2": "maybe"}}})
    assert problem(EACH, {"steps": {"each": {"b7": "correct"}}}) == "'b7' is not a step of this text."
    assert problem(EACH, {"steps": {"each": ["b2"]}}) == "The labels of steps must be an object."
    optional = EACH | {"required": False}
    assert answers(optional, {"steps": {"each": {"b3": "correct"}}}) == {"b3": "correct"}


def test_a_comment_on_the_question_stands_at_the_wrong_step():
    content = {"answers": {"first": "b3"}, "comments": {"first": "It divides by zero."}}
    said = {a.step: a.comment for a in checked(rubric(FIRST), content, {}, steps(PLAIN)).answers}
    assert said == {"b2": "", "b3": "It divides by zero.", "b4": ""}


def test_steps_that_cannot_be_judged_are_one_abstention():
    content = {"abstained": ["first"], "comments": {"first": "It is in a language I cannot read."}}
    assert answers(FIRST, content) == {"": ""}


def test_a_pair_is_never_asked_about_steps():
    with pytest.raises(RubricError, match="a pair has no common ones"):
        rubric(FIRST, kind="compare")


@pytest.fixture
def stepwise(db, coordinator, algebraist):
    """A place whose rubric asks for the first wrong step and for each step by itself."""
    asked = rubric(FIRST, EACH)
    row = RubricFactory(name="steps", content=asked.content, sha256=digest("stepwise"))
    campaign = CampaignFactory(slug="stepwise", rubric=row, reviewers_per_item=1)
    problem = InstanceFactory(release=campaign.release)
    OutputFactory(run__release=campaign.release, instance=problem, text=PLAIN)
    draw_items(actor=coordinator, campaign=campaign)
    campaign = open_campaign(actor=coordinator, campaign=campaign)
    return take_next(reviewer=algebraist, campaign=campaign)


def submitted(place, reviewer) -> Grade:
    labels = {"b2": "correct", "b3": "incorrect", "b4": "not_assessed"}
    return submit_grade(
        reviewer=reviewer,
        assignment=place,
        content={"answers": {"first": "b4"}, "steps": {"each": labels}},
        idempotency_key="k",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )


def test_an_adjudicator_reads_the_names_of_steps_that_the_graders_saw(
    client, stepwise, algebraist, coordinator
):
    submitted(stepwise, algebraist)
    client.force_login(coordinator)
    item = stepwise.item
    page = client.get(reverse("adjudicate", args=[item.campaign.slug, item_name(item.pk)])).content.decode()
    assert '<a href="#b2">step 1</a>' in page
    assert "step b2" not in page


def test_a_report_names_steps_as_the_graders_saw_them_and_says_where_each_begins(stepwise, algebraist):
    submitted(stepwise, algebraist)
    ((printed,),) = printed_items([stepwise.item.campaign], Viewer.STAFF, identities=False)
    assert [(answer.question, answer.step) for answer in printed.answers][-3:] == [
        (EACH["text"], step) for step in ("1", "2", "3")
    ]
    page = render_to_string("reports/printing/_item.html", {"item": printed})
    assert "(step 2)" in page
    assert 'Step 2</p>\n        <div id="i1-b3"' in page


def test_a_discussion_names_steps_as_the_graders_saw_them(stepwise):
    shown = sheet(stepwise)
    assert [step_of(key, shown) for key in ("b2", "b4", "gone")] == ["1", "3", "gone"]


def test_a_grade_stores_one_answer_for_each_step(stepwise, algebraist):
    grade = submitted(stepwise, algebraist)
    assert set(grade.answers.values_list("question", "step", "value")) == {
        ("first", "b2", "correct"),
        ("first", "b3", "correct"),
        ("first", "b4", "incorrect"),
        ("each", "b2", "correct"),
        ("each", "b3", "incorrect"),
        ("each", "b4", "not_assessed"),
    }


def test_steps_are_answered_without_scripts(stepwise, algebraist, client):
    client.force_login(algebraist)
    address = reverse("grade", args=[stepwise.handle])
    page = client.get(address)
    fields = {
        "rubric_sha256": stepwise.item.campaign.rubric.sha256,
        "idempotency_key": page.context["idempotency_key"],
        "answer-first": "none",
        "step-each-b2": "correct",
        "step-each-b3": "correct",
    }
    refused = client.post(address, fields)
    assert "Still without a label: step 3." in refused.content.decode()
    client.post(address, fields | {"step-each-b4": "correct"})
    assert Grade.objects.get().answers.filter(value="correct").count() == 6
    own = client.get(address).content.decode()
    assert "Step 3:" in own


def test_while_there_are_no_steps_nothing_can_be_typed_in_their_place(stepwise):
    """A text that is still being prepared has none, and a number typed for one would be checked by nobody."""
    for question in sheet(stepwise).questions:
        shown = render_to_string("annotation/core/_question.html", {"question": replace(question, steps=())})
        assert "There are no steps yet" in shown
        assert f'name="answer-{question.key}"' not in shown
        assert f'name="abstain-{question.key}"' in shown


def test_rest_names_the_steps_and_shows_their_labels(stepwise, algebraist, client):
    client.force_login(algebraist)
    address = reverse("api-assignment", args=[stepwise.handle])
    assert [step["key"] for step in client.get(address).json()["steps"]] == ["b2", "b3", "b4"]
    submitted(stepwise, algebraist)
    labels = client.get(address).json()["grade"]["answers"]
    assert {
        "question": "each",
        "step": "b4",
        "value": "not_assessed",
        "state": "answered",
        "comment": "",
    } in labels


def test_the_steps_a_client_names_are_those_of_the_shown_text(stepwise):
    lengths, shown = anchors(material(stepwise))
    assert {step.key for step in shown} < set(lengths)


def test_gold_of_when_rules_were_steps_can_still_be_met(coordinator, algebraist):
    asked = rubric(EACH)
    row = RubricFactory(name="each", content=asked.content, sha256=digest("each"))
    campaign = CampaignFactory(slug="trained", rubric=row, reviewers_per_item=1)
    for key in ("p1", "p2"):
        problem = InstanceFactory(key=key, release=campaign.release)
        OutputFactory(run__release=campaign.release, instance=problem, text=PLAIN)
    gold = {"b1": "correct", "b3": "incorrect"}
    lines = [
        {
            "problem": key,
            "answer": {"text": "One.\n\n---\n\nTwo.", "format": "markdown"},
            "gold": {"each": gold},
            "rationale": {"each": "Two is wrong."},
        }
        for key in ("p1", "p2")
    ]
    attach_training(
        actor=coordinator, campaign=campaign, file="\n".join(map(json.dumps, lines)).encode(), form="jsonl"
    )
    for item in TrainingItem.objects.filter(training__campaign=campaign):
        TrainingGold.objects.create(item=item, question="each", step="b2", value="correct")  # the rule
    draw_items(actor=coordinator, campaign=campaign)
    open_campaign(actor=coordinator, campaign=campaign)
    said = [gold, {"b1": "correct", "b3": "correct"}]
    for item, labels in zip(unfinished(algebraist, campaign), said, strict=True):
        attempt = answer_training(reviewer=algebraist, item=item, content={"steps": {"each": labels}})
        assert [one.same for one in compared(item, attempt)] == [labels == gold]
    (person,) = training_results(campaign).reviewers
    assert person.questions == {"each": {"same": 1, "answered": 2}}
