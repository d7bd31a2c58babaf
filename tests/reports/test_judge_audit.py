"""The judge against the experts; counts are those of sample/README.md's audit."""

import csv
import io
from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.protocols import get_protocol
from reports.audit.corrections import strata_of
from reports.audit.results import audit_truth, audited, is_eligible, with_splits
from reports.core.datasets import labelled_outputs, tallies
from reports.scores import inputs as reading
from reports.scores.inputs import collect
from tests.documents import judge_audit_document
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.mark.slow
def test_exclusions_say_why_and_add_up(gaps):
    audit = judge_audit_document(collect(release=gaps), {})["audits"][0]
    for metric in audit["metrics"].values():
        assert sum(metric["exclusions"].values()) == metric["excluded"]
        assert metric["eligible"] + metric["excluded"] == audit["drawn"] == 51


def of_kind(inputs, kind, **changed):
    """The same inputs as if the campaign had been of another kind, or had another rubric."""
    return replace(inputs, campaigns=tuple(replace(each, kind=kind, **changed) for each in inputs.campaigns))


def test_a_campaign_of_grades_that_asks_a_predicate_is_compared_like_an_audit(gaps):
    inputs = collect(release=gaps)
    [audit], [grades] = (
        judge_audit_document(given, {})["audits"] for given in (inputs, of_kind(inputs, "grade"))
    )
    assert (audit.pop("kind"), grades.pop("kind")) == ("audit", "grade")
    assert grades == audit
    assert grades["metrics"]["suff"]["in_sample"]["kappa"]["value"] is not None


def test_a_campaign_is_compared_by_what_its_rubric_asks_and_comparisons_not_at_all(gaps):
    inputs = collect(release=gaps)
    rubric = inputs.campaigns[0].rubric
    alone = [question for question in rubric["questions"] if question["key"] == "ground"]
    [only] = judge_audit_document(of_kind(inputs, "grade", rubric={**rubric, "questions": alone}), {})[
        "audits"
    ]
    assert list(only["metrics"]) == ["ground_rate"]
    nothing = [{"key": q["key"], "text": q["text"], "scale": "ordinal"} for q in rubric["questions"]]
    assert (
        judge_audit_document(of_kind(inputs, "grade", rubric={**rubric, "questions": nothing}), {})["audits"]
        == []
    )
    assert judge_audit_document(of_kind(inputs, "compare"), {})["audits"] == []


TOOL_ACC = next(metric for metric in get_protocol("re2math").metrics if metric.key == "tool_acc")


def labelled(release):
    """Every output of which the judge says yes or no."""
    inputs = collect(release=release)
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    return [output for output in outputs.values() if is_eligible(TOOL_ACC, output.labels)]


def audited_of(release):
    inputs = collect(release=release)
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    campaign = next(one for one in inputs.campaigns if one.kind == "audit")
    labels = [label for label in inputs.labels if label.campaign == campaign.slug]
    decided = [row for row in inputs.decisions if row.campaign == campaign.slug]
    drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
    strata = strata_of(get_protocol("re2math").bucket, outputs)
    return audited(TOOL_ACC, outputs, with_splits(audit_truth(labels, decided), "no"), drawn, strata)


def test_strata_add_up_to_the_whole_table(gaps):
    metric = judge_audit_document(collect(release=gaps), {})["audits"][0]["metrics"]["tool_acc"]
    for cell in ("tp", "fp", "fn", "tn"):
        assert sum(stratum[cell] for stratum in metric["strata"]) == metric["in_sample"][cell]
    success = next(stratum for stratum in metric["strata"] if stratum["stratum"] == "aurora/success")
    assert (success["size"], success["drawn"]) == (16, 16)


@pytest.mark.slow
def test_systems_add_up_to_the_whole_table_and_have_their_own_precision(carl, gaps):
    metric = judge_audit_document(collect(release=gaps), {})["audits"][0]["metrics"]["tool_acc"]
    for cell in ("tp", "fp", "fn", "tn"):
        assert sum(own[cell] for own in metric["systems"].values()) == metric["in_sample"][cell]
    assert sum(own["ineligible"] for own in metric["systems"].values()) == metric["excluded"]
    for own in metric["systems"].values():
        assert (own["precision"]["k"], own["precision"]["n"]) == (own["tp"], own["tp"] + own["fp"])
    text = carl.get(reverse("judge-audit", args=["sample-re2math"])).content.decode()
    assert "Precision in the sample" in text


@pytest.mark.slow
def test_a_system_is_corrected_as_if_the_judge_erred_on_all_alike(carl, gaps):
    metric = judge_audit_document(collect(release=gaps), {})["audits"][0]["metrics"]["tool_acc"]
    weights = audited_of(gaps).weighted.sum(
        axis=0
    )  # tp, fp, fn, tn of the population that the sample represents
    se, sp = weights[0] / (weights[0] + weights[2]), weights[3] / (weights[1] + weights[3])
    for own in metric["systems"].values():
        found = own["rogan_gladen"]
        assert found["ci"][0] <= found["value"] <= found["ci"][1]
        assert "TRANSPORT_ASSUMPTION" in found["warnings"]
    judged = [0, 0]
    for row in labelled(gaps):
        judged[0] += row.system == "aurora"
        judged[1] += row.system == "aurora" and TOOL_ACC.success(row)
    aurora = metric["systems"]["aurora"]["rogan_gladen"]
    assert aurora["value"] == pytest.approx((judged[1] / judged[0] + sp - 1) / (se + sp - 1))
    assert (
        "If the judge errs equally on all"
        in carl.get(reverse("judge-audit", args=["sample-re2math"])).content.decode()
    )


@pytest.mark.slow
def test_while_an_audit_is_open_no_stratum_tells_of_a_system(carl, gaps, monkeypatch):
    original = reading.graded_campaigns

    def still_open(*asked):
        campaigns = original(*asked)
        for campaign in campaigns:
            campaign.closed_at = None
        return campaigns

    monkeypatch.setattr(reading, "graded_campaigns", still_open)
    metric = judge_audit_document(collect(release=gaps), {})["audits"][0]["metrics"]["tool_acc"]
    assert (metric["strata"], metric["systems"]) == ([], {})
    text = carl.get(reverse("judge-audit", args=["sample-re2math"])).content.decode()
    assert "the campaign is still open" in text
    assert "aurora" not in text
    reply = carl.get(reverse("judge-audit-csv", args=["sample-re2math"]))
    assert "aurora" not in b"".join(reply.streaming_content).decode()


def test_the_page_names_its_sources_and_explains_its_numbers(carl, gaps):
    text = carl.get(reverse("judge-audit", args=["sample-re2math"])).content.decode()
    assert "25 true positive, 3 false positive, 2 false negative, 20 true negative" in text
    assert reverse("labels", args=["sample-re2math"]) in text
    linked = {part.split('"')[0] for part in text.split('href="#def-')[1:]}
    assert all(f'id="def-{name}"' in text for name in linked)
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_the_csv_and_rest_hold_the_same_counts(carl, gaps):
    reply = carl.get(reverse("judge-audit-csv", args=["sample-re2math"]))
    table = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    document = carl.get("/api/v1/releases/sample-re2math/judge-audit/").json()
    inside = document["audits"][0]["metrics"]["tool_acc"]["in_sample"]
    assert sum(int(row["fp"]) for row in table if row["metric"] == "tool_acc") == inside["fp"] == 3


@pytest.mark.slow
def test_without_a_judge_or_an_audit_the_page_says_what_to_do(carl, proofs, unlabelled_gaps):
    assert b"No judge has given a verdict" in carl.get(reverse("judge-audit", args=["sample-proofs"])).content
    with pytest.raises(Refused):
        judge_audit_document(collect(release=proofs), {})
    assert carl.get("/api/v1/releases/sample-proofs/judge-audit/").status_code == 404


def test_the_page_takes_few_queries(carl, gaps):
    """Four of them read what the protocol's measure needs: the runs, the instances, their payloads and the outputs;
    one the payloads of the successes that experts read, for their types."""
    assert queries(carl, reverse("judge-audit", args=["sample-re2math"])) <= 24
