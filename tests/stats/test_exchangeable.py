"""Raters whose names mean nothing: what is still said, and what is refused."""

import numpy as np
import pytest

from stats.agreement.icc import intraclass
from stats.agreement.one_way import one_way_correlation
from stats.core.bootstrap import generator
from stats.tables.ratings import from_matrix
from stats.tables.raw_rows import TableError
from tests.stats.test_analyses_agreement import document, only_question

REFUSED = (
    "cohen_kappa",
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
    "icc_2_1",
    "icc_3_1",
    "icc_2_k",
    "icc_3_k",
)
SHROUT_FLEISS = ("9258", "6132", "8468", "7126", "10,5,6,9", "6247")


def alike(rows, header="subject,rater,value"):
    (bundle,) = document(rows, header=header, exchangeable=True)["questions"].values()
    return bundle


def marks():
    return [[int(mark) for mark in (row.split(",") if "," in row else row)] for row in SHROUT_FLEISS]


def test_what_needs_to_know_the_raters_is_refused_by_name():
    rows = [
        f"{item},{rater},{mark}" for item, row in enumerate(marks()[:]) for rater, mark in enumerate(row[:2])
    ]
    found = alike(rows)
    assert {name: found[name]["reason"] for name in REFUSED} == dict.fromkeys(REFUSED, "RATERS_ALIKE")
    assert (found["pairs"], found["pairs_dropped"], found["n_raters"]) == ([], [], None)
    assert "kappa_max" not in found
    for name in ("percent", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha_interval", "icc_1_1", "icc_1_k"):
        assert found[name]["value"] is not None, name


def test_labels_without_names_give_what_named_ones_give():
    named = [f"{item},{rater},{mark}" for item, row in enumerate(marks()) for rater, mark in enumerate(row)]
    nameless = [f"{item},,{mark}" for item, row in enumerate(marks()) for mark in row]
    found, plain = alike(nameless), only_question(named)
    # STATISTICS.md 2C, Shrout and Fleiss 1979: ICC(1,1) .1657418, ICC(1,k) .4427971, alpha .1473079.
    assert found["icc_1_1"]["value"] == pytest.approx(0.1657418, abs=5e-8)
    assert found["icc_1_k"]["value"] == pytest.approx(0.4427971, abs=5e-8)
    assert found["krippendorff_alpha_interval"]["value"] == pytest.approx(0.1473079, abs=5e-8)
    for name in ("percent", "krippendorff_alpha_ordinal", "fleiss_kappa", "gwet_ac2_quadratic", "icc_1_1"):
        assert found[name]["ci"] == pytest.approx(plain[name]["ci"]), name
    with pytest.raises(TableError, match="a second time"):
        only_question(nameless)


def test_shuffling_the_labels_of_an_item_changes_nothing():
    rng = generator(8)
    table = [rng.integers(0, 4, 3) for _ in range(30)]
    first = alike([f"{item},r{r},{mark}" for item, row in enumerate(table) for r, mark in enumerate(row)])
    mixed = [(item, rng.permutation(row)) for item, row in enumerate(table)]
    second = alike([f"{item},r{r},{mark}" for item, row in mixed for r, mark in enumerate(row)])
    assert first == second


def test_several_votes_of_a_named_rater_stay_one_label():
    header = "subject,rater,value,vote"
    found = alike(["a,m,yes,1", "a,m,yes,2", "a,m,no,3", "a,,yes,", "a,,no,"], header=header)
    assert (found["n_labels"], found["label_pairs"], found["agreeing_pairs"]) == (3, 3, 1)
    with pytest.raises(TableError, match="a second time"):
        alike(["a,m,yes,", "a,m,no,"], header=header)


def test_equal_numbers_of_labels_give_shrout_and_fleiss():
    table = np.array(marks(), dtype=float)
    ratings = from_matrix([[int(mark) for mark in row] for row in table], categories=range(1, 11))
    assert one_way_correlation(ratings).value == pytest.approx(intraclass(table)["icc_1_1"].value, abs=1e-12)


def test_unequal_numbers_follow_the_one_way_analysis_of_variance():
    """Against the analysis of variance written with loops; items with one label say nothing of raters."""
    table = [[1, 2, 2], [4, 5], [3, 3, 4, 5], [1, 1], [5]]
    ratings = from_matrix(table, categories=range(1, 6))
    groups = table[:4]
    labels, n = sum(map(len, groups)), len(groups)
    grand = sum(map(sum, groups)) / labels
    between = sum(len(g) * (sum(g) / len(g) - grand) ** 2 for g in groups) / (n - 1)
    within = sum((x - sum(g) / len(g)) ** 2 for g in groups for x in g) / (labels - n)
    usual = (labels - sum(len(g) ** 2 for g in groups) / labels) / (n - 1)
    found = one_way_correlation(ratings)
    assert found.value == pytest.approx((between - within) / (between + (usual - 1) * within), abs=1e-12)
    assert found.n == 4
    assert found.ci[0] < found.value < found.ci[1]


def test_unequal_numbers_have_no_mean_of_k_raters():
    found = alike(["a,,1", "a,,2", "a,,2", "b,,4", "b,,5", "c,,3", "c,,3"])
    assert found["icc_1_1"]["value"] is not None
    assert found["icc_1_k"]["reason"] == "INCOMPLETE"


def test_copies_of_items_in_a_cluster_make_the_interval_no_narrower():
    rng = generator(4)
    table = [rng.integers(0, 5, 2 + item % 3).tolist() for item in range(40)]
    alone = one_way_correlation(from_matrix(table, categories=range(5)), clusters=np.arange(40))
    copied = one_way_correlation(
        from_matrix([row for row in table for _ in range(3)], categories=range(5)),
        clusters=np.repeat(np.arange(40), 3),
    )
    assert copied.se == pytest.approx(alone.se, rel=0.05)
    assert copied.clusters == 40


@pytest.mark.parametrize("rows", [["a,,1", "a,,1", "a,,1", "b,,1", "b,,1"], ["a,,1", "b,,2"]])
def test_nothing_to_tell_apart_is_undefined(rows):
    assert alike(rows)["icc_1_1"]["value"] is None


@pytest.mark.slow
def test_more_raters_by_items_than_fit_into_memory_are_refused_before_a_table_is_made():
    """7,100 items with a label each by a rater of its own: 7,100 * 7,100 = 50.4 million cells."""
    rows = [f"s{n},r{n},yes" for n in range(7_100)]
    with pytest.raises(TableError, match="7,100 raters of 7,100 subjects"):
        only_question(rows)
    # 7,099 nameless labels of one item, and one each of 7,100 others.
    with pytest.raises(TableError, match="more than 50,000,000 cells"):
        alike([*["a,,yes"] * 7_099, *(f"s{n},,yes" for n in range(7_100))])


def test_thousands_of_raters_have_coefficients_but_no_pairs():
    found = only_question([f"s{n // 2},r{n},{'yes' if n % 3 else 'no'}" for n in range(2_002)])
    assert (found["pairs"], found["warnings"]) == ([], ["MANY_RATERS"])
    assert found["percent"]["value"] is not None
