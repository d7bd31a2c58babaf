"""check_invariants finds each broken rule, and is silent about a healthy study."""

from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Answer
from benchmark.actions import freeze_release
from reports.artifacts import build
from reports.canonical import canonical
from reports.inputs import collect
from reports.invariants import RULES, violations
from reports.manifest import read_manifest
from reports.models import Artifact
from tests.factories import (
    AssignmentFactory,
    InstanceFactory,
    ItemFactory,
    JudgeTaskFactory,
    OutputFactory,
    RoleFactory,
    RubricFactory,
)

pytestmark = pytest.mark.django_db


def broken() -> set[str]:
    return {rule for rule, sentences in violations().items() if sentences}


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


def test_a_coordinator_who_grades_is_found():
    assignment = AssignmentFactory(item__places_taken=1)
    RoleFactory(user=assignment.reviewer, name="coordinator")
    assert broken() == {"reviewers_do_not_run_the_study"}


def test_a_rubric_with_a_wrong_hash_is_found():
    RubricFactory(sha256="0" * 64)
    assert broken() == {"rubrics_have_their_hash"}


def test_a_task_that_is_done_without_verdict_is_found():
    JudgeTaskFactory(state="done")
    assert broken() == {"done_judge_tasks_have_their_verdict"}


def test_an_answer_off_the_scale_is_found(gaps):
    grade = Answer.objects.first().grade
    Answer.objects.create(grade=grade, question="ground", step="1", value="maybe")
    assert broken() == {"answers_are_on_the_scale"}


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


def test_an_artifact_under_another_hash_is_found(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    document = build(collect(release=gaps), read_manifest(gaps, "raw"))
    Artifact.objects.create(kind="score", release=gaps, content=canonical(document).decode(), sha256="0" * 64)
    assert broken() == {"artifacts_have_their_hash"}
