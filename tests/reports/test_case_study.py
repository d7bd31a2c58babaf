"""Case studies: one instance, all systems side by side, in the columns of its protocol."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.case_columns import case_columns
from benchmark.models import Instance
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from tests.documents import case_document
from tests.factories import JudgeFactory, OutputFactory, RunFactory, SystemFactory, VerdictFactory
from tests.reports.conftest import load, queries

pytestmark = pytest.mark.django_db
KEY = "sample-2401.00012_gap_0"
JUDGE = "sample-judge-v1"


@pytest.fixture
def case(gaps) -> Instance:
    return Instance.objects.select_related("release__benchmark").get(release=gaps, key=KEY)


def cells(instance, system, **asked):
    rows = case_document(instance, **asked)["rows"]
    return next(row["cells"] for row in rows if row["system"] == system)


def words(instance, system, **asked):
    """Column to the value, or the state in brackets."""
    return {
        key: cell["value"] or f"[{cell['state']}]" for key, cell in cells(instance, system, **asked).items()
    }


def run_in(instance, track="raw", condition="", system="aurora"):
    run = instance.release.runs.filter(system__slug=system).first()
    owner = run.system if run else SystemFactory(slug=system)
    return RunFactory(release=instance.release, system=owner, track=track, condition=condition)


def judged(judge, output, **values):
    for predicate, value in values.items():
        state = "answered" if value in ("yes", "no", "uncertain") else value
        VerdictFactory(
            judge=judge,
            output=output,
            predicate=predicate,
            state=state,
            value=value if state == "answered" else "",
        )


def judge_called(instance, label):
    return instance.outputs.filter(verdicts__judge__published_as=label).first().verdicts.first().judge


@pytest.mark.slow
def test_the_columns_are_those_of_the_papers_case_studies(case):
    document = case_document(case)
    assert [column["title"] for column in document["columns"]] == [
        *(
            "Query asked",
            "Plan",
            "Query",
            "Cite",
            "Ground",
            "Suff",
            "Tool",
            "Oracle",
            "Selected source",
            "Cited",
        )
    ]
    assert [row["system"] for row in document["rows"]] == ["aurora", "basalt", "cobalt"]
    assert (document["track"], document["judge"]) == ("raw", JUDGE)


def test_each_column_reads_its_own_track_and_condition(case):
    judge = judge_called(case, JUDGE)
    planned = case.outputs.get(run__system__slug="aurora", run__track="raw", run__condition="")
    judged(judge, planned, anchor_match="yes")
    source = {"title": "Functional Analysis", "authors": "H. Brezis"}
    for track, condition, labels in (
        ("assisted", "", {"query_match": "no", "ground": "no", "anchor_match": "no"}),
        ("raw", "oracle", {"ground": "yes", "suff": "no", "anchor_match": "no"}),
    ):
        answer = {"query": "elsewhere", "selected_source": source}
        run = run_in(case, track, condition)
        judged(judge, OutputFactory(run=run, instance=case, text="T", payload=answer), **labels)
    found = words(case, "aurora")
    assert found["query_text"].startswith("compact embedding H^1_0")
    assert (found["plan"], found["query"], found["ground"], found["suff"]) == ("yes", "no", "yes", "yes")
    assert (found["tool"], found["oracle"]) == ("yes", "no")
    assert words(case, "aurora", track="assisted")["query_text"] == "elsewhere"
    assert words(case, "aurora", track="assisted")["ground"] == "no"
    assert words(case, "aurora", track="assisted")["plan"] == "yes"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [  # weak Kleene, as the paper's case tables print Tool: undefined as soon as a part is
        ({"ground": "yes", "suff": "yes"}, "yes"),
        ({"ground": "yes", "suff": "uncertain"}, "no"),
        ({"ground": "abstain", "suff": "no"}, "[judge_abstained]"),
        ({"ground": "no"}, "[not_judged]"),
        ({"ground": "no", "suff": "unparsed"}, "[unavailable]"),
        ({}, "[not_judged]"),
    ],
)
def test_tool_is_undefined_as_soon_as_a_part_of_it_is(case, labels, expected):
    judge = JudgeFactory(slug="strict")
    answer = {"selected_source": {"title": "T"}}
    other = OutputFactory(run=run_in(case, system="delta"), instance=case, text="T", payload=answer)
    judged(judge, other, anchor_match="no", **labels)
    assert words(case, "delta", judge=judge.label)["tool"] == expected


def test_a_cell_without_a_value_says_why(case):
    OutputFactory(run=run_in(case, system="quiet"), instance=case, state="abstained", text="", payload={})
    OutputFactory(run=run_in(case, system="plain"), instance=case, text="T", payload={})
    assert set(words(case, "quiet").values()) == {"[abstained]", "[no_output]", "[nothing]"}
    plain = words(case, "plain")
    assert (plain["source"], plain["cited"], plain["query_text"]) == ("[nothing]", "[nothing]", "[nothing]")
    assert (plain["ground"], plain["cite_recall_20"]) == ("[not_judged]", "no")
    assert plain["oracle"] == "[no_output]"


def test_attempts_have_rows_of_their_own_and_systems_without_an_output_too(case):
    run = case.release.runs.get(system__slug="aurora")
    OutputFactory(run=run, instance=case, attempt=2, text="T", payload={"query": "again"})
    run_in(case, system="idle")
    document = case_document(case)
    rows = [(row["system"], row["attempt"]) for row in document["rows"]]
    assert rows == [("aurora", 1), ("aurora", 2), ("basalt", 1), ("cobalt", 1), ("idle", 1)]
    assert document["rows"][1]["cells"]["query_text"]["value"] == "again"
    assert {cell["state"] for cell in document["rows"][-1]["cells"].values()} == {"no_output"}


def test_what_is_not_there_is_refused_by_name(case):
    with pytest.raises(Refused, match=r"no judge 'other-v1' here; there are: sample-judge-v1"):
        case_document(case, judge="other-v1")
    with pytest.raises(Refused, match=r"no track 'open' here; there are: raw"):
        case_document(case, track="open")


def test_a_protocol_without_columns_of_its_own_shows_its_predicates_and_measures(db):
    release = load("search", "theorem_search", {"aurora": "run-aurora.csv", "basalt": "run-basalt.jsonl"})
    document = case_document(release.instances.select_related("release__benchmark").first())
    measures = {measure.key for measure in get_protocol("theorem_search").measures}
    assert {column["key"] for column in document["columns"]} == measures
    for row in document["rows"]:
        for column in document["columns"]:
            cell = row["cells"][column["key"]]
            assert cell["value"] in ("yes", "no") or column["is_text"] or cell["state"] == "nothing"
    predicates = [column.key for column in case_columns(get_protocol("lemmas"))]
    assert predicates == ["accepted", "self_contained"]


@pytest.mark.slow
def test_where_nothing_is_judged_or_measured_there_is_no_case_study(proofs, coordinator, monkeypatch):
    def without_predicates(name: str) -> Protocol:
        return replace(get_protocol(name), predicates=())

    for place in ("reports.cases.study", "benchmark.releases.views"):
        monkeypatch.setattr(f"{place}.get_protocol", without_predicates)
    client = Client()
    client.force_login(coordinator)
    key = proofs.instances.first().key
    page = client.get(reverse("case-study", args=[proofs.name, key]))
    assert page.status_code == 404
    assert "a case study would have no columns" in page.content.decode()
    assert "Case study" not in client.get(reverse("instance", args=[proofs.name, key])).content.decode()


def test_page_and_rest_say_the_same(case, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = reverse("case-study", args=[case.release.name, KEY])
    page = client.get(address).content.decode()
    assert "Case study" in page
    assert "Sobolev Spaces" in page
    assert "no output" in page
    assert address in client.get(reverse("instance", args=[case.release.name, KEY])).content.decode()
    rest = client.get(reverse("api-case", args=[case.release.name, KEY])).json()
    assert rest == case_document(case)
    assert client.get(address, {"judge": "nobody-v1"}).status_code == 404
    assert client.get(address, {"colour": "red"}).status_code == 400
    refused = client.get(reverse("api-case", args=[case.release.name, KEY]), {"judge": "nobody-v1"})
    assert refused.status_code == 404
    assert client.get(reverse("api-case", args=[case.release.name, "x"])).status_code == 404


def test_an_instance_without_runs_says_what_to_do(case, coordinator):
    other = RunFactory().release
    instance = Instance.objects.create(
        release=other, key="alone", domain="d", payload=case.payload, sha256="0" * 64
    )
    other.runs.all().delete()
    other.benchmark.protocol = "re2math"
    other.benchmark.save()
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("case-study", args=[other.name, instance.key])).content.decode()
    assert "No system has a run on this release yet" in page


def test_more_systems_cost_no_more_queries(case, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = reverse("case-study", args=[case.release.name, KEY])
    client.get(address)
    before = queries(client, address)
    for number in range(12):
        output = OutputFactory(
            run=run_in(case, system=f"more-{number}"), instance=case, text="T", payload={"query": "q"}
        )
        judged(judge_called(case, JUDGE), output, ground="yes", suff="no")
    assert queries(client, address) == before
