"""The judge's share corrected by its sensitivity and specificity in an audit (STATISTICS.md 3 i, 6.15)."""

import io

import numpy as np
import pytest

from stats.analyses.running import Request, run, text
from stats.audit.rogan_gladen import rogan_gladen, transported_score
from stats.scores.clusters import ClusterTotals


def single(yes, n):
    return ClusterTotals((np.arange(n) < yes).astype(float), np.ones(n, dtype=np.int64))


def cells(tp, fp, fn, tn):
    return np.repeat(np.eye(4), [tp, fp, fn, tn], axis=0)


def test_an_audit_of_outputs_drawn_alike_gives_the_published_interval():
    # 2E: q 300/1000, Se 40/45, Sp 45/55. The jackknife's error of a share of n is that of n - 1 independent ones.
    found = transported_score(single(300, 1000), cells(40, 10, 5, 45))
    plain = rogan_gladen(300, 1000, true_positives=40, diseased=45, true_negatives=45, healthy=55)
    assert found.value == pytest.approx(0.1671429, abs=5e-8)
    assert found.ci == pytest.approx(plain.ci, abs=0.004)
    assert "TRANSPORT_ASSUMPTION" in found.warnings


def test_outputs_of_one_paper_are_no_more_calibration_than_one():
    one = transported_score(single(300, 1000), cells(40, 10, 5, 45))
    copies = transported_score(
        ClusterTotals(3.0 * (np.arange(1000) < 300), np.full(1000, 3)), 3 * cells(40, 10, 5, 45)
    )
    assert copies.value == pytest.approx(one.value)
    assert copies.ci == pytest.approx(one.ci, abs=0.001)
    assert (one.clusters, copies.clusters) == (None, 1000)


def test_a_judge_who_says_the_same_of_all_corrects_nothing():
    assert transported_score(single(300, 1000), cells(40, 40, 10, 10)).reason == "JUDGE_UNINFORMATIVE"
    assert transported_score(single(300, 1000), cells(40, 0, 10, 0)).reason == "ZERO_DENOM"
    assert transported_score(single(0, 0), cells(40, 10, 5, 45)).reason == "NO_JUDGE"


def test_the_value_lies_in_its_interval_where_it_is_cut_to_the_range():
    rng = np.random.default_rng(1)
    for _ in range(300):
        tp, fp, fn, tn = rng.integers(0, 9, size=4)
        found = transported_score(single(int(rng.integers(0, 21)), 20), cells(tp, fp, fn, tn))
        if found.ci is not None:
            assert found.ci[0] <= found.value <= found.ci[1]


def stratified_rows():
    """1,000 outputs, 300 judged yes; 50 of each verdict audited: 40 and 5 are true (2E)."""
    for at in range(1_000):
        judged = at < 300
        yield f"s{at},j,judge,{'yes' if judged else 'no'}"
        place = at if judged else at - 300
        if place < 50:
            yield f"s{at},e,expert,{'yes' if place < (40 if judged else 5) else 'no'}"


def test_weighted_by_the_design_it_repeats_the_corrected_score_of_the_same_outputs():
    # 2E: corrected .31. Unweighted, Se 40/45 and Sp 45/55 would give .1671.
    stream = io.BytesIO("\n".join(["subject,rater,rater_kind,value", *stratified_rows()]).encode())
    found = run(stream, "csv", Request("corrected", positive="yes"))
    assert found["corrected"]["value"] == pytest.approx(0.31)
    assert found["rogan_gladen"]["value"] == pytest.approx(0.31)
    assert "rogan_gladen" in text("corrected", found)
