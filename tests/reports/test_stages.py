"""Outputs are judged on the stages that they reached before they abstained."""

import json
import random

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmark.citations.reading import read_citation
from benchmark.importing.outputs import import_outputs
from benchmark.models import Instance, Output, Release, Settlement
from benchmark.protocols.re2math.metrics import cited_among, open_citations
from benchmark.releases.actions import import_release
from benchmark.settling.actions import settle, withdraw_settlement
from benchmark.settling.queue import questions
from judging.models import JudgeTask
from judging.runs.actions import PublishedVerdict, ask, create_judge, imported_judge, store_published
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify_file
from reports.core.canonical import canonical
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.text import score_text
from tests.documents import case_document, score_document
from tests.reports.conftest import SAMPLE
from tests.stats.real_data import real_file

pytestmark = pytest.mark.django_db
SYSTEMS = 7


def candidate(citation: dict, kind: str) -> dict:
    """A candidate that the matcher calls the same work, asks about, or knows to be another one."""
    if kind == "miss":
        return {
            "title": "A catalogue of butterflies of the northern lakes",
            "authors": "Quentin Zzyzx",
            "year": 1921,
        }
    read = read_citation(
        citation["citation_content"], doi_field=citation["doi"], arxiv_field=citation["arxiv_id"]
    )
    if kind == "ask":  # the title alone, without authors
        return {"title": read.title}
    authors = " and ".join(name.surname for name in read.authors.names)
    return {"title": read.title, "authors": authors, **({"year": read.year} if read.year else {})}


def sure(gaps: list[dict]) -> dict[str, set[str]]:
    """By instance, what the matcher says of a candidate of either kind: citations differ in what they give."""
    found = {}
    for gap in gaps:
        kinds = set()
        for kind in ("hit", "ask"):
            try:
                output = {"candidates": [candidate(gap["z"], kind)]}
                if cited_among(gap, output):
                    kinds.add("same" + kind)
                elif open_citations(gap, output):
                    kinds.add("open" + kind)
            except ValueError:
                continue
        found[gap["instance_id"]] = kinds
    return found


@pytest.mark.slow
@pytest.mark.real_data
def test_seven_systems_that_abstain_late_get_the_figures_that_are_true(tmp_path, coordinator, owner):
    """Known hits, plans and queries on the 200 published instances; a third of the outputs abstain at the end."""
    path = real_file("re2math", "benchmark_dataset_eval200.jsonl")
    gaps = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    import_release(actor=None, protocol="re2math", path=path, name="eval-200")
    release = Release.objects.get(name="eval-200")
    kinds, rng = sure(gaps), random.Random(5)
    truth: dict[str, dict[str, int]] = {}
    verdicts = []
    judge = imported_judge(actor=None, slug="stages", protocol="re2math", published_as="stages")
    for number in range(SYSTEMS):
        system = f"system-{number}"
        count = truth.setdefault(system, {"hit": 0, "open": 0, "plan": 0, "query": 0})
        lines, said = [], {}
        for gap in gaps:
            possible = kinds[gap["instance_id"]]
            wanted = rng.choice(["hit", "ask", "miss"])
            kind = wanted if {f"same{wanted}", f"open{wanted}"} & possible else "miss"
            count["hit"] += f"same{kind}" in possible
            count["open"] += f"open{kind}" in possible
            planned, queried = rng.random() < 0.9, rng.random() < 0.9
            right = planned and rng.random() < 0.4, queried and rng.random() < 0.6
            count["plan"] += right[0]
            count["query"] += right[1]
            source = candidate(gap["z"], "miss")
            line = {"instance_id": gap["instance_id"], "candidates": [source, candidate(gap["z"], kind)]}
            line |= {"planning_anchor": "a bound"} if planned else {}
            line |= {"query": "bound"} if queried else {}
            late = rng.random() < 1 / 3
            if late:
                line |= {"state": "abstained", "abstained": True}
            else:
                line |= {"selected_source": source, "statement": "Every x is bounded."}
            lines.append(line)
            said[gap["instance_id"]] = {
                **({"anchor_match": right[0]} if planned or not late else {}),
                **({"query_match": right[1]} if queried or not late else {}),
            }
        file = tmp_path / f"{system}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        import_outputs(actor=None, path=file, release=release, system=system)
        outputs = Output.objects.filter(run__system__slug=system).select_related("instance")
        verdicts += [
            PublishedVerdict(
                output=output, predicate=predicate, value="yes" if yes else "no", state="answered"
            )
            for output in outputs
            for predicate, yes in said[output.instance.key].items()
        ]
    store_published(judge=judge, verdicts=verdicts)
    inputs = collect(release=release)
    document = score_document(inputs)
    assert sum(row["open"] for row in truth.values()) > 100
    for system, count in truth.items():
        recall = document["measured"]["systems"][system]["cite_recall_20"]
        assert (recall["estimate"]["k"], recall["estimate"]["n"]) == (count["hit"], 200)
        assert recall["open"] == count["open"]
        assert recall["estimate"]["bounds"] == [count["hit"] / 200, (count["hit"] + count["open"]) / 200]
        assert "OPEN_CASES" in recall["estimate"]["warnings"]
        metrics = document["judge"]["systems"][system]["metrics"]
        for metric, part in (("anchor_acc", "plan"), ("query_acc", "query")):
            estimate = metrics[metric]["estimate"]
            assert (estimate["k"], estimate["n"]) == (count[part], 200)
        assert not {"tool_acc", "ground_rate"} & metrics.keys()  # nobody was asked
    assert "open: " in score_text(score(inputs))
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs
    settle_by_page_and_rest(release, coordinator, owner, truth)


def settle_by_page_and_rest(release, coordinator, owner, truth):
    """One person answers on the page, another by REST: what was known to be the same work is found at last."""
    page, client = reverse("settling", args=[release.name]), Client()
    client.force_login(coordinator)
    [first, second, *rest] = questions(release)
    assert first.outputs > 1  # systems name the same source, so that one answer decides several outputs
    client.post(page, {"pair": first.case.pair, "verdict": "same"})
    assert f"1 of {2 + len(rest)}" in client.get(page).content.decode()
    client.force_login(owner)
    place = reverse("api-source-question", args=[release.name, second.case.pair])
    assert client.post(place, {"verdict": "different"}, "application/json").status_code == 200
    inputs = collect(release=release)
    opened = {(row.system, row.instance) for row in inputs.open_measures}
    found = score_document(inputs)["measured"]["systems"]
    for system, count in truth.items():
        hits = (system, first.instances[0]) in opened
        misses = (system, second.instances[0]) in opened
        recall = found[system]["cite_recall_20"]
        assert recall["estimate"]["k"] == count["hit"] + hits
        assert recall.get("settled", 0) == hits + misses
        assert recall["open"] == count["open"] - hits - misses
        low = count["hit"] + hits
        assert recall["estimate"]["bounds"] == [low / 200, (low + recall["open"]) / 200]
    Settlement.objects.bulk_create(
        Settlement(
            release=release, decided_by=owner, verdict="same", found=[], wanted=[], pair=found.case.pair
        )
        for found in rest
    )
    withdraw_settlement(actor=owner, settlement=questions(release)[1].answer)
    settle(actor=owner, release=release, pair=second.case.pair, verdict="same")
    found = score_document(collect(release=release))["measured"]["systems"]
    for system, count in truth.items():
        recall = found[system]["cite_recall_20"]
        assert (recall["estimate"]["k"], recall["settled"]) == (count["hit"] + count["open"], count["open"])
        assert recall["estimate"]["bounds"] is None
        assert "OPEN_CASES" not in recall["estimate"]["warnings"]
        assert "open" not in recall


@pytest.fixture
def planners(gaps, tmp_path):
    """A system that only plans: every output abstains; the second has neither a plan nor candidates."""
    keys = list(Instance.objects.filter(release=gaps).order_by("key").values_list("key", flat=True))
    lines = [{"instance_id": key, "state": "abstained", "abstained": True} for key in keys]
    for at, line in enumerate(lines):
        if at != 1:
            line |= {"planning_anchor": "a bound", "query": "bound", "candidates": [{"title": "Some title"}]}
    path = tmp_path / "planner.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_outputs(actor=None, path=path, release=gaps, system="planner", condition="planning")
    return gaps


@pytest.mark.slow
def test_a_judge_is_asked_about_the_stages_that_were_reached_and_about_nothing_else(
    planners, coordinator, settings
):
    settings.JUDGE_ENDPOINTS = json.dumps({"local": {"base_url": "http://127.0.0.1:1", "private": True}})
    judge = create_judge(actor=coordinator, slug="planning", protocol="re2math", model="m", endpoint="local")
    ask(actor=coordinator, judge=judge, release=planners, predicates=["anchor_match", "ground"])
    tasks = JudgeTask.objects.filter(output__run__system__slug="planner")
    assert set(tasks.values_list("predicate", flat=True)) == {"anchor_match"}
    assert tasks.count() == planners.instances.count() - 1


def test_an_output_that_only_plans_is_scored_in_its_condition_only(planners):
    judge = imported_judge(actor=None, slug="plans", protocol="re2math", published_as="plans")
    outputs = list(Output.objects.filter(run__system__slug="planner").order_by("instance__key"))
    said = [
        PublishedVerdict(output=output, predicate="anchor_match", value="yes", state="answered")
        for at, output in enumerate(outputs)
        if at != 1
    ]
    store_published(judge=judge, verdicts=said)
    found = score_document(collect(release=planners, condition="planning"))["judge"]["systems"]["planner"][
        "metrics"
    ]
    n = len(outputs)
    assert set(found) == {"anchor_acc"}
    assert (found["anchor_acc"]["estimate"]["k"], found["anchor_acc"]["estimate"]["n"]) == (n - 1, n)
    assert found["anchor_acc"]["estimate"]["n_abstain"] == 1
    assert "planner" not in score_document(collect(release=planners, judge="sample-judge-v1"))["systems"]


def test_a_case_study_shows_what_an_abstained_output_reached(gaps, tmp_path):
    """As the paper prints it: GPT-5.2 abstains with Query Y and Cite Y (F.2), others with Plan Y (F.8, F.9)."""
    rows = [json.loads(row) for row in (SAMPLE / "re2math" / "release.jsonl").read_text().splitlines()]
    kinds = sure(rows)
    gap = next(row for row in rows if "samehit" in kinds[row["instance_id"]])
    line = {
        **{"instance_id": gap["instance_id"], "state": "abstained", "abstained": True},
        **{"planning_anchor": "a bound", "query": "bound", "candidates": [candidate(gap["z"], "hit")]},
    }
    path = tmp_path / "late.jsonl"
    path.write_text(json.dumps(line) + "\n")
    judge = imported_judge(actor=None, slug="cases", protocol="re2math", published_as="cases")
    for track in ("raw", "assisted"):
        import_outputs(actor=None, path=path, release=gaps, system="late", track=track)
    for output in Output.objects.filter(run__system__slug="late"):
        values = {"raw": "anchor_match", "assisted": "query_match"}
        verdict = PublishedVerdict(
            output=output, predicate=values[output.run.track], value="yes", state="answered"
        )
        store_published(judge=judge, verdicts=[verdict])
    instance = Instance.objects.select_related("release__benchmark").get(release=gaps, key=gap["instance_id"])
    document = case_document(instance, judge="cases")
    cells = next(row["cells"] for row in document["rows"] if row["system"] == "late")
    shown = {
        key: (cells[key]["value"], cells[key]["state"])
        for key in ("plan", "query", "cite_recall_20", "ground")
    }
    assert shown == {
        "plan": ("yes", "answered"),
        "query": ("yes", "answered"),
        "cite_recall_20": ("yes", "answered"),
        "ground": ("", "abstained"),
    }


@pytest.mark.slow
def test_an_artifact_that_says_nothing_of_stages_is_scored_as_before(gaps):
    inputs = collect(release=gaps)
    old = {key: rows for key, rows in inputs.as_json().items() if key not in ("reached", "open_measures")}
    again = Inputs.from_json(old)
    assert (again.reached, again.open_measures) == ((), ())
    assert "open" not in json.dumps(score_document(again)["measured"])
    document = build(inputs, read_manifest(gaps, "raw"))
    assert verify_file(canonical(document) + b"\n").verified


@pytest.fixture
def doubtful(gaps, tmp_path):
    """A system whose first output names two sources that the matcher cannot tell; a frozen release."""
    rows = [json.loads(row) for row in (SAMPLE / "re2math" / "release.jsonl").read_text().splitlines()]
    kinds = sure(rows)
    gap = next(row for row in rows if "openask" in kinds[row["instance_id"]])
    title = candidate(gap["z"], "ask")
    candidates = [title, {**title, "title": title["title"] + " and more"}]
    assert len(open_citations(gap, {"candidates": candidates})) == 2
    line = {"instance_id": gap["instance_id"], "state": "abstained", "abstained": True}
    path = tmp_path / "doubtful.jsonl"
    path.write_text(json.dumps(line | {"candidates": candidates}) + "\n")
    import_outputs(actor=None, path=path, release=gaps, system="doubtful")
    return gaps


def recall_of(release):
    return score_document(collect(release=release, judge="sample-judge-v1"))["measured"]["systems"][
        "doubtful"
    ]["cite_recall_20"]


def of_doubtful(release):
    return [found.case.pair for found in questions(release) if len(found.case.found) == 1][:2]


@pytest.mark.slow
def test_an_output_is_settled_when_one_source_is_the_cited_one_or_all_are_others(doubtful, coordinator):
    one, other = of_doubtful(doubtful)
    assert (recall_of(doubtful)["estimate"]["k"], recall_of(doubtful)["open"]) == (0, 1)
    settle(actor=coordinator, release=doubtful, pair=one, verdict="different")
    assert recall_of(doubtful)["open"] == 1  # the other may still be it
    settle(actor=coordinator, release=doubtful, pair=other, verdict="different")
    found = recall_of(doubtful)
    assert (found["estimate"]["k"], found["settled"], "open" in found) == (0, 1, False)
    settle(actor=coordinator, release=doubtful, pair=other, verdict="same")
    found = recall_of(doubtful)
    assert (found["estimate"]["k"], found["settled"], "open" in found) == (1, 1, False)
    assert "1 settled by people" in score_text(score(collect(release=doubtful, judge="sample-judge-v1")))


def test_who_settled_what_has_a_number_that_goes_by_no_address(doubtful, coordinator, owner):
    for actor, pair in zip((coordinator, owner), of_doubtful(doubtful), strict=True):
        settle(actor=actor, release=doubtful, pair=pair, verdict="different")
    before = collect(release=doubtful, judge="sample-judge-v1").answers
    assert {row.person for row in before} == {"person-1", "person-2"}
    for address in ("a@elsewhere.test", "z@elsewhere.test"):  # as an erased account has another one
        User.objects.filter(pk=coordinator.pk).update(email=address)
        assert collect(release=doubtful, judge="sample-judge-v1").answers == before


@pytest.mark.slow
def test_an_artifact_holds_the_answers_that_count_and_an_older_one_stays_as_it_is(
    doubtful, coordinator, owner
):
    manifest = read_manifest(doubtful, "raw")
    before = build(collect(release=doubtful, judge="sample-judge-v1"), manifest)
    assert not {"answers", "settled"} & before["inputs"].keys()
    one = of_doubtful(doubtful)[0]
    settle(actor=owner, release=doubtful, pair=one, verdict="different", note="Ask Ada.")
    settle(actor=coordinator, release=doubtful, pair=one, verdict="same")
    after = build(collect(release=doubtful, judge="sample-judge-v1"), manifest)
    [answer] = after["inputs"]["answers"]
    assert (answer[0], answer[3], answer[4]) == (one, "same", "person-1")
    assert "Ada" not in json.dumps(after["inputs"])
    assert coordinator.email not in json.dumps(after["inputs"])
    [settled] = after["inputs"]["settled"]
    assert (settled[0], settled[3:]) == ("doubtful", ["cite_recall_20", one, 2])
    for document in (before, after):
        assert verify_file(canonical(document) + b"\n").verified
    forged = json.loads(canonical(after))
    forged["inputs"]["answers"][0][3] = "different"
    assert not verify_file(canonical(forged) + b"\n").verified
