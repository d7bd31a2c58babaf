"""`analyse agreement` on label tables."""

import io
import json

import numpy as np
import pytest

from stats.analyses.agreement import agreement_document
from stats.analyses.as_text import agreement_text
from stats.analyses.options import Options
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError
from tests.stats.test_agreement import CANONICAL, FIRST_PROOF

OPTIONS = Options(seed=1)
PROMISED = (
    "n_items n_raters n_labels percent cohen_kappa weighted_kappa_linear weighted_kappa_quadratic "
    "fleiss_kappa krippendorff_alpha_nominal krippendorff_alpha_ordinal krippendorff_alpha_interval "
    "gwet_ac1 icc_2_1 icc_3_1 pairs"
)


def document(rows, header="subject,rater,value", level=None, options=OPTIONS, **asked):
    table = read_labels(io.BytesIO("\n".join([header, *rows]).encode()))
    return agreement_document(table, level=level, options=options, **asked)


def only_question(rows, **options):
    (bundle,) = document(rows, **options)["questions"].values()
    return bundle


def canonical_rows():
    units = enumerate(CANONICAL.split())
    return [f"u{u},r{r},{mark}" for u, unit in units for r, mark in enumerate(unit) if mark != "."]


def test_the_canonical_data_come_out_of_a_label_file():
    found = only_question(canonical_rows())
    assert set(PROMISED.split()) <= set(found)
    assert (found["n_items"], found["n_raters"], found["n_labels"], found["n_pairable"]) == (12, 4, 41, 11)
    assert found["krippendorff_alpha_nominal"]["value"] == pytest.approx(0.7434211, abs=5e-8)
    assert found["krippendorff_alpha_ordinal"]["value"] == pytest.approx(0.8153875, abs=5e-8)
    assert found["krippendorff_alpha_interval"]["value"] == pytest.approx(0.8491071, abs=5e-8)
    assert found["cohen_kappa"]["reason"] == "NOT_TWO_RATERS"
    json.dumps(found, allow_nan=False)


def test_words_of_a_known_scale_are_ordered():
    words = dict(zip((2, 1, 0), ("correct", "inconclusive", "incorrect"), strict=True))
    rows = []
    for system, matrix in FIRST_PROOF.items():
        for problem, counts in enumerate(matrix.split()):
            marks = [words[c] for c, n in zip((2, 1, 0), counts, strict=True) for _ in range(int(n))]
            rows += [f"{system}-{problem},r{r},{mark}" for r, mark in enumerate(marks)]
    found = only_question(rows)
    assert found["level"] == "ordinal"
    assert found["krippendorff_alpha_ordinal"]["value"] == pytest.approx(0.961273, abs=5e-7)
    assert found["krippendorff_alpha_interval"]["reason"] == "LEVEL"
    forced = only_question(rows, level="interval")
    assert forced["krippendorff_alpha_interval"]["value"] == pytest.approx(0.951996, abs=5e-7)


def test_votes_of_a_rater_become_their_majority_and_ties_are_left_out():
    header = "subject,rater,value,vote"
    rows = ["a,m,yes,1", "a,m,yes,2", "a,m,no,3", "a,x,yes,1", "b,m,yes,1", "b,m,no,2", "b,x,no,1"]
    found = only_question(rows, header=header)
    assert (found["n_labels"], found["n_undecided"], found["n_pairable"]) == (3, 1, 1)
    assert found["percent"]["value"] == 1


def test_abstentions_and_failures_are_missing_and_counted():
    header = "subject,rater,value,state"
    rows = ["a,x,yes,", "a,y,,abstain", "b,x,no,", "b,y,no,", "c,x,,unavailable"]
    found = only_question(rows, header=header)
    assert (found["n_abstain"], found["n_unavailable"], found["n_labels"], found["n_pairable"]) == (
        1,
        1,
        3,
        1,
    )


def test_equal_numbers_in_other_spellings_are_one_value():
    found = only_question(["a,x,1", "a,y,1.0", "b,x,2", "b,y,2"])
    assert found["percent"]["value"] == 1
    assert found["categories"] == ["1", "2"]


def test_each_question_is_its_own_bundle():
    header = "question,subject,rater,value"
    rows = ["Ground,a,x,yes", "Ground,a,y,no", "Suff,a,x,yes", "Suff,a,y,yes"]
    assert list(document(rows, header=header)["questions"]) == ["Ground", "Suff"]
    chosen = document(rows, header=header, options=Options(question="Suff"))["questions"]
    assert list(chosen) == ["Suff"]


@pytest.mark.parametrize("odd", ["25. Jan", "NA", "25%", "\N{MINUS SIGN}0.25", "1,000"])
def test_values_that_make_names_of_numbers_are_pointed_out(odd):
    rows = ["a,x,0.25", "a,y,0.5", "b,x,1", f'b,y,"{odd}"']
    found = only_question(rows)
    assert (found["level"], found["warnings"]) == ("nominal", ["MIXED_VALUES"])
    assert only_question(rows, level="nominal")["warnings"] == []


def test_a_word_in_other_letters_than_a_known_order_is_pointed_out_and_plain_names_are_not():
    assert only_question(["a,x,yes", "a,y,no", "b,x,Yes", "b,y,no"])["warnings"] == ["MIXED_VALUES"]
    assert only_question(["a,x,yes", "a,y,no", "b,x,yes", "b,y,no"])["warnings"] == []
    assert only_question(["a,x,red", "a,y,blue", "b,x,7", "b,y,blue"])["warnings"] == []


def test_a_judge_among_experts_is_pointed_out():
    header = "subject,rater,rater_kind,value"
    found = only_question(["a,x,expert,yes", "a,m,judge,yes"], header=header)
    assert found["warnings"] == ["MIXED_RATER_KINDS"]


def test_a_single_cluster_has_no_interval():
    rows = ["a,x,1,p", "a,y,1,p", "b,x,2,p", "b,y,1,p"]
    found = only_question(rows, header="subject,rater,value,cluster")
    assert found["percent"]["ci"] is None
    assert found["percent"]["reason"] == "FEW_EVENTS"


def test_unordered_words_have_no_ordinal_level():
    with pytest.raises(TableError, match="blue, red"):
        document(["a,x,red", "a,y,blue"], level="ordinal")
    assert only_question(["a,x,red", "a,y,blue"])["weighted_kappa_linear"]["reason"] == "LEVEL"


def test_rows_without_a_rater_are_refused():
    with pytest.raises(TableError, match="line 3, column rater"):
        document(["a,x,yes", "a,,yes"])


def test_an_unknown_level_is_a_wrong_argument():
    with pytest.raises(ValueError, match="level"):
        document(["a,x,yes"], level="cardinal")


def test_a_table_without_rows_has_no_questions():
    assert document([]) == {"questions": {}}


def test_a_question_that_nobody_answered_is_undefined():
    found = only_question(["a,x,,unavailable"], header="subject,rater,value,state")
    assert (found["n_items"], found["percent"]["reason"]) == (0, "NO_ITEMS")


def test_two_or_three_items_without_rater_variance_leave_the_other_coefficients_standing():
    # Items (0,1), (0,1), (1,0): every item has the mean 1/2, so the mean square between items is 0.
    rows = [
        f"{item},{rater},{value}"
        for item, pair in zip("abc", ("01", "01", "10"), strict=True)
        for rater, value in zip("xy", pair, strict=True)
    ]
    found = only_question(rows)
    assert (found["icc_2_1"]["ci"], found["icc_2_1"]["reason"]) == (None, "FEW_EVENTS")
    assert found["percent"]["value"] == 0
    assert found["krippendorff_alpha_nominal"]["value"] == pytest.approx(
        -2 / 3
    )  # Do = 1, De = 2 * 3 * 3 / (6 * 5)


def test_clusters_widen_every_interval_of_the_document():
    """40 problems of which each has four copies of one item: everything must be as uncertain as with 40 items."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 40)
    marks = np.clip(truth[:, None] + rng.integers(-1, 2, (40, 3)), 0, 3)
    header = "subject,cluster,rater,value"
    copies = [
        f"{item}-{copy},{cluster},{rater},{marks[item, r]}"
        for item in range(40)
        for copy in range(4)
        for r, rater in enumerate("xyz")
        for cluster in (f"p{item}",)
    ]
    once = only_question([f"{i},{r},{marks[i, at]}" for i in range(40) for at, r in enumerate("xyz")])
    found = only_question(copies, header=header)
    for name in ("percent", "krippendorff_alpha_ordinal", "fleiss_kappa", "gwet_ac1"):
        assert found[name]["se"] == pytest.approx(once[name]["se"], rel=0.04), name
    for name in ("icc_2_1", "icc_3_1", "icc_1_k"):
        width, alone = (one[name]["ci"][1] - one[name]["ci"][0] for one in (found, once))
        assert width == pytest.approx(alone, rel=0.35), name
    for pair, alone in zip(found["pairs"], once["pairs"], strict=True):
        for name in ("percent", "cohen_kappa", "weighted_kappa_quadratic", "gwet_ac1"):
            assert pair[name]["se"] == pytest.approx(alone[name]["se"], rel=0.25), name


def test_of_two_raters_the_pair_and_the_bundle_say_the_same_of_clusters():
    rng = np.random.default_rng(5)
    rows = [f"{i},p{i // 4},{rater},{rng.integers(0, 3)}" for i in range(80) for rater in "xy"]
    found = only_question(rows, header="subject,cluster,rater,value")
    for name in ("cohen_kappa", "weighted_kappa_quadratic", "gwet_ac1"):
        assert found["pairs"][0][name]["ci"] == pytest.approx(found[name]["ci"]), name


def test_percent_agreement_is_named_both_ways_with_its_counts():
    # Item a: three of three pairs agree; item b: none of one. Pooled 3 of 4, mean over items 1/2.
    found = only_question(["a,x,1", "a,y,1", "a,z,1", "b,x,1", "b,y,2"])
    assert (found["agreeing_pairs"], found["label_pairs"]) == (3, 4)
    assert found["percent_pooled"]["value"] == pytest.approx(0.75)
    assert found["percent"]["value"] == pytest.approx(0.5)


def test_own_words_are_ordered_by_the_order_that_is_given():
    words = ("reject", "major", "minor", "flawless")
    rng = np.random.default_rng(1)
    codes = [(i, r, int(np.clip(i % 3 + rng.integers(0, 2), 0, 3))) for i in range(30) for r in "xyz"]
    worded = document([f"{i},{r},{words[c]}" for i, r, c in codes], options=Options(order=words))
    numbered = document([f"{i},{r},{c}" for i, r, c in codes], level="ordinal")
    worded, numbered = worded["questions"][""], numbered["questions"][""]
    assert worded["level"] == "ordinal"
    assert worded["primary"] == "krippendorff_alpha_ordinal"
    for name in ("krippendorff_alpha_ordinal", "gwet_ac2_quadratic"):
        assert worded[name]["value"] == pytest.approx(numbered[name]["value"]), name
    assert worded["pairs"][0]["spearman"]["value"] == pytest.approx(numbered["pairs"][0]["spearman"]["value"])
    with pytest.raises(TableError, match="flawless is not in the order"):
        document(["a,x,flawless", "a,y,minor"], options=Options(order=("major", "minor")))
    with pytest.raises(ValueError, match="at least two different"):
        Options(order=("minor", "minor"))


def test_numbers_keep_their_distances_where_their_order_is_given():
    rows = ["a,x,1", "a,y,2", "b,x,2", "b,y,5", "c,x,5", "c,y,5", "d,x,1", "d,y,3"]
    asked = {name: document(rows, level="interval", options=Options(order=order))["questions"][""]
             for name, order in {"plain": (), "rising": tuple("12345"), "falling": tuple("54321")}.items()}  # fmt: skip
    for name in ("krippendorff_alpha_interval", "icc_2_1", "weighted_kappa_quadratic", "gwet_ac2_linear"):
        gaps = {order: found[name]["value"] for order, found in asked.items()}
        if name == "gwet_ac2_linear":  # the order declares a value that nobody gave
            del gaps["plain"]
        assert len({round(value, 12) for value in gaps.values()}) == 1, (name, gaps)
    # numbers in an order that is not theirs are names with places
    other = document(rows, level="interval", options=Options(order=("1", "3", "2", "5")))["questions"][""]
    assert (
        other["krippendorff_alpha_interval"]["value"]
        != asked["plain"]["krippendorff_alpha_interval"]["value"]
    )
    skipped = document(rows, level="interval", options=Options(order=("1", "2", "3", "5")))["questions"][""]
    assert skipped["krippendorff_alpha_interval"] == asked["plain"]["krippendorff_alpha_interval"]


def test_two_raters_scores_are_correlated_where_they_have_an_order():
    numbers = only_question([f"{i},{r},{(i + (r == 'y') * (i % 2)) % 5}" for i in range(30) for r in "xy"])
    for name in ("pearson", "spearman", "kendall_tau_b", "rmse", "bias", "within_one_level"):
        assert numbers["pairs"][0][name]["value"] is not None, name
    words = only_question([f"{i},{r},{'red' if i % 2 else 'blue'}" for i in range(30) for r in "xy"])
    assert words["pairs"][0]["pearson"]["reason"] == "LEVEL"


def test_the_text_names_the_primary_coefficient_the_unit_and_puts_the_rest_under_more():
    rows = [f"{i},{r},{(i + (r == 'y')) % 3}" for i in range(40) for r in "xy"]
    text = agreement_text(document(rows))
    first, more = text.split("more:")
    assert "krippendorff_alpha_interval" in first
    assert "one item at a time" in first
    assert "cohen_kappa" in more
    assert "cohen_kappa" not in first


@pytest.mark.parametrize("level", [None, "interval"])
def test_a_number_that_is_too_large_does_not_make_words_of_the_others(level):
    with pytest.raises(TableError, match=r"1e61 is too large: numbers go up to 1e\+60"):
        document(["s1,a,1", "s1,b,2", "s2,a,1e61", "s2,b,2"], level=level)


def test_where_everybody_said_the_same_somebody_could_have_said_something_else():
    """Of five items at most 1 - .025^(1/5) could be of a kind that went unseen."""
    found = only_question([f"s{item},{rater},yes" for item in range(5) for rater in "ab"])
    assert found["percent"]["ci"] == pytest.approx([0.025**0.2, 1])
    assert found["gwet_ac1"]["ci"][0] < 0.5
    assert found["cohen_kappa"]["reason"] == "ONE_CATEGORY"
