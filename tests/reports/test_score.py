"""The score document of the sample project; the expected counts are those that its README and files give."""

from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from canonical.documents import as_json
from reports.core.wording import in_words
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.page import score_sections
from reports.scores.text import score_text
from stats.core.intervals import wilson
from tests.documents import score_document
from tests.reports.conftest import SAMPLE


@pytest.fixture
def document(gaps):
    return score_document(collect(release=gaps))


def metric(document, system, key):
    return document["judge"]["systems"][system]["metrics"][key]


@pytest.mark.parametrize(
    ("system", "successes", "outputs"),
    [("aurora", 16, 30), ("basalt", 9, 30), ("cobalt", 3, 29)],  # one Suff of cobalt is unavailable
)
def test_tool_acc_counts_clear_successes_over_all_outputs_with_a_wilson_interval(
    document, system, successes, outputs
):
    estimate = metric(document, system, "tool_acc")["estimate"]
    assert (estimate["k"], estimate["n"]) == (successes, outputs)
    assert estimate["value"] == pytest.approx(successes / outputs)
    assert estimate["ci"] == pytest.approx(wilson(successes, outputs))


def test_an_unavailable_verdict_leaves_the_denominator_and_bounds_the_value(document):
    estimate = metric(document, "cobalt", "tool_acc")["estimate"]
    assert estimate["n_unavailable"] == 1
    assert estimate["bounds"] == pytest.approx([3 / 30, 4 / 30])


def test_abstained_and_failed_outputs_stay_in_the_denominator(document):
    assert document["systems"]["cobalt"] == {"outputs": 30, "answered": 21, "abstained": 8, "failed": 1}
    assert metric(document, "cobalt", "ground_rate")["estimate"]["n"] == 30
    assert metric(document, "cobalt", "ground_rate")["estimate"]["n_abstain"] == 9


def test_the_failure_decomposition_adds_up_to_the_outputs(document):
    for part in document["judge"]["systems"].values():
        assert sum(part["buckets"].values()) == 30
    assert document["judge"]["systems"]["aurora"]["buckets"] == {
        "abstained": 2,
        "grounded_insufficient": 8,
        "success": 16,
        "ungrounded": 4,
    }


@pytest.mark.parametrize("success", ["success", "correct", "equivalent", "accepted", "self_contained"])
def test_classes_of_outputs_begin_with_the_success_of_every_protocol(gaps, success):
    whole = score(collect(release=gaps))
    ends = {"abstained": 1, "not_correct": 2, success: 3}
    systems = {name: replace(part, buckets=ends) for name, part in whole.judge.systems.items()}
    sections = score_sections(replace(whole, judge=replace(whole.judge, systems=systems)))
    assert sections["judge"]["decomposition"]["classes"][0] == in_words(success)


def test_domains_add_up_to_the_whole(document):
    domains = metric(document, "aurora", "tool_acc")["domains"]
    assert {domain: estimate["k"] for domain, estimate in domains.items()} == {
        "analysis_pde": 4,
        "geometry_topology": 3,
        "algebra_number_theory": 2,
        "probability_statistics_control": 3,
        "combinatorics_discrete": 4,
    }


def test_the_audit_compares_the_judge_with_the_experts_majority(document):
    (audit,) = document["judge"]["audits"]
    tool = audit["metrics"]["tool_acc"]
    # 51 audited outputs; one has an uncertain Suff of the judge and is not eligible
    assert {cell: tool["in_sample"][cell] for cell in ("tp", "fp", "fn", "tn")} == {
        "tp": 25,
        "fp": 3,
        "fn": 2,
        "tn": 20,
    }
    assert (tool["eligible"], tool["excluded"]) == (50, 1)
    assert tool["in_sample"]["agreement"]["value"] == pytest.approx(45 / 50)


def test_the_corrected_score_puts_the_audited_errors_right(document):
    (audit,) = document["judge"]["audits"]
    corrected = audit["metrics"]["tool_acc"]["corrected"]
    # aurora: success 14 of 16 (census), insufficient 8 * 1/5, ungrounded 4 * 0/3, abstained 0: 15.6 of 30
    assert corrected["aurora"]["estimate"]["value"] == pytest.approx(15.6 / 30)
    # basalt: 8 of 9 (census), 11 * 0/5, 6 * 1/3, abstained 0: 10 of 30
    assert corrected["basalt"]["estimate"]["value"] == pytest.approx(10 / 30)
    # cobalt: 3 of 3, 0, 0, abstained and failed 0; its unavailable output was never in the frame: 3 of 29
    assert corrected["cobalt"]["estimate"]["value"] == pytest.approx(3 / 29)
    low, high = corrected["aurora"]["estimate"]["ci"]
    assert 15 / 30 <= low <= 15.6 / 30 <= high


@pytest.mark.slow
def test_whole_proofs_get_counts_and_both_aggregates(proofs):
    (campaign,) = score_document(collect(release=proofs))["experts"]
    correctness = campaign["questions"]["correctness"]["systems"]
    assert correctness["aurora"]["labels"] == {"correct": 12, "inconclusive": 3, "incorrect": 3}
    assert correctness["aurora"]["conservative"]["counts"] == {
        "correct": 4,
        "inconclusive": 2,
        "incorrect": 0,
    }
    assert correctness["cobalt"]["conservative"]["counts"] == {
        "correct": 1,
        "inconclusive": 1,
        "incorrect": 4,
    }


def test_graded_questions_get_macro_and_micro_means(proofs):
    (campaign,) = score_document(collect(release=proofs))["experts"]
    clarity = campaign["questions"]["clarity"]["systems"]["aurora"]
    # three experts on each of six proofs, so both means are the same: 4.83
    assert clarity["macro"]["value"] == pytest.approx(clarity["micro"]["value"])
    assert round(clarity["micro"]["value"], 2) == 4.83
    assert (clarity["macro"]["n"], clarity["micro"]["n"]) == (6, 18)


def test_experts_agreement_comes_as_a_bundle(proofs):
    (campaign,) = score_document(collect(release=proofs))["experts"]
    bundle = campaign["agreement"]["correctness"]
    assert (bundle["n_items"], bundle["n_raters"], bundle["n_labels"]) == (18, 3, 54)
    assert bundle["coefficients"]["krippendorff_alpha_ordinal"]["value"] is not None
    assert bundle["coefficients"]["cohen_kappa"]["reason"] == "NOT_TWO_RATERS"


def test_a_track_without_outputs_is_refused(gaps):
    with pytest.raises(Refused, match="no outputs on track assisted"):
        collect(release=gaps, track="assisted")


def test_a_judge_without_verdicts_is_refused_naming_those_that_have(gaps):
    with pytest.raises(Refused, match="there are: sample-judge-v1"):
        collect(release=gaps, judge="somebody-v1")


def test_inputs_survive_json(gaps):
    inputs = collect(release=gaps)
    assert Inputs.from_json(inputs.as_json()) == inputs


def test_incomplete_inputs_are_refused_by_name(gaps):
    document = collect(release=gaps).as_json()
    del document["draws"]
    with pytest.raises(ValueError, match="draws"):
        Inputs.from_json(document)


def test_collecting_takes_the_same_number_of_queries_whatever_the_size(gaps, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        collect(release=gaps)


@pytest.mark.slow
def test_a_system_that_nobody_has_judged_has_no_figure_and_moves_no_other(gaps, client, owner, tmp_path):
    """Its two abstentions count negative by rule; they were its whole score, 0 of 2, with an interval of no width."""
    before = as_json(score(collect(release=gaps)))["judge"]
    sample = SAMPLE / "re2math" / "outputs-aurora.jsonl"
    import_outputs(actor=None, path=sample, release=gaps, system="zeta")
    inputs = collect(release=gaps)
    after = as_json(score(inputs))["judge"]
    assert after["systems"].pop("zeta")["metrics"] == {}
    assert after["systems"] == before["systems"]
    for audit, earlier in zip(after["audits"], before["audits"], strict=True):
        for key, metric in audit["metrics"].items():
            assert metric["corrected"] == earlier["metrics"][key]["corrected"]
            assert metric["corrected_pooled"] == earlier["metrics"][key]["corrected_pooled"]
    frozen = as_json(score(replace(inputs, methods=6)))["judge"]["systems"]["zeta"]["metrics"]
    assert {(found["estimate"]["k"], found["estimate"]["n"]) for found in frozen.values()} == {(0, 2)}
    client.force_login(owner)
    page = client.get(reverse("score-numbers", args=[gaps.name])).content.decode()
    assert "Not judged yet, and so without a figure: zeta." in page


def test_the_text_says_one_problem_of_one(gaps):
    found = replace(score(collect(release=gaps)), not_released={"dolomite": 1, "emerald": 2})
    lines = score_text(found).splitlines()
    assert "dolomite: not released (1 problem), in no denominator" in lines
    assert "emerald: not released (2 problems), in no denominator" in lines
