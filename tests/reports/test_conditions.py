"""Conditions of runs (oracle, windows): chosen by name, never pooled with the usual one or with each other."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.models import Run
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import run_called
from benchmark.tuples.actions import declare_tuple
from reports.artifact.differences import compare
from reports.artifact.freezing import freeze_artifact
from reports.artifact.verification import verify_file
from reports.core.choosing import choose
from reports.scores.inputs import Inputs, collect
from tests.documents import score_document
from tests.factories import JudgeFactory, OutputFactory, RunFactory, VerdictFactory
from tests.reports.conftest import SAMPLE
from tests.reports.test_frozen_tuples import ENTRIES, declared

pytestmark = pytest.mark.django_db
HANDED_OVER = 5  # instances whose cited source could be read


@pytest.fixture
def oracle(gaps) -> Run:
    return handed_over(gaps)


def handed_over(gaps) -> Run:
    """Aurora was given the cited source of five instances, and two of its statements suffice."""
    usual = gaps.runs.get(system__slug="aurora")
    run = RunFactory(release=gaps, system=usual.system, condition="oracle")
    judge = usual.outputs.filter(verdicts__isnull=False).first().verdicts.first().judge
    for number, instance in enumerate(gaps.instances.order_by("key")[:HANDED_OVER]):
        source = {"title": "T", "authors": "A. Uthor"}
        output = OutputFactory(run=run, instance=instance, text="S", payload={"selected_source": source})
        VerdictFactory(judge=judge, output=output, predicate="ground", value="yes")
        VerdictFactory(judge=judge, output=output, predicate="suff", value="yes" if number < 2 else "no")
    return run


@pytest.mark.slow
def test_a_condition_has_its_own_denominator_and_leaves_the_usual_score_as_it_was(gaps):
    usual = score_document(collect(release=gaps))
    handed_over(gaps)
    found = score_document(collect(release=gaps, condition="oracle"))
    estimate = found["judge"]["systems"]["aurora"]["metrics"]["tool_acc"]["estimate"]
    assert (estimate["k"], estimate["n"]) == (2, HANDED_OVER)  # of those handed over, not of all 30
    assert set(found["systems"]) == {"aurora"}
    assert found["condition"] == "oracle"
    assert usual["systems"]["aurora"]["outputs"] == 30
    assert "condition" not in usual
    assert score_document(collect(release=gaps)) == usual


def test_citations_are_not_recalled_where_the_source_was_handed_over(gaps, oracle):
    assert "cite_recall_20" in score_document(collect(release=gaps))["measured"]["systems"]["aurora"]
    assert score_document(collect(release=gaps, condition="oracle"))["measured"]["systems"]["aurora"] == {}


def test_expert_labels_of_the_usual_condition_stay_out_of_another(gaps, oracle):
    inputs = collect(release=gaps, condition="oracle")
    assert (inputs.labels, inputs.draws, inputs.campaigns, inputs.decisions) == ((), (), (), ())
    assert all("@raw+oracle" in row.subject for row in (*inputs.outputs, *inputs.votes))
    assert collect(release=gaps).labels


def test_inputs_keep_their_condition_and_the_usual_one_is_written_as_before(gaps, oracle):
    inputs = collect(release=gaps, condition="oracle")
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs
    assert "condition" not in collect(release=gaps).as_json()


def test_a_request_names_the_condition_and_usual_is_meant_otherwise(gaps, oracle):
    assert choose(gaps, {}).condition == choose(gaps, {"condition": "usual"}).condition == ""
    chosen = choose(gaps, {"condition": "oracle"})
    assert (chosen.condition, chosen.conditions, chosen.judge) == (
        "oracle",
        ("", "oracle"),
        "sample-judge-v1",
    )
    assert "condition=oracle" in chosen.query
    with pytest.raises(Refused, match=r"no condition 'window-1' here; there are: usual, oracle"):
        choose(gaps, {"condition": "window-1"})


@pytest.mark.slow
def test_page_rest_and_command_show_the_same_condition(gaps, oracle, coordinator):
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=[gaps.name]), {"condition": "oracle"}).content.decode()
    assert "not part of the scores under the usual condition" in page
    assert "?track=raw&amp;condition=oracle" in client.get(reverse("scores")).content.decode()
    assert "Condition oracle" in client.get(reverse("score-numbers", args=[gaps.name])).content.decode()
    assert 'id="measured"' not in page  # nothing is measured where the source was handed over
    rest = client.get(reverse("api-score", args=[gaps.name]), {"condition": "oracle"}).json()
    call_command("score", "--json", release=gaps.name, condition="oracle", stdout=(out := StringIO()))
    assert (
        rest
        == json.loads(out.getvalue())
        == json.loads(json.dumps(score_document(collect(release=gaps, condition="oracle"))))
    )
    call_command("score", release=gaps.name, condition="oracle", stdout=(out := StringIO()))
    assert "track raw, condition oracle" in out.getvalue()
    assert client.get(reverse("api-score", args=[gaps.name]), {"condition": "x"}).status_code == 404
    with pytest.raises(CommandError, match="no outputs on track raw under condition x"):
        call_command("score", release=gaps.name, condition="x")


@pytest.mark.parametrize(
    "page", ["compare", "compare-csv", "judge-matrix", "outputs-behind", "artifacts", "output-sources"]
)
def test_other_pages_of_a_score_take_the_condition_too(gaps, oracle, coordinator, page):
    client = Client()
    client.force_login(coordinator)
    reply = client.get(reverse(page, args=[gaps.name]), {"condition": "oracle", "judge": "sample-judge-v1"})
    assert reply.status_code == 200
    body = b"".join(reply.streaming_content) if reply.streaming else reply.content
    assert b"cobalt" not in body.lower()


@pytest.mark.slow
def test_a_frozen_score_of_a_condition_verifies_and_is_not_compared_with_the_usual_one(gaps, owner):
    handed = SAMPLE / "re2math" / "outputs-aurora-oracle.jsonl"
    import_outputs(actor=None, path=handed, release=gaps, system="aurora", condition="oracle")
    freeze_release(actor=owner, release=gaps)
    gaps.refresh_from_db()
    usual = freeze_artifact(actor=owner, release=gaps)
    other = freeze_artifact(actor=owner, release=gaps, condition="oracle")
    assert verify_file(other.content.encode()).verified
    assert verify_file(usual.content.encode()).verified
    found = compare(json.loads(usual.content), json.loads(other.content))
    assert "Condition usual and condition oracle are different experiments" in json.dumps(found)


@pytest.fixture
def mixed(gaps, oracle):
    """Two tuples on the usual condition; the oracle run is in the second."""
    declared(gaps, "october", ["aurora", "basalt"])
    runs = [run_called(gaps, "cobalt"), oracle]
    declare_tuple(actor=None, release=gaps, name="november", runs=runs, **{**ENTRIES, "scoring": "judge-v2"})
    return gaps


@pytest.mark.parametrize(
    "page",
    [
        "score",
        "compare",
        "compare-csv",
        "pairs",
        "judge-audit",
        "judge-matrix",
        "outputs-behind",
        "output-sources",
    ],
)
def test_every_table_of_systems_asks_for_the_tuple_and_offers_it(mixed, coordinator, page):
    client = Client()
    client.force_login(coordinator)
    address = reverse(page, args=[mixed.name])
    if page == "output-sources":
        compared = mixed.runs.get(system__slug="basalt").outputs.first()
        matcher = JudgeFactory(slug="re2math-sources", protocol="re2math")
        VerdictFactory(judge=matcher, output=compared, predicate="citing_paper_source", value="no")
    refused = client.get(address, {"judge": "sample-judge-v1"})
    assert refused.status_code == 400
    assert "?judge=sample-judge-v1&amp;tuple=november" in refused.content.decode()
    named = client.get(address, {"judge": "sample-judge-v1", "tuple": "october"})
    assert named.status_code == 200
    if not named.streaming and page not in ("pairs", "output-sources"):
        assert 'aria-label="Frozen tuples"' in named.content.decode() or page in (
            "outputs-behind",
            "judge-matrix",
        )


@pytest.mark.slow
def test_a_tuple_of_a_comparison_is_named_through_rest_too(mixed, coordinator):
    client = Client()
    client.force_login(coordinator)
    asked = {"tuple": "october"}
    for name in ("api-comparison", "api-judge-audit", "api-judge-matrix"):
        assert client.get(reverse(name, args=[mixed.name])).status_code == 400
        assert client.get(reverse(name, args=[mixed.name]), asked).status_code == 200
    systems = client.get(reverse("api-comparison", args=[mixed.name]), asked).json()["systems"]
    assert set(systems) == {"aurora", "basalt"}


@pytest.mark.slow
def test_a_tuple_s_score_can_be_frozen_by_itself(mixed, owner):
    freeze_release(actor=owner, release=mixed)
    mixed.refresh_from_db()
    made = freeze_artifact(actor=owner, release=mixed, frozen_tuple="october")
    assert verify_file(made.content.encode()).verified
    assert [run[0] for run in json.loads(made.content)["manifest"]["runs"]] == ["aurora", "basalt"]


def test_the_oracle_table_has_one_tuple_where_the_usual_one_has_two(mixed):
    assert collect(release=mixed, condition="oracle").frozen_tuple.name == "november"
