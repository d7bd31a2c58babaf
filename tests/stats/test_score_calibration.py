"""Graded scores against a yes or no: AUC is Mann-Whitney's U, errors are those of leaving out units by hand."""

import io
from itertools import product

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from stats.analyses.calibration import calibration_document
from stats.analyses.options import Options
from stats.audit.score_calibration import Scored, auc, brier, overconfidence, reliability
from stats.core.bootstrap import generator
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError
from tests.stats.real_data import deepseek_proofs


def scored(score, truth, weight=None, unit=None):
    n = len(score)
    return Scored(
        np.asarray(score, dtype=float),
        np.asarray(truth, dtype=bool),
        np.ones(n) if weight is None else np.asarray(weight, dtype=float),
        np.arange(n) if unit is None else np.asarray(unit),
    )


def by_pairs(items):
    """AUC as its definition says, over all pairs of a true and a false item."""
    won = total = 0.0
    for i, j in product(np.flatnonzero(items.truth), np.flatnonzero(~items.truth)):
        worth = items.weight[i] * items.weight[j]
        won += worth * ((items.score[i] > items.score[j]) + (items.score[i] == items.score[j]) / 2)
        total += worth
    return won / total


def random_items(rng, n=40, weighted=False, clustered=False):
    truth = rng.random(n) < 0.4
    truth[:4] = [True, False, True, False]
    score = np.round(np.clip(0.5 * truth + rng.random(n) * 0.7, 0, 1), 1)  # many ties
    weight = rng.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    return scored(score, truth, weight, np.arange(n) // 3 if clustered else np.arange(n))


def test_auc_is_mann_whitneys_u_on_200_random_tables():
    rng = generator(5)
    for _ in range(200):
        items = random_items(rng, n=int(rng.integers(5, 60)))
        yes, no = items.score[items.truth], items.score[~items.truth]
        wanted = mannwhitneyu(yes, no).statistic / (len(yes) * len(no))
        assert auc(items).value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("weighted", "clustered"), list(product((False, True), repeat=2)))
def test_its_error_is_that_of_leaving_out_units_by_hand(weighted, clustered):
    items = random_items(generator(9), weighted=weighted, clustered=clustered)
    left = []
    for unit in np.unique(items.unit):
        kept = items.unit != unit
        left.append(by_pairs(scored(items.score[kept], items.truth[kept], items.weight[kept])))
    c = len(left)
    by_hand = ((c - 1) / c * sum((each - np.mean(left)) ** 2 for each in left)) ** 0.5
    found = auc(items)
    assert found.value == pytest.approx(by_pairs(items), abs=1e-12)
    assert found.se == pytest.approx(by_hand, rel=1e-9)
    assert found.ci[0] < found.value < found.ci[1]


def test_without_the_one_unit_that_has_all_items_of_a_kind_it_counts_as_zero_whatever_the_weights():
    """Both true items are in the first unit; rounding left pairs of weight 1e-17 and a share of any size."""
    weight = (
        1.4153234784002628,
        0.5579939889920457,
        0.787348490693596,
        1.0731717613035343,
        0.723186852683724,
    )
    items = scored((0.75, 0.25, 0.75, 0.25, 0.75), (0, 0, 1, 0, 1), weight, (0, 1, 0, 1, 0))
    kept = by_pairs(scored(items.score[::2], items.truth[::2], items.weight[::2]))  # without unit 1
    found = auc(items)
    assert found.se == pytest.approx(kept / 2)  # of 0 and this value: sqrt(1/2 * 2 * (value / 2) ** 2)
    assert found.ci[0] < found.value < found.ci[1]


def test_scores_that_separate_the_truths_have_a_width():
    # 10 true above 10 false. With p = 1 - .025 ** (1 / 10) = .3085 of a kind unseen, w = 10 p / (1 - p) = 4.461
    # further true items could lie below all others: 10 / 14.461 = .6915.
    found = auc(scored(np.arange(20), np.arange(20) >= 10))
    assert found.value == 1
    assert found.ci == pytest.approx((0.6915, 1), abs=5e-5)
    assert "NO_SPREAD" in found.warnings
    assert auc(scored(np.arange(20), np.arange(20) < 10)).ci == pytest.approx((0, 0.3085), abs=5e-5)


def test_equal_scores_rank_nothing():
    found = auc(scored([0.5] * 30, [True, False] * 15))
    assert found.value == 0.5
    assert found.ci[0] < 0.5 < found.ci[1]


def test_truths_of_one_kind_have_no_auc():
    assert str(auc(scored([0.1, 0.9], [True, True])).reason) == "ONE_CATEGORY"
    assert str(auc(scored([], [])).reason) == "NO_ITEMS"


def test_brier_and_overconfidence_are_weighted_means():
    items = scored([0.9, 0.4, 0.2], [True, False, True], weight=[1, 2, 1])
    assert brier(items).value == pytest.approx((0.01 + 2 * 0.16 + 0.64) / 4)
    assert overconfidence(items).value == pytest.approx((-0.1 + 2 * 0.4 - 0.8) / 4)
    assert str(brier(scored([1.2], [True])).reason) == "NOT_A_SHARE"
    assert str(overconfidence(scored([-0.1], [True])).reason) == "NOT_A_SHARE"


def test_copies_in_a_cluster_make_no_interval_narrower():
    items = random_items(generator(3))
    copied = scored(
        np.repeat(items.score, 4), np.repeat(items.truth, 4), unit=np.repeat(np.arange(len(items.score)), 4)
    )
    for figure in (auc, brier, overconfidence):
        assert figure(copied).se == pytest.approx(figure(items).se, rel=0.01), figure
        assert figure(copied).ci == pytest.approx(figure(items).ci, abs=0.01), figure


def test_a_weight_is_as_good_as_copies_for_the_value():
    items = random_items(generator(4), weighted=True)
    times = items.weight.astype(int)
    copied = scored(np.repeat(items.score, times), np.repeat(items.truth, times))
    for figure in (auc, brier, overconfidence):
        assert figure(items).value == pytest.approx(figure(copied).value, abs=1e-12), figure
    for one, other in zip(reliability(items), reliability(copied), strict=True):
        assert one.share.value == pytest.approx(other.share.value)
        assert one.mean_score == pytest.approx(other.mean_score)


def test_few_scores_are_bins_of_their_own():
    bins = reliability(scored([0.5, 0.5, 1, 1, 1], [True, False, True, True, False]))
    assert [(each.low, each.high, each.n, each.share.k) for each in bins] == [(0.5, 0.5, 2, 1), (1, 1, 3, 2)]


def test_many_scores_fall_into_ten_bins_and_the_ends_belong_somewhere():
    score = np.linspace(0, 1, 101)
    bins = reliability(scored(score, score > 0.5))
    assert len(bins) == 10
    assert sum(each.n for each in bins) == 101
    assert (bins[0].low, bins[-1].high, bins[-1].n) == (0, 1, 11)
    points = reliability(scored(score * 80 + 10, score > 0.5))
    assert (points[0].low, points[-1].high) == (10, 90)


def test_the_interval_of_the_auc_covers_about_as_often_as_it_says():
    """300 draws of 60 items in 20 clusters. A true score is normal around 1, a false one around 0:
    AUC = Phi(1 / sqrt 2) = .7602. Of 300 draws at 95 %, 270 is below the 1-in-1,000 quantile of the
    binomial."""
    rng, covered = generator(12), 0
    for _ in range(300):
        truth = rng.random(60) < 0.4
        truth[:2] = [True, False]
        low, high = auc(scored(rng.normal(truth, 1), truth, unit=np.arange(60) // 3)).ci
        covered += low <= 0.76025 <= high
    assert covered >= 270


HEADER = "subject,rater_kind,rater,value,state,stratum,stratum_size,cluster"


def document(rows, positive="yes", header=HEADER, score_range=None, **options):
    table = read_labels(io.BytesIO("\n".join([header, *rows]).encode()))
    return calibration_document(table, positive=positive, options=Options(**options), score_range=score_range)


def only(rows, **asked):
    return document(rows, **asked)["questions"][""]


def test_a_label_file_is_paired_by_subject_and_what_is_left_out_is_counted():
    rows = []
    for n in range(12):
        rows.append(f"s{n},expert,anna,{'yes' if n % 2 else 'no'},,,,")
        rows.append(f"s{n},judge,m,{n / 12},,,,")
    rows += [
        "t,expert,anna,uncertain,,,,",
        "t,judge,m,0.5,,,,",
        "u,expert,anna,yes,,,,",
        "u,judge,m,,unavailable,,,",
    ]
    rows += ["v,expert,anna,yes,,,,", "v,expert,ben,no,,,,", "v,judge,m,0.5,,,,", "w,judge,m,0.5,,,,"]
    found = only(rows)
    assert (found["labelled"], found["excluded"], found["splits"]) == (13, 1, 1)
    (judge,) = found["judges"]
    assert (judge["scored"], judge["missing"], judge["true"]) == (12, 1, 6)
    # True: 1 3 5 7 9 11, false: 0 2 4 6 8 10; a true one beats 1, 2, ..., 6 false ones: 21 of 36.
    assert judge["auc"]["value"] == pytest.approx(21 / 36)
    assert judge["auc"]["warnings"] == ["LOW_N"]


def test_several_scores_of_a_judge_are_averaged_and_ranges_mapped():
    header = "subject,rater_kind,rater,value,vote"
    rows = ["a,judge,m,2,1", "a,judge,m,4,2", "a,expert,x,yes,", "b,judge,m,1,", "b,expert,x,no,"]
    (judge,) = only(rows, header=header, score_range=(0, 5))["judges"]
    assert [each["low"] for each in judge["curve"]] == pytest.approx([0.2, 0.6])
    assert judge["brier"]["value"] == pytest.approx((0.04 + 0.16) / 2)
    (plain,) = only(rows, header=header)["judges"]
    assert (plain["auc"]["value"], plain["brier"]["reason"]) == (1, "NOT_A_SHARE")


def test_strata_weight_the_units_that_were_drawn():
    # One of two audited of 100 in "high", two of two audited of 10 in "low".
    rows = [
        "a,expert,x,yes,,high,100,", "a,judge,m,0.9,,high,100,", "b,expert,x,no,,high,100,", "b,judge,m,0.8,,high,100,",
        "c,expert,x,no,,low,10,", "c,judge,m,0.1,,low,10,", "d,expert,x,yes,,low,10,", "d,judge,m,0.3,,low,10,",
    ]  # fmt: skip
    found = only(rows)
    assert found["design"] == "design_columns"
    # Weights 50, 50, 5, 5. True a 50, d 5; false b 50, c 5: a beats both 50 x 55, d beats c 5 x 5 of 55 x 55.
    assert found["judges"][0]["auc"]["value"] == pytest.approx((50 * 55 + 25) / 55**2)
    assert found["judges"][0]["brier"]["value"] == pytest.approx(
        (50 * 0.01 + 50 * 0.64 + 5 * 0.01 + 5 * 0.49) / 110
    )


def test_graded_labels_of_experts_are_true_by_a_success_set():
    rows = [
        "a,expert,x,7,,,,",
        "b,expert,x,6,,,,",
        "c,expert,x,2,,,,",
        *(f"{s},judge,m,0.5,,,," for s in "abc"),
    ]
    assert only(rows, positive="6,7")["judges"][0]["true"] == 2


@pytest.mark.parametrize(
    ("value", "score_range", "message"),
    [
        ("good", None, "must be a number of at most 1e\\+60, not 'good'"),
        ("1e61", None, "must be a number of at most 1e\\+60, not '1e61'"),
        ("7", (0, 5), "from 0 to 5, not '7'"),
        ("nan", None, "number"),
    ],
)
def test_a_score_that_is_no_number_or_out_of_range_is_named_by_line(value, score_range, message):
    with pytest.raises(TableError, match=f"line 3, column value: .*{message}"):
        document(["a,expert,x,yes,,,,", f"a,judge,m,{value},,,,"], score_range=score_range)


@pytest.mark.real_data
def test_a_published_verifier_against_full_human_marks():
    """84 machine-written proofs: the verifier's score against full marks, counted with scipy."""
    rows, yes, no = [], [], []
    for n, proof in enumerate(deepseek_proofs()):
        full = proof["points"] == proof["maximum"]
        (yes if full else no).append(proof["verifier"])
        rows += [f"{n},expert,h,{'yes' if full else 'no'},,,,", f"{n},judge,v,{proof['verifier']},,,,"]
    (judge,) = only(rows)["judges"]
    assert (judge["scored"], judge["true"]) == (84, 65)  # TP 65 and FN 0 in the data's own description
    assert judge["auc"]["value"] == pytest.approx(
        mannwhitneyu(yes, no).statistic / (len(yes) * len(no)), abs=1e-12
    )
    assert judge["brier"]["value"] == pytest.approx(
        (sum((1 - s) ** 2 for s in yes) + sum(s**2 for s in no)) / 84
    )
