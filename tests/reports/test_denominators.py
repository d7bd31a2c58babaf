"""A system without an output for some problems is scored over those that are there, and over all, and says so."""

import json
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from benchmark.importing.outputs import import_outputs
from benchmark.models import Output, Run, UnreleasedOutput
from benchmark.protocols import get_protocol
from benchmark.releases.integrity import run_sha256
from canonical.documents import as_json
from judging.runs.actions import PublishedVerdict, imported_judge, store_published
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify_file
from reports.core.canonical import canonical
from reports.core.datasets import ExpertLabel, OutputRow
from reports.results.graded import reading
from reports.scores.document import score
from reports.scores.expert_scores import expert_scores
from reports.scores.inputs import Inputs, collect
from reports.scores.text import expert_cell, score_text
from tests.documents import expert_document, score_document
from tests.growing import grows_in_proportion
from tests.reports.conftest import load

pytestmark = pytest.mark.django_db


@pytest.fixture
def patchy(tmp_path):
    """30 problems: "whole" answers all, "patchy" has 26, six of them wrong, and one is not released."""
    release = load("gaps", "re2math", {})
    keys = sorted(release.instances.values_list("key", flat=True))
    said = {"statement": "Every x is bounded.", "selected_source": {"title": "A catalogue of butterflies"}}
    for system in ("whole", "patchy"):
        lines = [{"instance_id": key, **said} for key in keys[: 30 if system == "whole" else 26]]
        path = tmp_path / f"{system}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        import_outputs(actor=None, path=path, release=release, system=system)
    withheld = release.instances.get(key=keys[26])
    run = release.runs.get(system__slug="patchy")
    UnreleasedOutput.objects.create(run=run, instance=withheld)
    Run.objects.filter(pk=run.pk).update(sha256=run_sha256(run))
    judge = imported_judge(actor=None, slug="strict", protocol="re2math", published_as="strict")
    wrong = set(keys[20:])
    verdicts = [
        PublishedVerdict(
            output=output,
            predicate=predicate,
            value="no" if output.instance.key in wrong else "yes",
            state="answered",
        )
        for output in Output.objects.filter(run__release=release).select_related("instance")
        for predicate in ("ground", "suff")
    ]
    store_published(judge=judge, verdicts=verdicts)
    return release


def test_the_rate_over_all_problems_stands_with_the_rate_over_the_outputs(patchy):
    document = score_document(collect(release=patchy))
    systems = {name: part["metrics"]["tool_acc"] for name, part in document["judge"]["systems"].items()}
    assert (systems["patchy"]["estimate"]["k"], systems["patchy"]["estimate"]["n"]) == (20, 26)
    over_all = systems["patchy"]["all_problems"]
    assert (over_all["missing"], over_all["not_released"]) == (3, 1)
    assert (over_all["estimate"]["k"], over_all["estimate"]["n"]) == (20, 30)
    assert "all_problems" not in systems["whole"]
    assert document["systems"]["patchy"]["missing"] == 3
    assert "missing" not in document["systems"]["whole"]


def test_page_print_command_rest_and_artifact_say_it(patchy, coordinator):
    client = Client()
    client.force_login(coordinator)
    words = "3 problems without an output, 1 not released; over all problems 66.7"
    inputs = collect(release=patchy)
    assert words in score_text(score(inputs))
    assert words in client.get(reverse("score-numbers", args=["gaps"])).content.decode()
    metrics = client.get(reverse("api-score", args=["gaps"])).json()["judge"]["systems"]["patchy"]["metrics"]
    assert metrics["tool_acc"]["all_problems"]["estimate"]["n"] == 30
    document = build(inputs, read_manifest(patchy, "raw"))
    assert verify_file(canonical(document) + b"\n").verified
    older = Inputs.from_json({**inputs.as_json(), "methods": 3})
    assert "all_problems" not in json.dumps(score_document(older))
    assert "missing" not in score_document(older)["systems"]["patchy"]


def test_a_run_under_a_condition_is_of_a_part_by_design(patchy, tmp_path):
    path = tmp_path / "patchy.jsonl"
    import_outputs(actor=None, path=path, release=patchy, system="patchy", condition="oracle")
    assert "missing" not in score_document(collect(release=patchy, condition="oracle"))["systems"]["patchy"]


def test_experts_state_the_rate_over_all_problems_that_they_graded():
    """6 of 9 next to the other system's 5 of 10: the tenth problem, which is blank, makes it 6 of 10."""
    rubric = next(rubric for rubric in get_protocol("proofs").rubrics if rubric.question("correctness"))
    right = {"a": 5, "b": 6}
    rows = [
        OutputRow(f"p{at}/{system}", system, f"p{at}", f"p{at}", "algebra", 1, "answered", "")
        for system, size in (("a", 10), ("b", 9))
        for at in range(size)
    ]
    labels = [
        ExpertLabel(
            row.subject,
            "refereeing",
            "correctness",
            "",
            "expert-1",
            "correct" if int(row.instance[1:]) < right[row.system] else "incorrect",
            "answered",
        )
        for row in rows
    ]
    scores = expert_scores(rubric, rows, labels, missing={"b": {"p9"}, "a": set()})["correctness"].systems
    found = as_json(scores)
    assert [found["b"]["conservative"]["estimate"][key] for key in ("k", "n")] == [6, 9]
    gone = found["b"]["missing"]
    assert (gone["problems"], gone["counted_against"]["k"], gone["counted_against"]["n"]) == (1, 6, 10)
    assert "missing" not in found["a"]
    ungraded = expert_document(rubric, rows, labels, missing={"b": {"p10"}})["correctness"]["systems"]["b"]
    assert "missing" not in ungraded  # no expert graded problem 10 for anybody
    assert "(6 of 10 with the 1 it lacks counted against it)" in expert_cell(scores["b"])


@pytest.mark.slow
@pytest.mark.django_db
def test_of_several_attempts_each_that_a_system_lacks_counts_against_it(proofs):
    """Two attempts at each problem, all read by experts; of one problem both are missing, of another one is blank."""
    inputs = collect(release=proofs)
    question = reading(inputs).key
    read = {row.subject for row in inputs.labels}
    own = [row for row in inputs.outputs if row.system == "aurora" and row.subject in read]
    again = {row.subject: replace(row, subject=f"{row.subject}@2", attempt=2) for row in own}
    labels = [row for row in inputs.labels if row.subject in again]
    twice = replace(
        inputs,
        outputs=(*inputs.outputs, *again.values()),
        labels=(*inputs.labels, *(replace(row, subject=again[row.subject].subject) for row in labels)),
    )
    gone, half = own[0].instance, again[own[1].subject]
    lacking = replace(
        twice,
        outputs=tuple(
            replace(row, state="abstained") if row == half else row
            for row in twice.outputs
            if row.system != "aurora" or row.instance != gone
        ),
        labels=tuple(
            row
            for row in twice.labels
            if row.subject not in (own[0].subject, again[own[0].subject].subject, half.subject)
        ),
    )
    before, after = (
        score(each).experts[0].questions[question].systems["aurora"] for each in (twice, lacking)
    )
    assert after.missing.problems == 3
    assert after.missing.counted_against.n == before.conservative.estimate.n == 2 * len(own)
    assert after.missing.counted_against.k == after.conservative.estimate.k
    first = score(replace(lacking, methods=15)).experts[0].questions[question].systems["aurora"]
    assert first.missing.problems == 1


@pytest.mark.django_db
def test_a_system_gains_nothing_by_abstaining(proofs):
    """Experts read all answers of three systems; one of them becomes an abstention, and its labels go.

    Where another answer was not read either, its system is sampled and has no such rate.
    """
    inputs = collect(release=proofs)
    question = reading(inputs).key
    one = next(row for row in inputs.outputs if row.system == "aurora")
    blank = replace(
        inputs,
        outputs=tuple(replace(row, state="abstained") if row == one else row for row in inputs.outputs),
        labels=tuple(row for row in inputs.labels if row.subject != one.subject),
    )
    before, after = (score(each).experts[0].questions[question].systems["aurora"] for each in (inputs, blank))
    assert after.conservative.estimate.n == before.conservative.estimate.n - 1
    assert after.missing.problems == 1
    assert after.missing.counted_against.n == before.conservative.estimate.n
    assert after.missing.counted_against.k == after.conservative.estimate.k
    unread = next(row.subject for row in blank.labels if "/aurora/" in row.subject)
    sampled = replace(blank, labels=tuple(row for row in blank.labels if row.subject != unread))
    for other in (replace(blank, methods=6), sampled):
        assert score(other).experts[0].questions[question].systems["aurora"].missing is None
    lacks = replace(sampled, outputs=tuple(row for row in sampled.outputs if row.subject != one.subject))
    assert score(lacks).experts[0].questions[question].systems["aurora"].missing is None
    then = score(replace(lacks, methods=11)).experts[0].questions[question].systems["aurora"]
    assert then.missing.problems == 1


def test_the_time_for_what_systems_lack_grows_with_the_problems_and_not_with_their_square():
    """Ten thousand problems, each answered by one of four systems, took four minutes."""
    rubric = get_protocol("proofs").rubric("proofs-v1")

    def study(size: int) -> tuple[list[OutputRow], list[ExpertLabel], dict[str, set[str]]]:
        names = [f"p{at}" for at in range(size)]
        rows = [
            OutputRow(name, "abcd"[at % 4], name, name, "algebra", 1, "answered", "")
            for at, name in enumerate(names)
        ]
        labels = [
            ExpertLabel(name, "grading", "correctness", "", "r1", "correct", "answered") for name in names
        ]
        lacking = {system: {row.instance for row in rows if row.system != system} for system in "abcd"}
        return rows, labels, lacking

    assert grows_in_proportion(
        lambda given: expert_scores(rubric, given[0], given[1], missing=given[2]), study, 1_000, 4_000
    )
