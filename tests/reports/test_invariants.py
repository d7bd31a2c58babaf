"""check_invariants finds each broken rule, and is silent about a healthy study."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Answer, Assignment, CalibrationItem, CalibrationRound, Grade, Item
from benchmark.models import Benchmark, IdentityDecision, Instance, RedactedOutput, Settlement
from benchmark.releases.freezing import freeze_release, freeze_run
from benchmark.settling.case import open_case
from judging.models import Call
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.core.canonical import canonical
from reports.invariants.of_records import settlements_name_their_texts
from reports.invariants.rules import RULES, violations
from reports.models import Artifact
from reports.scores.inputs import collect
from solving.models import Attempt
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    JudgeTaskFactory,
    OutputFactory,
    ReleaseFactory,
    RoleFactory,
    RubricFactory,
    RunFactory,
    VerdictFactory,
)
from tests.reports.conftest import load_gaps
from tests.solving import site

pytestmark = pytest.mark.django_db


@pytest.fixture
def gaps(db):
    """Written by each test that asks: others of this file begin without it."""
    return load_gaps()


def broken() -> set[str]:
    return {rule for rule, sentences in violations().items() if sentences}


def graded(**terms: object) -> Grade:
    """A grade that was given here, in a campaign that is open."""
    campaign = CampaignFactory(phase="open", opened_at=timezone.now())
    place = AssignmentFactory(item__campaign=campaign, item__places_taken=1)
    terms = {"rubric_sha256": campaign.rubric.sha256, **terms}
    grade = Grade.objects.create(assignment=place, idempotency_key="k", **terms)
    Assignment.objects.filter(pk=place.pk).update(state="submitted", submitted_at=timezone.now())
    return grade


def test_a_healthy_study_breaks_no_rule(gaps, capsys):
    call_command("check_invariants")
    assert capsys.readouterr().out.strip() == f"all {len(RULES)} rules hold"


def test_a_broken_rule_ends_the_command_and_names_the_rows():
    item = ItemFactory(places_taken=2)
    with pytest.raises(CommandError, match=f"places_taken_are_counted: item {item.pk} counts 2"):
        call_command("check_invariants")


def test_an_output_of_another_releases_instance_is_found():
    OutputFactory(instance=InstanceFactory())
    assert broken() == {"outputs_answer_instances_of_their_release"}


def test_an_item_of_another_release_is_found():
    output = OutputFactory()
    ItemFactory(output=output, instance=output.instance)
    assert broken() == {"items_belong_to_the_release_of_their_campaign"}


def test_a_submitted_assignment_without_grade_is_found():
    AssignmentFactory(state="submitted", submitted_at=timezone.now(), item__places_taken=1)
    assert "submitted_assignments_have_one_live_grade" in broken()


def test_an_item_with_more_places_than_its_campaign_wants_is_found():
    ItemFactory(campaign__reviewers_per_item=2, places=3, places_taken=3)
    assert "quotas_hold" in broken()


def test_a_correction_of_another_places_grade_is_found():
    first = graded()
    Grade.objects.create(assignment=AssignmentFactory(), supersedes=first, idempotency_key="k")
    assert "corrections_stay_on_their_assignment" in broken()


def test_a_grade_on_a_text_that_is_no_longer_there_is_found():
    graded(shown_sha256="0" * 64)
    assert "grades_keep_what_was_shown" in broken()


def test_a_coordinator_who_is_given_an_item_is_found():
    coordinator = RoleFactory(name="coordinator").user
    AssignmentFactory(reviewer=coordinator, item__places_taken=1)
    assert broken() == {"reviewers_do_not_run_the_study"}


def test_a_coordinator_who_grades_an_item_of_earlier_is_found():
    grade = graded()
    RoleFactory(user=grade.assignment.reviewer, name="coordinator", granted_at=grade.created_at)
    assert "reviewers_do_not_run_the_study" in broken()


def test_what_a_coordinator_graded_as_a_reviewer_is_no_breach():
    grade = graded()
    RoleFactory(user=grade.assignment.reviewer, name="coordinator")
    assert "reviewers_do_not_run_the_study" not in broken()


def test_a_rubric_with_a_wrong_hash_is_found():
    RubricFactory(sha256="0" * 64)
    assert broken() == {"rubrics_have_their_hash"}


@pytest.mark.slow
def test_a_settlement_under_the_hash_of_other_texts_is_found(gaps, coordinator):
    case = open_case({"Title": "One"}, {"Citation": "Other"}, "close")
    row = {"release": gaps, "decided_by": coordinator, "verdict": "same", "found": [list(case.found[0])]}
    Settlement.objects.create(**row, wanted=[list(case.wanted[0])], pair=case.pair)
    assert list(settlements_name_their_texts()) == []
    wrong = Settlement.objects.create(**row, wanted=[["Citation", "Another"]], pair=case.pair)
    assert list(settlements_name_their_texts()) == [f"settlement {wrong.pk} is filed under other texts"]


def test_a_task_that_is_done_without_verdict_is_found():
    JudgeTaskFactory(state="done")
    assert broken() == {"done_judge_tasks_have_their_verdict"}


@pytest.mark.slow
def test_an_answer_off_the_scale_is_found(gaps):
    grade = Answer.objects.first().grade
    Answer.objects.create(grade=grade, question="ground", step="1", value="maybe")
    assert broken() == {"answers_are_on_the_scale"}


@pytest.mark.slow
def test_an_artifact_about_other_hashes_than_those_stored_is_found(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    inputs, manifest = collect(release=gaps), read_manifest(gaps, "raw")
    first, *others = manifest.runs
    forged = build(inputs, replace(manifest, runs=(replace(first, sha256="0" * 64), *others)))
    Artifact.objects.create(
        kind="score", release=gaps, content=canonical(forged).decode(), sha256=forged["sha256"]
    )
    assert broken() == {"artifacts_are_about_what_is_stored"}


@pytest.mark.slow
def test_an_artifact_under_another_hash_is_found(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    document = build(collect(release=gaps), read_manifest(gaps, "raw"))
    Artifact.objects.create(kind="score", release=gaps, content=canonical(document).decode(), sha256="0" * 64)
    assert broken() == {"artifacts_have_their_hash"}


# --- what was drawn -----------------------------------------------------------------------------------------


def test_an_abstention_that_was_drawn_is_found():
    ItemFactory(output__state="abstained")
    assert broken() == {"only_answers_are_drawn"}


def test_a_graded_output_of_a_run_that_is_not_frozen_is_found():
    grade = graded()
    assert broken() == {"drawn_outputs_are_frozen"}
    freeze_run(actor=None, run=grade.assignment.item.output.run)
    assert "drawn_outputs_are_frozen" not in broken()


def test_a_probability_beside_its_sizes_is_found():
    ItemFactory(stratum_size=4, sample_size=1, inclusion_probability=0.5)
    assert broken() == {"probabilities_follow_from_the_sizes"}


@pytest.mark.parametrize("terms", [{"sample_size": 2}, {"sample_size": 1}])
def test_a_stratum_with_fewer_or_more_items_than_were_drawn_is_found(terms):
    item = ItemFactory(stratum_size=2, inclusion_probability=terms["sample_size"] / 2, **terms)
    if terms["sample_size"] == 1:
        ItemFactory(campaign=item.campaign, stratum_size=2, sample_size=1, inclusion_probability=0.5)
    assert broken() == {"strata_hold_their_sample"}


def test_a_campaign_with_a_rubric_of_another_protocol_is_found():
    campaign = ItemFactory().campaign
    Benchmark.objects.filter(pk=campaign.release.benchmark_id).update(protocol="lemmas")
    assert broken() == {"campaigns_ask_by_a_rubric_of_their_protocol"}


def test_an_item_with_another_domain_than_its_instance_is_found():
    item = ItemFactory()
    Instance.objects.filter(pk=item.instance_id).update(domain="topology")
    assert broken() == {"items_keep_what_is_asked_of_them"}


@pytest.mark.parametrize("revealed", [True, False])
def test_an_item_that_is_wrongly_marked_as_revealed_or_not_is_found(revealed):
    item = ItemFactory(revealed=revealed)
    assert broken() == ({"items_keep_what_is_asked_of_them"} if revealed else set())
    staff = item.campaign.created_by
    shown = CalibrationRound.objects.create(campaign=item.campaign, made_by=staff)
    CalibrationItem.objects.create(round=shown, item=item)
    CalibrationRound.objects.filter(pk=shown.pk).update(revealed_by=staff, revealed_at=timezone.now())
    assert broken() == (set() if revealed else {"items_keep_what_is_asked_of_them"})


def test_a_repeat_with_the_same_side_is_found():
    first = OutputFactory()
    second = OutputFactory(run__release=first.run.release, instance=first.instance)
    item = ItemFactory(
        campaign__release=first.run.release,
        campaign__kind="compare",
        output=first,
        second=second,
        mirrored=True,
        places_taken=1,
    )
    place = AssignmentFactory(item=item, swapped=True)
    AssignmentFactory(item=item, reviewer=place.reviewer, swapped=False, repeat=True)
    assert broken() == set()
    other = AssignmentFactory(item=item, swapped=True)
    Item.objects.update(places_taken=2)
    AssignmentFactory(item=item, reviewer=other.reviewer, swapped=True, repeat=True)
    assert broken() == {"mirrored_places_exchange_the_sides"}


# --- what was recorded --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_frozen_release_or_run_with_another_hash_is_found(gaps):
    freeze_release(actor=None, release=gaps)
    assert broken() == set()
    release = ReleaseFactory(sha256="0" * 64, frozen_at=timezone.now())
    RunFactory(release=release, sha256="1" * 64, frozen_at=timezone.now())
    assert len(violations()["frozen_content_has_its_hash"]) == 2
    assert broken() == {"frozen_content_has_its_hash"}


def test_a_grade_on_another_rubric_is_found():
    graded(rubric_sha256="0" * 64)
    assert "grades_are_on_the_rubric_of_their_campaign" in broken()


def test_a_redaction_without_its_decision_and_a_decision_without_its_redaction_are_found(owner):
    output = OutputFactory()
    terms = {"verdict": "redacted", "decided_by": owner}
    decision = IdentityDecision.objects.create(output=output, **terms)
    assert violations()["redactions_have_their_decision"] == [
        f"output {output.pk} was to be redacted and is shown as it is"
    ]
    RedactedOutput.objects.create(output=output, decision=decision)
    assert broken() == set()
    IdentityDecision.objects.update(withdrawn_at=timezone.now())
    assert broken() == {"redactions_have_their_decision"}


def test_a_task_about_another_release_is_found():
    JudgeTaskFactory(output=OutputFactory())
    assert broken() == {"judge_tasks_stay_in_their_release"}


def test_a_verdict_from_a_call_of_another_judge_is_found():
    task = JudgeTaskFactory(state="done")
    call = Call.objects.create(
        judge=task.run.judge, task=task, prompt_sha256="0" * 64, request={}, latency_seconds=1
    )
    VerdictFactory(judge=task.run.judge, output=task.output, call=call)
    assert broken() == set()
    VerdictFactory(call=call)
    assert broken() == {"verdicts_come_from_calls_of_their_judge"}


def test_a_finished_run_with_an_open_task_is_found():
    JudgeTaskFactory(run__state="done", run__finished_at=timezone.now())
    assert broken() == {"finished_runs_have_nothing_open"}


@pytest.fixture
def attempt(settings):
    """An attempt of a solver that waits for its first reply."""
    local = {"base_url": "http://127.0.0.1:9/v1", "private": True}
    settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
    run = site.start(site.solver(settings=site.rma()), site.problems())
    assert broken() == set()
    return run.attempts.get()


def test_a_step_that_an_attempt_would_ask_otherwise_is_found(attempt):
    step = attempt.steps.get()
    attempt.steps.update(question_sha256="0" * 64)
    assert violations()["attempts_follow_from_their_replies"] == [
        f"attempt {attempt.pk} would ask another question at {step.key}"
    ]


def test_an_attempt_that_books_other_tokens_than_its_steps_is_found(attempt):
    Attempt.objects.update(tokens_spent=7)
    assert violations()["attempts_account_for_their_tokens"] == [
        f"attempt {attempt.pk} has booked 7 tokens, its steps 0"
    ]


def test_every_rule_is_broken_by_some_test_here():
    """A rule that nothing breaks may be one that nothing can break, or that looks at nothing."""
    text = Path(__file__).read_text(encoding="utf-8")
    assert [rule.__name__ for rule in RULES if rule.__name__ not in text] == []
