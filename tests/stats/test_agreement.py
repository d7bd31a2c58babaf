"""Agreement coefficients against the golden values of STATISTICS.md 2A (table A) and 2C."""

import krippendorff as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import cohen, gwet
from stats.agreement import krippendorff as kripp
from stats.agreement.bundle import COEFFICIENTS, Request, agreement, coefficient_functions
from stats.agreement.first_methods import f_intraclass
from stats.agreement.icc import FORMS, intraclass, mean_squares
from stats.agreement.rater_pairs import DroppedPair, describe_pair, rater_pairs
from stats.agreement.sums import agreement_sums
from stats.core.bootstrap import generator, percentile_interval, resampled_pattern_sums
from stats.core.estimate import Caution, Reason
from stats.tables.ratings import Ratings, from_matrix
from tests.stats.real_data import deepseek_proofs, pandalm

FLEISS = (
    "0,0,0,0,14; 0,2,6,4,2; 0,0,3,5,6; 0,3,9,2,0; 2,2,8,1,1; 7,7,0,0,0; 3,2,6,3,0; 2,5,3,2,2; 6,5,2,1,0; "
    "0,2,2,3,7"
)
CANONICAL = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."
THREE = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# 2A, table A: (correct, inconclusive, incorrect) per problem; Aletheia answered six of ten.
FIRST_PROOF = {
    "GPT-5.2R": "120 210 005 500 400 230 004 005 140 500",
    "Aletheia": "300 400 400 320 500 500",
    "Opus": "003 003 005 005 004 005 004 005 005 320",
    "AgenticR": "003 003 005 032 400 023 004 005 500 500",
    "RMA": "300 300 005 500 400 500 400 230 500 500",
    "GPT-DR": "003 003 005 005 004 005 004 005 005 005",
    "Gem-DR": "003 003 005 005 004 005 004 005 005 005",
}


def canonical() -> Ratings:
    rows = [[None if mark == "." else int(mark) for mark in unit] for unit in CANONICAL.split()]
    return from_matrix(rows, [1, 2, 3, 4, 5])


def first_proof(*systems: str) -> Ratings:
    """Codes 0 incorrect, 1 inconclusive, 2 correct; the experts of a problem are interchangeable."""
    rows = []
    for system in systems or FIRST_PROOF:
        for counts in FIRST_PROOF[system].split():
            marks = [code for code, count in zip((2, 1, 0), counts, strict=True) for _ in range(int(count))]
            rows.append(marks + [None] * (5 - len(marks)))
    return from_matrix(rows, [0, 1, 2])


def bundle(ratings: Ratings, level="interval", **options):
    return agreement(ratings, Request(level=level), **options)


def two_raters(table: np.ndarray) -> Ratings:
    rows = [[i, j] for (i, j), count in np.ndenumerate(table) for _ in range(count)]
    return from_matrix(rows, list(range(len(table))))


def test_the_fleiss_example_is_reproduced():
    counts = np.array([[int(n) for n in row.split(",")] for row in FLEISS.split(";")])
    identity = np.eye(5)
    sums = gwet.item_sums(counts, identity).sum(axis=0)
    assert float(gwet.fleiss(sums)) == pytest.approx(0.2099307, abs=5e-8)
    assert float(gwet.percent(sums)) == pytest.approx(0.3780220, abs=5e-8)
    assert float(gwet.gwet(sums, identity)) == pytest.approx(0.2256142, abs=5e-8)
    alpha = kripp.alpha(kripp.coincidences(counts).sum(axis=0), "nominal", np.arange(5.0))
    assert float(alpha) == pytest.approx(0.2155741, abs=5e-8)


def test_the_canonical_krippendorff_data_are_reproduced():
    found = bundle(canonical(), level="ratio")
    golden = {
        "krippendorff_alpha_nominal": 0.7434211,
        "krippendorff_alpha_ordinal": 0.8153875,
        "krippendorff_alpha_interval": 0.8491071,
        "krippendorff_alpha_ratio": 0.7974028,
        "gwet_ac1": 0.7754441,
        "gwet_ac2_linear": 0.8587391,
        "gwet_ac2_quadratic": 0.9140007,
    }
    for name, value in golden.items():
        assert found[name].value == pytest.approx(value, abs=5e-8), name
    assert found["fleiss_kappa"].value == pytest.approx(0.76117, abs=5e-6)


def test_gwets_ordinal_weights_are_not_krippendorffs_ordinal_metric():
    weights = gwet.weights("ordinal", np.arange(5.0))
    sums = gwet.item_sums(canonical().counts(), weights).sum(axis=0)
    assert float(gwet.gwet(sums, weights)) == pytest.approx(0.8989398, abs=5e-8)


def test_a_three_by_three_table_is_reproduced():
    assert float(cohen.kappa(THREE)) == pytest.approx(0.7964094, abs=5e-8)
    found = bundle(two_raters(THREE))
    golden = {
        "cohen_kappa": 0.7964094,
        "weighted_kappa_linear": 0.8429020,
        "weighted_kappa_quadratic": 0.8921569,
        "gwet_ac1": 0.8493305,
        "gwet_ac2_linear": 0.9000227,
        "gwet_ac2_quadratic": 0.9402369,
        "krippendorff_alpha_nominal": 0.7972585,
        "percent": 0.89,
    }
    for name, value in golden.items():
        assert found[name].value == pytest.approx(value, abs=5e-8), name


def test_the_shrout_and_fleiss_table_is_reproduced():
    squares = mean_squares(SHROUT_FLEISS)
    assert (squares.rows, squares.columns, squares.error, squares.within) == pytest.approx(
        (11.241667, 32.486111, 1.019444, 6.263889), abs=5e-7
    )
    found = intraclass(SHROUT_FLEISS)
    values = (0.1657418, 0.2897638, 0.7148407, 0.4427971, 0.6200505, 0.9093155)
    assert tuple(found[form].value for form in FORMS) == pytest.approx(values, abs=5e-8)
    intervals = {
        "icc_1_1": (-0.1329, 0.7226),
        "icc_2_1": (0.0188, 0.7611),
        "icc_3_1": (0.3425, 0.9459),
        "icc_3_k": (0.6757, 0.9859),
    }
    older = f_intraclass(SHROUT_FLEISS)
    for form, ends in intervals.items():
        assert older[form].ci == pytest.approx(ends, abs=5.1e-5), form
        assert older[form].value == pytest.approx(found[form].value, abs=1e-12), form


def test_kappas_of_two_raters_have_intervals_that_hold_where_most_proofs_fail():
    """Yes for a tenth of 20 proofs, two raters who are wrong in a fifth: the delta method covers .80, Gwet's error .91.
    Agreement is .68, and chance agreement of the shares .26 and .74 is .6152."""
    rng, held = np.random.default_rng(9), {"cohen_kappa": 0, "gwet_ac1": 0}
    truth = {
        "cohen_kappa": (0.68 - 0.6152) / (1 - 0.6152),
        "gwet_ac1": (0.68 - 2 * 0.26 * 0.74) / (1 - 2 * 0.26 * 0.74),
    }
    for _ in range(300):
        yes = rng.random(20) < 0.1
        first, second = (yes ^ (rng.random(20) < 0.2) for _ in range(2))
        table = np.bincount(2 * first + second, minlength=4).reshape(2, 2)
        found = describe_pair(("a", "b"), table, np.arange(2.0), Request("nominal")).kappas
        for name in held:
            ends = found[name].ci
            held[name] += ends is not None and ends[0] <= truth[name] <= ends[1]
    assert min(held.values()) / 300 >= 0.9, held  # and 20 proofs with two of a kind say little: .917


@pytest.mark.slow
def test_intraclass_correlations_of_proofs_that_mostly_fail_have_intervals_that_hold():
    """0 points for nine proofs of ten, 3 to 7 for the others, and raters who differ by a point: not normal at all."""
    rng, held, held_by_f = np.random.default_rng(8), 0, 0

    def scores(n):
        points = np.where(rng.random(n) < 0.9, 0, rng.integers(3, 8, n))[:, None]
        return np.clip(points + np.round(rng.normal(0, 0.7, (n, 3))), 0, 7)

    truth = intraclass(scores(200_000))["icc_2_1"].value
    for _ in range(300):
        table = scores(50)
        low, high = intraclass(table)["icc_2_1"].ci
        held += low <= truth <= high
        low, high = f_intraclass(table)["icc_2_1"].ci
        held_by_f += low <= truth <= high
    assert held / 300 >= 0.93
    assert held_by_f / 300 <= 0.85


def test_every_declared_coefficient_is_computed():
    ratings = from_matrix([[0, 1], [1, 2], [2, 2]], [0, 1, 2])
    assert coefficient_functions(ratings, agreement_sums(ratings, None)).keys() == COEFFICIENTS.keys()


def test_a_declared_coefficient_that_nobody_computes_is_an_error_that_says_so(monkeypatch):
    """And is not reported as one for which there are too many categories."""
    monkeypatch.setitem(COEFFICIENTS, "scotts_pi", COEFFICIENTS["fleiss_kappa"])
    with pytest.raises(LookupError, match="scotts_pi is in COEFFICIENTS, but coefficient_functions does not"):
        agreement(from_matrix([[0, 1], [1, 2], [2, 2]], [0, 1, 2]), Request("nominal"))


def test_an_intraclass_correlation_that_is_undefined_without_one_problem_has_a_finite_error():
    """Without the third item both means are 2/3 and MSR = 0, so ICC(1,k) is undefined and 0 takes its place. The
    others leave -1/4 twice: the mean is -1/6, and the error sqrt(2/3 (1/144 + 1/144 + 4/144)) = 1/6."""
    found = intraclass([[0, 0, 2], [2, 0, 0], [2, 1, 1]], clusters=np.array([0, 2, 1]))["icc_1_k"]
    assert (found.value, found.se) == pytest.approx((-5 / 4, 1 / 6))


def test_an_intraclass_correlation_above_one_is_undefined():
    """MSR = 0, MSC = 2/3 and MSE = 2, so ICC(2,k) = (0 - 2) / (0 + (2/3 - 2) / 2) would be 3."""
    table = [[0, 0, 2], [2, 0, 0]]
    for clusters in (None, np.array([0, 1])):
        found = intraclass(table, clusters=clusters)["icc_2_k"]
        assert (found.value, found.reason) == (None, Reason.ZERO_DENOM)
    published = intraclass(table, clusters=np.array([0, 1]), beyond_one=True)["icc_2_k"]
    assert published.value == pytest.approx(3)


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(2, 4), st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_intraclass_correlations_are_the_same_with_and_without_clusters(n, k, seed):
    table = np.random.default_rng(seed).integers(0, 3, (n, k))
    alone, related = intraclass(table), intraclass(table, clusters=np.arange(n))
    for form in FORMS:
        if alone[form].value is None or related[form].value is None:
            assert alone[form].value == related[form].value, form
        else:
            assert related[form].value == pytest.approx(alone[form].value), form


@pytest.mark.slow
@given(st.integers(2, 5), st.integers(2, 3), st.integers(0, 10**6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_interval_of_agreement_in_small_tables_holds_its_value(n, k, seed, related):
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((n, k)) < 0.8, rng.integers(0, 3, (n, k)), -1)
    clusters = np.unique(rng.integers(0, n, n), return_inverse=True)[1] if related else None
    item, rater = np.nonzero(table >= 0)
    ratings = Ratings(
        item=item, rater=rater, value=table[table >= 0], n_items=n, raters=tuple("abc"[:k]),
        categories=("0", "1", "2"), points=np.arange(3.0),
    )  # fmt: skip
    for name, found in agreement(ratings, Request(level="interval"), clusters=clusters).items():
        assert found.ci is None or found.ci[0] <= found.value <= found.ci[1], name


def test_the_interval_of_a_weighted_coefficient_below_minus_one_holds_it():
    """Three items on which raters always differ by the widest step that is left: every replicate is the same."""
    given = [(0, 0, 2), (0, 1, 0), (0, 2, 1), (1, 1, 0), (1, 2, 2), (2, 0, 0), (2, 1, 2)]
    item, rater, value = map(np.array, zip(*given, strict=True))
    ratings = Ratings(
        item=item, rater=rater, value=value, n_items=3, raters=tuple("abc"), categories=tuple("012"),
        points=np.arange(3.0),
    )  # fmt: skip
    found = agreement(ratings, Request(level="interval"), clusters=np.array([1, 0, 2]))["gwet_ac2_quadratic"]
    assert found.value < -1
    assert found.ci[0] <= found.value <= found.ci[1]


@pytest.mark.parametrize(
    ("cells", "po", "kappa", "ac1"),
    [
        ((40, 9, 6, 45), 0.85, 0.6995, 0.7007),
        ((80, 10, 5, 5), 0.85, 0.3182, 0.8080),
        ((118, 5, 2, 0), 0.944, -0.0234, 0.9408),
        ((45, 15, 25, 15), 0.60, 0.1304, None),
        ((25, 35, 5, 35), 0.60, 0.2593, None),
    ],
)
def test_the_prevalence_paradox_set_is_reproduced(cells, po, kappa, ac1):
    found = bundle(two_raters(np.array(cells).reshape(2, 2)), level="nominal")
    assert found["percent"].value == pytest.approx(po, abs=1e-9)
    assert found["cohen_kappa"].value == pytest.approx(kappa, abs=5e-5)
    if ac1 is not None:
        assert found["gwet_ac1"].value == pytest.approx(ac1, abs=5e-5)


def test_a_paradoxical_table_is_shown_with_what_explains_it():
    table = np.array([[80, 10], [5, 5]])
    assert cohen.prevalence_index(table) == pytest.approx(0.75)
    assert cohen.bias_index(table) == pytest.approx(0.05)
    assert cohen.kappa_max(table) == pytest.approx(0.7727, abs=5e-5)
    assert gwet.specific_agreement(two_raters(table).counts()) == pytest.approx([0.9143, 0.40], abs=5e-5)
    assert Caution.PREVALENCE_PARADOX in cohen.cautions(table)


def test_judges_with_very_different_margins_cannot_agree():
    # 2A, L Table 4, Opus proofs: margins 6 and 60 of 358 allow kappa <= .156; nested case.
    table = np.array([[6, 0], [54, 298]])
    assert cohen.kappa_max(table) == pytest.approx(0.156, abs=5e-4)
    assert Caution.MARGIN_CAP in cohen.cautions(table)


def test_the_first_proof_agreement_is_reproduced():
    found = bundle(first_proof())
    assert found["krippendorff_alpha_nominal"].value == pytest.approx(0.845750, abs=5e-7)
    assert found["krippendorff_alpha_ordinal"].value == pytest.approx(0.961273, abs=5e-7)
    assert found["krippendorff_alpha_interval"].value == pytest.approx(0.951996, abs=5e-7)
    assert found["fleiss_kappa"].value == pytest.approx(0.848218, abs=5e-7)
    assert found["gwet_ac1"].value == pytest.approx(0.889877, abs=5e-7)
    assert found["percent"].value == pytest.approx(0.919192, abs=5e-7)


def resampled_ordinal_alpha(ratings, clusters=None):
    """The papers' interval: percentiles of alpha over resampled units."""
    sums = agreement_sums(ratings, clusters)
    drawn = resampled_pattern_sums(sums.rows, sums.counts, replicates=2_000, rng=generator(1))
    return percentile_interval(kripp.alpha(sums.part(drawn, "coincidences"), "ordinal", ratings.points), 0.95)


def test_the_first_proof_intervals_are_reproduced_for_items_and_for_problems():
    problems = [p for name in FIRST_PROOF for p in ((1, 4, 6, 7, 8, 9) if name == "Aletheia" else range(10))]
    assert resampled_ordinal_alpha(first_proof()) == pytest.approx((0.922, 0.987), abs=0.008)
    clustered = resampled_ordinal_alpha(first_proof(), np.array(problems))
    assert clustered == pytest.approx((0.931, 0.986), abs=0.008)
    # What is shown is wider downwards: ten problems, and few of their labels are not "incorrect".
    shown = bundle(first_proof(), clusters=np.array(problems))["krippendorff_alpha_ordinal"]
    assert shown.clusters == 10
    assert Caution.FEW_CLUSTERS in shown.warnings
    assert shown.ci[0] < 0.931
    assert shown.ci[1] == pytest.approx(0.986, abs=0.01)


def test_perfect_agreement_of_forty_items_has_a_width():
    found = bundle(from_matrix([[0, 0, 0]] * 25 + [[1, 1, 1]] * 15, [0, 1]))
    # 40 items that never showed a kind bound its share by 1 - .025 ** (1 / 40) = .0881, so 3.86 more may be missing:
    # with one of three raters differing these agree by 1/3, (40 + 3.86 / 3) / 43.86 = .941.
    assert found["percent"].ci == pytest.approx((0.941, 1.0), abs=1e-3)
    for name in ("fleiss_kappa", "krippendorff_alpha_nominal", "gwet_ac1"):
        assert 0.8 < found[name].ci[0] < 0.95, name
        assert found[name].ci[1] == 1, name
        assert Caution.NO_SPREAD in found[name].warnings
    pair = rater_pairs(from_matrix([[0, 0]] * 25 + [[1, 1]] * 15, [0, 1]), Request(level="nominal"))[0][0]
    for estimate in pair.kappas["cohen_kappa"], pair.kappas["gwet_ac1"], pair.percent:
        assert estimate.ci[0] < 0.95 < 1 == estimate.ci[1]


@pytest.mark.parametrize("clustered", [False, True])
def test_items_that_one_rater_labelled_say_nothing_about_agreement(clustered):
    """Neither in n nor in the width: 5 doubly labelled items bound what they never showed by 1 - .025 ** (1 / 5)."""
    shared, single = [[0, 0]] * 5, [[0, None]] * 195
    clusters = {"clusters": np.arange(200)} if clustered else {}
    found = bundle(from_matrix(shared + single, [0, 1]), **clusters)["percent"]
    alone = bundle(from_matrix(shared, [0, 1]))["percent"]
    assert (found.value, found.n, found.clusters) == (1, 5, 5 if clustered else None)
    assert found.ci == pytest.approx(alone.ci)
    assert found.ci[0] == pytest.approx(0.025 ** (1 / 5))
    assert Caution.LOW_N in found.warnings
    older = agreement(from_matrix(shared + single, [0, 1]), Request(level="nominal", older=True), **clusters)[
        "percent"
    ]
    assert (older.n, Caution.LOW_N in older.warnings) == (200, False)
    assert older.ci[0] > found.ci[0]


@pytest.mark.parametrize(("second", "ends"), [(0, (0.025, 1)), (1, (0, 0.975))])
def test_one_pair_of_labels_leaves_percent_agreement_nearly_open(second, ends):
    found = bundle(from_matrix([[0, second], *[[mark, None] for mark in (0, 1) * 9]], [0, 1]))["percent"]
    assert found.value == 1 - second
    assert found.ci == pytest.approx(ends)


def test_a_kappa_of_0_from_a_rater_who_never_varies_has_a_width():
    found = bundle(from_matrix([[0, 0]] * 30 + [[1, 0]] * 20, [0, 1]))["cohen_kappa"]
    assert found.value == 0
    assert found.ci[0] < -0.02
    assert found.ci[1] > 0.05
    assert Caution.NO_SPREAD in found.warnings


def test_few_rare_labels_are_warned_of():
    rare = [[0, 0]] * 55 + [[1, 1]] * 3 + [[0, 1]] * 2
    assert Caution.FEW_MINORITY in bundle(from_matrix(rare, [0, 1]))["krippendorff_alpha_nominal"].warnings
    even = [[0, 0]] * 30 + [[1, 1]] * 28 + [[0, 1]] * 2
    assert (
        Caution.FEW_MINORITY not in bundle(from_matrix(even, [0, 1]))["krippendorff_alpha_nominal"].warnings
    )


@pytest.mark.parametrize(
    ("system", "nominal", "ordinal"),
    [
        ("GPT-5.2R", 0.687903, 0.838319),
        ("Aletheia", 0.21875, 0.21875),
        ("Opus", 0.679104, 0.995744),
        ("AgenticR", 0.763303, 0.881303),
        ("RMA", 0.787129, 0.8257),
    ],
)
def test_the_agreement_of_each_first_proof_system_is_reproduced(system, nominal, ordinal):
    found = bundle(first_proof(system))
    assert found["krippendorff_alpha_nominal"].value == pytest.approx(nominal, abs=5e-7)
    assert found["krippendorff_alpha_ordinal"].value == pytest.approx(ordinal, abs=5e-7)


def test_one_category_leaves_chance_corrected_agreement_undefined_and_not_zero():
    found = bundle(first_proof("GPT-DR"))
    assert found["percent"].value == 1
    assert found["gwet_ac1"].value == 1
    for name in ("fleiss_kappa", "krippendorff_alpha_nominal", "krippendorff_alpha_interval"):
        assert (found[name].value, found[name].reason) == (None, Reason.ONE_CATEGORY), name


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], Reason.NO_ITEMS),
        ([[1], [2]], Reason.ONE_RATER),
        ([[1, None], [None, 2]], Reason.NO_PAIRABLE),
    ],
)
def test_data_without_overlap_give_reasons(rows, reason):
    found = bundle(from_matrix(rows, [1, 2]))
    assert {found[name].reason for name in COEFFICIENTS if name != "krippendorff_alpha_ratio"} == {reason}


def test_a_level_that_the_data_do_not_have_is_a_reason():
    found = bundle(canonical(), level="nominal")
    assert found["krippendorff_alpha_ordinal"].reason == Reason.LEVEL
    assert found["icc_2_1"].reason == Reason.LEVEL
    assert found["cohen_kappa"].reason == Reason.NOT_TWO_RATERS


def test_continuous_scores_have_interval_alpha_and_no_categories():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=60)
    rows = [[round(float(t + e), 6) for e in rng.normal(scale=0.5, size=2)] for t in truth]
    values = sorted({score for row in rows for score in row})
    found = bundle(from_matrix(rows, values))
    expected = oracle.alpha(reliability_data=np.array(rows).T, level_of_measurement="interval")
    assert found["krippendorff_alpha_interval"].value == pytest.approx(expected, abs=1e-9)
    assert found["krippendorff_alpha_nominal"].reason == Reason.TOO_MANY_CATEGORIES


ratings_tables = st.lists(
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=3, max_size=3), min_size=2, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(ratings_tables, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_agrees_with_an_independent_implementation(rows, level):
    ratings = from_matrix(rows, [0, 1, 2, 3])
    value = float(kripp.alpha(kripp.coincidences(ratings.counts()).sum(axis=0), level, ratings.points))
    data = np.array([[np.nan if mark is None else mark for mark in row] for row in rows]).T
    pairable = data[:, (~np.isnan(data)).sum(axis=0) >= 2]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert np.isnan(value)
    else:
        expected = oracle.alpha(reliability_data=data, level_of_measurement=level, value_domain=[0, 1, 2, 3])
        assert value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(ratings_tables, st.permutations(range(4)), st.randoms())
def test_nominal_coefficients_ignore_names_and_order(rows, renaming, random):
    renamed = [[None if mark is None else renaming[mark] for mark in row] for row in rows]
    for row in renamed:
        random.shuffle(row)
    random.shuffle(renamed)
    plain, other = (bundle(from_matrix(table, [0, 1, 2, 3]), level="nominal") for table in (rows, renamed))
    for name in ("percent", "fleiss_kappa", "krippendorff_alpha_nominal", "gwet_ac1"):
        if plain[name].reason not in (Reason.ONE_RATER, Reason.NO_PAIRABLE):
            assert other[name].value == pytest.approx(plain[name].value, abs=1e-9), name


@settings(max_examples=40, deadline=None)
@given(ratings_tables)
def test_duplicating_every_item_leaves_item_averages(rows):
    plain, twice = (bundle(from_matrix(table, [0, 1, 2, 3]), level="nominal") for table in (rows, rows * 2))
    for name in ("percent", "fleiss_kappa", "gwet_ac1"):
        assert twice[name].value == pytest.approx(plain[name].value, abs=1e-9), name


def test_a_rater_who_answers_an_item_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        Ratings(
            item=np.array([0, 0]),
            rater=np.array([0, 0]),
            value=np.array([0, 1]),
            n_items=1,
            raters=("a",),
            categories=("0", "1"),
            points=np.arange(2.0),
        )


def test_two_raters_with_one_value_alone_have_the_intervals_of_all_raters():
    ratings, clusters = from_matrix([["yes", "yes"]] * 20, ["yes"]), np.repeat(np.arange(5), 4)
    request = Request(level="nominal")
    for units in (None, clusters):
        together = agreement(ratings, request, clusters=units)
        [pair], _ = rater_pairs(ratings, request, clusters=units)
        assert pair.kappas["gwet_ac1"].ci == together["gwet_ac1"].ci
        assert pair.percent.ci[0] < pair.percent.ci[1] == 1
        assert pair.table.tolist() == [[20]]
    assert pair.percent.ci == together["percent"].ci


def test_pairs_of_raters_with_little_overlap_are_dropped_by_name():
    rows = [[0, 1, None]] * 9 + [[0, None, 1]] * 12
    kept, dropped = rater_pairs(from_matrix(rows, [0, 1]), Request(level="nominal"))
    assert [pair.raters for pair in kept] == [("0", "2")]
    assert kept[0].n_items == 12
    assert dropped == [DroppedPair(("0", "1"), 9)]


def test_the_pandalm_annotators_agree_as_published():
    # shared/data/README.md: kappa .8520, .8789, .8617; Fleiss .86418; alpha .86422.
    rows = [[pair[f"annotator{a}"] for a in (1, 2, 3)] for pair in pandalm()]
    ratings = from_matrix(rows, [0, 1, 2])
    request = Request(level="nominal")
    pairs, _ = rater_pairs(ratings, request)
    kappas = sorted(pair.kappas["cohen_kappa"].value for pair in pairs)
    assert kappas == pytest.approx([0.8520, 0.8617, 0.8789], abs=5e-5)
    found = agreement(ratings, request)
    assert found["fleiss_kappa"].value == pytest.approx(0.86418, abs=5e-6)
    assert found["krippendorff_alpha_nominal"].value == pytest.approx(0.86422, abs=5e-6)
    assert sum(len(set(row)) == 1 for row in rows) == 879


def test_the_deepseek_verifier_agrees_with_human_full_marks_as_published():
    # shared/data/README.md: TP 65, FP 7, FN 0, TN 12, accuracy .91667, kappa .72626.
    rows = [[int(p["verifier"] == 1), int(p["points"] == p["maximum"])] for p in deepseek_proofs()]
    found = bundle(from_matrix(rows, [1, 0]), level="nominal")
    assert found["percent"].value == pytest.approx(0.91667, abs=5e-6)
    assert found["cohen_kappa"].value == pytest.approx(0.72626, abs=5e-6)
