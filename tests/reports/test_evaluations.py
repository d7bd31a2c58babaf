"""Result files of Re2Math's own evaluator: outputs and verdicts from one file, without options."""

import json
from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.importing.uploading import work_imports
from benchmark.models import Output, Release
from benchmark.releases.actions import import_release
from benchmark.releases.integrity import run_sha256
from judging.models import Judge, Verdict
from reports.labels.faults import BadLabels
from reports.labels.importing import import_labels
from reports.scores.inputs import collect
from tests.benchmark.evaluations import JUDGE, SYSTEMS, evaluation, write_evaluation
from tests.benchmark.files import gap, write_lines
from tests.documents import score_document
from tests.stats.real_data import real_file

pytestmark = pytest.mark.django_db
GAPS = [gap(number, x__local_context=[f"Passage {number}."]) for number in range(40)]


@pytest.fixture
def release(tmp_path) -> Release:
    path = write_lines(tmp_path / "gaps.jsonl", *GAPS)
    import_release(actor=None, protocol="re2math", path=path, name="gaps")
    return Release.objects.select_related("benchmark").get(name="gaps")


@pytest.fixture
def file(tmp_path):
    return write_evaluation(tmp_path / "a.json", SYSTEMS[0], GAPS)


def spoilt(tmp_path, **changes):
    """The same file with fields of its third entry changed."""
    document = evaluation(SYSTEMS[0], GAPS)
    document["results"][2] |= changes
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def entries_of(file):
    return {entry["id"]: entry for entry in json.loads(file.read_text())["results"]}


def test_outputs_have_plan_query_source_and_state(release, file):
    report = import_outputs(actor=None, path=file, release=release, system="a")
    entries = entries_of(file)
    expected = Counter()
    for entry in entries.values():
        failed = "error" in entry and not entry["predicted_anchor"]
        expected["answered" if entry["extracted_latex"] else "failed" if failed else "abstained"] += 1
    assert report.states == dict(expected)
    assert set(expected) == {"answered", "abstained", "failed"}
    answered = Output.objects.filter(state="answered").first()
    entry = entries[answered.instance.key]
    assert answered.text == entry["extracted_latex"]
    address = entry["download_manifest"][0]["source_url"]
    assert answered.payload == {
        "planning_anchor": "a made-up anchor",
        "query": entry["search_query"],
        "candidates": None,
        "selected_source": {
            "title": "A made-up paper",
            "identifier": address.removeprefix("https://arxiv.org/pdf/").removesuffix("v1.pdf"),
        },
    }
    assert run_sha256(answered.run) == answered.run.sha256


def test_verdicts_of_the_same_file_belong_to_its_run_and_only_to_what_was_judged(release, file):
    import_outputs(actor=None, path=file, release=release, system="a", condition="window-1")
    assert import_labels(actor=None, path=file, release=release).new_verdicts
    [judge] = Judge.objects.all()
    assert (judge.slug, judge.published_as) == ("made-up-judge-1", f"{JUDGE}, as published")
    for predicate in ("ground", "suff"):
        verdicts = Verdict.objects.filter(predicate=predicate)
        assert {verdict.output.state for verdict in verdicts} == {"answered"}
        assert verdicts.count() == Output.objects.filter(state="answered").count()
    entries = entries_of(file)
    for verdict in Verdict.objects.filter(predicate="suff"):
        entry = entries[verdict.output.instance.key]
        assert (verdict.value, verdict.confidence) == (entry["suff_label"], entry["suff_confidence"])
    # the plan of an output that stopped later is judged, that of one that has none is not
    planned = Verdict.objects.filter(predicate="anchor_match")
    assert planned.count() == sum(entry["predicted_anchor"] is not None for entry in entries.values())
    again = import_labels(actor=None, path=file, release=release)
    assert not again.changed


def test_the_score_under_the_imported_judge_is_the_share_of_two_times_yes(release, file):
    import_outputs(actor=None, path=file, release=release, system="a")
    import_labels(actor=None, path=file, release=release)
    both = [
        entry for entry in entries_of(file).values() if entry["ground_label"] == entry["suff_label"] == "yes"
    ]
    score = score_document(collect(release=release))["judge"]["systems"]["a"]["metrics"]["tool_acc"]
    assert score["estimate"]["value"] == pytest.approx(len(both) / 40)
    assert score["estimate"]["n"] == 40


def test_without_recorded_candidates_cite_recall_says_nothing(release, file):
    import_outputs(actor=None, path=file, release=release, system="a")
    assert [row for row in collect(release=release).measured if row.measure == "cite_recall_20"] == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": None}, "id"),
        ({"ground_label": "maybe"}, "ground_label"),
        ({"extracted_latex": 7}, "extracted_latex"),
        ({"meta": {}}, "meta.judge_model"),
        ({"download_manifest": {}}, "download_manifest"),
    ],
)
def test_an_entry_of_another_shape_is_named_by_position_and_field(release, tmp_path, changes, field):
    with pytest.raises(BadFile) as caught:
        import_outputs(actor=None, path=spoilt(tmp_path, **changes), release=release, system="a")
    assert [(error.line, error.field) for error in caught.value.errors] == [(3, field)]
    assert not Output.objects.exists()


def test_a_problem_that_the_release_does_not_have_is_named(release, tmp_path):
    with pytest.raises(BadFile) as caught:
        import_outputs(actor=None, path=spoilt(tmp_path, id="other"), release=release, system="a")
    assert [(error.line, error.field) for error in caught.value.errors] == [(3, "instance_id")]


def test_verdicts_without_their_outputs_are_refused(release, file, tmp_path):
    with pytest.raises(BadLabels, match="import them first, from the same file"):
        import_labels(actor=None, path=file, release=release)
    import_outputs(actor=None, path=file, release=release, system="a")
    other = spoilt(tmp_path, extracted_latex="Another lemma.", selected_file="x.pdf", error=None)
    with pytest.raises(BadLabels, match="not a run of this release"):
        import_labels(actor=None, path=other, release=release)
    import_outputs(actor=None, path=file, release=release, system="b")
    with pytest.raises(BadLabels, match="several runs have exactly these outputs: a, b"):
        import_labels(actor=None, path=file, release=release)
    assert not Verdict.objects.exists()


def test_a_json_file_of_another_kind_is_refused_as_labels(release, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[1]")
    with pytest.raises(CommandError, match="holds no verdict"):
        call_command("import_labels", str(path), "--release", "gaps")


def test_both_go_through_the_browser(release, file, client, coordinator):
    client.force_login(coordinator)

    def sent(route, **terms):
        upload = SimpleUploadedFile("a.json", file.read_bytes())
        page = client.post(reverse(route), {"file": upload, "release": "gaps", **terms}, follow=True)
        work_imports()
        handle = page.redirect_chain[-1][0].rstrip("/").rsplit("/", 1)[-1]
        client.post(reverse("import-apply", args=[handle]), follow=True)
        work_imports()

    sent("import-outputs", system="a", track="raw")
    assert Output.objects.count() == 40
    sent("import-labels")
    assert Verdict.objects.filter(judge__slug="made-up-judge-1").exists()


@pytest.mark.slow
@pytest.mark.real_data
def test_seven_runs_in_the_evaluators_format_on_eval_200(tmp_path, capsys):
    """The runs are made up (tests/benchmark/evaluations.py); the problems are the published ones."""
    source = real_file("re2math", "benchmark_dataset_eval200.jsonl")
    call_command("import_release", "re2math", str(source), "--release", "eval200", "--json")
    gaps = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for system in SYSTEMS:
        path = write_evaluation(tmp_path / f"{system}.json", system, gaps)
        call_command(
            "import_outputs", str(path), "--release", "eval200", "--system", system, "--no-render", "--json"
        )
        call_command("import_labels", str(path), "--release", "eval200", "--json")
    assert Output.objects.count() == 1400
    assert Judge.objects.count() == 1
    inputs = collect(release=Release.objects.get(name="eval200"))
    assert len({row.cluster for row in inputs.outputs}) == 162
    assert set(score_document(inputs)["judge"]["systems"]) == set(SYSTEMS)
