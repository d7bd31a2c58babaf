"""All tracks and conditions of a release in one table: each run by itself, differences paired by instance."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.condition_tables import ConditionColumn, ConditionTable
from benchmark.releases.queries import run_called
from benchmark.tuples.actions import declare_tuple
from reports.core.choosing import choose
from reports.judges.choosing import judge_matrix
from reports.scores.inputs import collect
from tests.documents import condition_document, score_document
from tests.factories import OutputFactory, RunFactory, VerdictFactory
from tests.reports.conftest import queries
from tests.reports.test_frozen_tuples import ENTRIES

pytestmark = pytest.mark.django_db
SUCCESSES = {"ground": "yes", "suff": "yes"}


def judge_of(release):
    usual = release.runs.get(system__slug="aurora", track="raw", condition="")
    return usual.outputs.filter(verdicts__isnull=False).first().verdicts.first().judge


def keys_by_success(release, system="aurora"):
    """Instances with and without a success of the usual run, in order; unavailable ones in neither."""
    won, lost = [], []
    for output in release.runs.get(system__slug=system, track="raw", condition="").outputs.order_by(
        "instance__key"
    ):
        said = dict(output.verdicts.values_list("predicate", "value"))
        states = set(output.verdicts.values_list("state", flat=True))
        if output.state == "answered" and states - {"answered"}:
            continue
        (won if said.get("ground") == said.get("suff") == "yes" else lost).append(output.instance)
    return won, lost


def run_under(release, condition, instances, *, track="raw", system="aurora", labels=lambda instance: {}):
    """A run with an answered output and these labels for each of `instances`."""
    run = RunFactory(
        release=release,
        system=release.runs.filter(system__slug=system).first().system,
        track=track,
        condition=condition,
    )
    for instance in instances:
        output = OutputFactory(
            run=run, instance=instance, text="S", payload={"selected_source": {"title": "T"}}
        )
        for predicate, value in labels(instance).items():
            VerdictFactory(judge=judge_of(release), output=output, predicate=predicate, value=value)
    return run


def row(document, table, system="aurora"):
    [found] = [found for found in document["tables"] if found["key"] == table]
    return next(row for row in found["systems"] if row["system"] == system)


@pytest.fixture
def handed_over(gaps):
    """Of two won and six lost instances the source was readable; one loss turned into a win, one win into a loss."""
    won, lost = keys_by_success(gaps)
    better, worse = lost[0], won[0]

    def labels(instance):
        yes = instance == better or (instance in won and instance != worse)
        return SUCCESSES if yes else {"ground": "yes", "suff": "no"}

    run_under(gaps, "oracle", [*won[:2], *lost[:6]], labels=labels)
    return gaps


@pytest.mark.slow
def test_every_run_keeps_its_own_denominator_and_equals_its_score(handed_over):
    cells = row(condition_document(handed_over), "oracle")["cells"]
    for key, condition in (("end_to_end", ""), ("oracle", "oracle")):
        document = score_document(collect(release=handed_over, condition=condition))
        metric = document["judge"]["systems"]["aurora"]["metrics"]["tool_acc"]
        assert cells[key]["estimate"] == metric["estimate"]
        assert cells[key]["paper_bootstrap"] == metric["paper_bootstrap"]
    assert (cells["oracle"]["estimate"]["k"], cells["oracle"]["estimate"]["n"]) == (2, 8)
    assert cells["end_to_end"]["coverage"] is None
    assert cells["oracle"]["coverage"] == {"k": 8, "n": 30}  # a property of the release, not of the system


def test_the_oracle_gap_is_paired_by_instance_and_printed_unpaired_too(handed_over):
    document = condition_document(handed_over)
    found = row(document, "oracle")
    gap = found["differences"]["oracle"]
    # Of the eight: one won by both, one only here, one only end to end, five by neither.
    assert gap["cells"] == {"both": 1, "first_only": 1, "second_only": 1, "neither": 5}
    assert gap["n"] == 8
    assert gap["difference"]["value"] == 0
    assert gap["difference"]["ci"][0] < 0 < gap["difference"]["ci"][1]
    usual = found["cells"]["end_to_end"]["estimate"]
    assert gap["unpaired"] == pytest.approx(2 / 8 - usual["k"] / usual["n"])
    assert gap["n"] + gap["dropped"] == usual["n"]
    # Two papers differ, one each way: of four signs two give 0, and the mid-p counts half of these: 1 - (2 / 4) / 2.
    assert gap["test"]["p"] == pytest.approx(0.75)


def test_an_instance_whose_judgment_is_missing_here_or_there_is_dropped_from_the_pairs(gaps):
    won, lost = keys_by_success(gaps)
    run_under(gaps, "oracle", [won[0], lost[0], lost[1]], labels=lambda i: SUCCESSES if i != lost[0] else {})
    gap = row(condition_document(gaps), "oracle")["differences"]["oracle"]
    assert gap["cells"] == {"both": 1, "first_only": 1, "second_only": 0, "neither": 0}
    assert (gap["n"], gap["unpaired"]) == (2, pytest.approx(1 - len(won) / (len(won) + len(lost))))


def test_attempts_that_only_one_side_has_are_dropped_from_the_pairs_and_the_page_says_so(
    gaps, client, coordinator
):
    won, lost = keys_by_success(gaps)
    run = run_under(gaps, "oracle", [won[0], lost[0]], labels=lambda instance: {"ground": "no"})
    again = OutputFactory(
        run=run, instance=won[0], attempt=2, text="S", payload={"selected_source": {"title": "T"}}
    )
    for predicate, value in SUCCESSES.items():
        VerdictFactory(judge=judge_of(gaps), output=again, predicate=predicate, value=value)
    gap = row(condition_document(gaps), "oracle")["differences"]["oracle"]
    usual = len(won) / (len(won) + len(lost))
    assert (gap["n"], gap["difference"]["value"]) == (
        2,
        -0.5,
    )  # the second attempt, a success, has no partner
    assert gap["unpaired"] == pytest.approx(1 / 3 - usual)
    assert gap["dropped"] == len(won) + len(lost) - 2 + 1
    client.force_login(coordinator)
    page = client.get(reverse("conditions", args=[gaps.name])).content.decode()
    assert "attempts that only one run has are dropped" in page


@pytest.mark.slow
def test_planning_windows_stand_beside_each_other_and_only_plans_are_compared_with_plans(gaps):
    instances = list(gaps.instances.order_by("key"))
    usual = gaps.runs.get(system__slug="aurora", track="raw", condition="")
    for number, output in enumerate(usual.outputs.order_by("instance__key")):
        value = "yes" if number < 4 else "no"
        VerdictFactory(judge=judge_of(gaps), output=output, predicate="anchor_match", value=value)
    for name, wins in (("window-1", 1), ("window-3", 3), ("local-only", 6)):
        run_under(
            gaps,
            name,
            instances,
            labels=lambda i, w=wins: {"anchor_match": "yes" if i in instances[:w] else "uncertain"},
        )
    run_under(gaps, "", instances, track="assisted", labels=lambda i: {"query_match": "no"})
    found = row(condition_document(gaps), "planning")
    counts = {key: cell["estimate"]["k"] for key, cell in found["cells"].items()}
    assert counts == {"local_only": 6, "window_1": 1, "window_3": 3, "window_5": 4, "query": 0}
    assert set(found["differences"]) == {"local_only", "window_1", "window_3"}
    assert found["differences"]["local_only"]["unpaired"] == pytest.approx(2 / 30)
    assert found["success_type"] is None


def test_a_plan_is_judged_although_its_output_abstained_later_as_in_the_score(gaps):
    # of four plans that the judge finds right, two are by outputs that abstained in the end
    six = list(gaps.instances.order_by("key")[:6])
    run = run_under(gaps, "window-1", six, labels=lambda i: {"anchor_match": "yes" if i in six[:4] else "no"})
    run.outputs.update(payload={"planning_anchor": "A bound."})
    run.outputs.filter(instance__in=six[:2]).update(state="abstained", text="")
    found = row(condition_document(gaps), "planning")["cells"]["window_1"]["estimate"]
    document = score_document(collect(release=gaps, condition="window-1"))
    assert found == document["judge"]["systems"]["aurora"]["metrics"]["anchor_acc"]["estimate"]
    assert (found["k"], found["n"]) == (4, 6)
    matrix = judge_matrix(choose(gaps, {"condition": "window-1"}), "anchor_acc")
    assert [(each.system, each.accepted) for each in matrix.systems] == [("aurora", 4)]


def test_a_cell_says_whether_there_is_no_run_or_nobody_was_asked(gaps):
    run_under(gaps, "window-3", gaps.instances.order_by("key")[:3])
    document = condition_document(gaps)
    states = {key: cell["state"] for key, cell in row(document, "planning")["cells"].items()}
    assert states["window_3"] == "not_judged"
    assert states["local_only"] == states["query"] == "no_run"
    assert row(document, "planning")["differences"] == dict.fromkeys(("local_only", "window_1", "window_3"))
    assert row(document, "oracle")["cells"]["oracle"]["coverage"] is None


def test_successes_through_other_sources_are_counted_among_all_and_among_successes(gaps):
    document = condition_document(gaps)
    for system in ("aurora", "basalt", "cobalt"):
        found = row(document, "oracle", system)
        base, rate, share = found["cells"]["end_to_end"]["estimate"], *found["success_type"].values()
        undecided = round((rate["bounds"][1] - rate["value"]) * rate["n"]) if rate["bounds"] else 0
        assert rate["n"] == base["n"]
        assert rate["k"] == (share["k"] or 0)
        assert (share["n"] or 0) + undecided == base["k"]  # all successes: another, cited or undecided source


def test_successes_through_other_sources_take_attempts_at_one_problem_together_as_all_successes_do(gaps):
    """The same successes of the same outputs were printed next to each other with two intervals."""
    usual = gaps.runs.get(system__slug="aurora", track="raw", condition="")
    for output in list(usual.outputs.filter(state="answered", verdicts__isnull=False).distinct()):
        again = OutputFactory(
            run=usual, instance=output.instance, attempt=2, text=output.text, payload=output.payload
        )
        for verdict in output.verdicts.filter(state="answered"):
            VerdictFactory(
                judge=verdict.judge, output=again, predicate=verdict.predicate, value=verdict.value
            )
    found = row(condition_document(gaps), "oracle")
    base, rate = found["cells"]["end_to_end"]["estimate"], found["success_type"]["rate"]
    assert (rate["method"], rate["clusters"]) == (base["method"], base["clusters"])


def test_coverage_says_what_any_run_and_what_every_run_has(handed_over):
    keys = handed_over.runs.get(condition="oracle").outputs.values_list("instance__key", flat=True)
    shared = handed_over.instances.filter(key__in=sorted(keys)[:3])
    other = handed_over.instances.exclude(key__in=list(keys)).order_by("key")[:2]
    run_under(handed_over, "oracle", [*shared, *other], system="basalt", labels=lambda i: SUCCESSES)
    columns = condition_document(handed_over)["tables"][0]["columns"]
    assert columns[1]["coverage"] == {"title": "OracleCoverage", "any": 10, "every": 3, "of": 30}
    assert columns[0]["coverage"] is None


def test_what_no_table_has_is_named_and_not_pooled(gaps):
    before = condition_document(gaps)["tables"]
    run_under(gaps, "shuffled", gaps.instances.all()[:2], labels=lambda i: SUCCESSES)
    document = condition_document(gaps)
    assert document["elsewhere"] == [{"system": "aurora", "track": "raw", "condition": "shuffled"}]
    assert document["tables"] == before


def test_runs_of_several_tuples_are_refused_across_conditions_too(handed_over, coordinator):
    usual = [run_called(handed_over, system) for system in ("aurora", "basalt", "cobalt")]
    declare_tuple(actor=None, release=handed_over, name="october", runs=usual, **ENTRIES)
    with pytest.raises(Refused, match=r"tracks and conditions belong to different frozen tuples") as refusal:
        condition_document(handed_over)
    assert refusal.value.code == "mixed_tuples"
    states = row(condition_document(handed_over, frozen_tuple="october"), "oracle")["cells"]
    assert states["oracle"]["state"] == "no_run"
    named = condition_document(handed_over, frozen_tuple="none")
    assert [found["system"] for found in named["tables"][0]["systems"]] == ["aurora"]
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("conditions", args=[handed_over.name]))
    assert page.status_code == 400
    assert "?tuple=october" in page.content.decode()
    with pytest.raises(Refused, match=r"no runs in the tuple 'may'; there are: none, october"):
        condition_document(handed_over, frozen_tuple="may")


@pytest.mark.slow
def test_page_and_rest_say_the_same(handed_over, coordinator):
    client = Client()
    client.force_login(coordinator)
    address, rest = (reverse(name, args=[handed_over.name]) for name in ("conditions", "api-conditions"))
    page = client.get(address).content.decode()
    assert "OracleCoverage" in page
    assert "26.7 %" in page  # 8/30
    assert "Without any run: Local only, m=5 (track raw, condition local-only)" in page
    assert address in client.get(reverse("score", args=[handed_over.name])).content.decode()
    assert client.get(rest).json() == json.loads(json.dumps(condition_document(handed_over)))
    for wrong, status in (({"judge": "nobody-v1"}, 404), ({"colour": "red"}, 400), ({"tuple": "may"}, 404)):
        assert client.get(address, wrong).status_code == status
        assert client.get(rest, wrong).status_code == status
    unknown = client.get(rest, {"judge": "nobody-v1"}).json()
    assert "no judge 'nobody-v1' here; there are: sample-judge-v1" in unknown["reason"]


@pytest.mark.slow
@pytest.mark.slow
def test_a_missing_verdict_is_not_called_an_open_case(gaps, coordinator, client):
    client.force_login(coordinator)
    page = client.get(reverse("conditions", args=[gaps.name])).content.decode()
    assert "between 10.0 and 13.3 % had all been judged" in page, "one Suff of cobalt is unavailable"
    assert "between 3.4 and 6.9 % however the open cases turn out" in page


def test_a_protocol_without_such_tables_has_no_page_and_no_button(proofs, coordinator):
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("conditions", args=[proofs.name]))
    assert page.status_code == 404
    assert "does not say which of its tracks and conditions" in page.content.decode()
    shown = client.get(reverse("score", args=[proofs.name])).content.decode()
    assert "Conditions side by side" not in shown


def test_more_systems_and_outputs_cost_no_more_queries(handed_over, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = reverse("conditions", args=[handed_over.name])
    client.get(address)
    before = queries(client, address)
    for system in ("basalt", "cobalt"):
        run_under(
            handed_over, "oracle", handed_over.instances.all()[:9], system=system, labels=lambda i: SUCCESSES
        )
    assert queries(client, address) == before


def test_a_table_names_its_baseline_and_each_column_once():
    column = ConditionColumn("a", "A", "", metric="m", track="raw")
    with pytest.raises(ValueError, match="no column 'b'"):
        ConditionTable("t", "T", "", (column,), baseline="b")
    with pytest.raises(ValueError, match="two columns with the same key"):
        ConditionTable("t", "T", "", (column, column), baseline="a")
