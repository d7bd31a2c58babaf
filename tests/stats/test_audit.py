"""Judge against expert, in sample and weighted by the design (STATISTICS.md 2A Table 10, 2E, 3 i)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from stats.audit.confusion import METRICS, Confusion, coefficient, delta_se, gradient, in_sample
from stats.audit.weighted import AuditStratum, design_weighted, linearised_se, population_table
from stats.core.display import percent, rounded
from stats.core.estimate import Caution, Reason
from stats.core.intervals import wilson

STRATA = [AuditStratum("yes", 300, 40, 10, 0, 0), AuditStratum("no", 700, 0, 0, 5, 45)]  # 2E


# 2A, R Table 10.
@pytest.mark.parametrize(
    ("table", "agreement", "precision", "f1", "kappa", "se"),
    [
        ((42, 3, 0, 111), 98.0769, 93.3333, 96.5517, 0.9522059, 0.0272961),
        ((42, 3, 0, 110), 98.0645, 93.3333, 96.5517, 0.9520866, 0.0273624),
    ],
)
def test_re2math_table_10_is_reproduced(table, agreement, precision, f1, kappa, se):
    found = in_sample(Confusion(*table))
    assert 100 * found["agreement"].value == pytest.approx(agreement, abs=5e-5)
    assert 100 * found["precision"].value == pytest.approx(precision, abs=5e-5)
    assert found["recall"].value == 1
    assert 100 * found["f1"].value == pytest.approx(f1, abs=5e-5)
    assert found["kappa"].value == pytest.approx(kappa, abs=5e-8)
    assert found["kappa"].se == pytest.approx(se, abs=5e-8)


def test_the_published_roundings_of_table_10_come_out():
    # Published 98.1 / 93.3 / 96.6 / .952.
    assert percent(153, 156) == "98.1"
    assert percent(42, 45) == "93.3"
    assert percent(84, 87) == "96.6"
    assert rounded(in_sample(Confusion(42, 3, 0, 111))["kappa"].value) == "0.952"


def test_the_wald_end_of_kappa_is_clipped_at_one():
    # 2A: .9522 + 1.96 x .0273 = 1.0057.
    low, high = in_sample(Confusion(42, 3, 0, 111))["kappa"].ci
    assert (low, high) == pytest.approx((0.9522059 - 1.959964 * 0.0272961, 1), abs=1e-6)


def test_the_weighted_figures_match_the_survey_package():
    found = design_weighted(STRATA, seed=1)
    assert found["precision"].value == pytest.approx(0.8, abs=1e-12)
    assert found["precision"].se == pytest.approx(0.0521641, abs=5e-8)
    assert found["recall"].value == pytest.approx(0.7741935, abs=5e-8)
    assert found["recall"].se == pytest.approx(0.0730910, abs=5e-8)
    assert found["f1"].value == pytest.approx(0.786885, abs=5e-7)
    assert found["agreement"].value == pytest.approx(0.87, abs=1e-12)
    assert found["kappa"].value == pytest.approx(0.6933962, abs=5e-8)


def test_the_unweighted_figures_of_a_stratified_audit_flatter_the_judge():
    # 2E: unweighted recall .8889 (40/45) and kappa .70.
    found = in_sample(Confusion(40, 10, 5, 45))
    assert found["recall"].value == pytest.approx(40 / 45)
    assert found["kappa"].value == pytest.approx(0.70, abs=1e-12)


def test_clean_audits_of_negatives_leave_recall_open():
    # 3 i, pooled: weighted kappa .9644 at the point; recall's posterior has 95 % limits .49 and 1.00.
    strata = [
        AuditStratum("success", 45, 42, 3, 0, 0),
        AuditStratum("grounded", 300, 0, 0, 0, 70),
        AuditStratum("unsupported", 1055, 0, 0, 0, 60),
    ]
    found = design_weighted(strata, seed=1)
    assert found["kappa"].value == pytest.approx(0.9644, abs=5e-5)
    assert found["recall"].value == 1
    assert found["recall"].ci == pytest.approx((0.49, 1.0), abs=0.01)
    assert found["kappa"].ci[0] == pytest.approx(0.631, abs=0.01)


def test_a_complete_audit_equals_the_in_sample_figures():
    strata = [AuditStratum("yes", 45, 42, 3, 0, 0), AuditStratum("no", 111, 0, 0, 0, 111)]
    found = design_weighted(strata, seed=1)
    kappa = found["kappa"]
    assert kappa.value == pytest.approx(0.9522059, abs=5e-8)
    assert (kappa.se, kappa.ci, kappa.warnings) == (0, (kappa.value, kappa.value), (Caution.CENSUS,))


def test_ineligible_units_keep_their_weight_out_of_the_ratio_but_widen_it():
    # A drawn unit without a yes/no side belongs to n_h: the others still represent 300/50 units each.
    some = [AuditStratum("yes", 300, 30, 10, 0, 0, ineligible=10), STRATA[1]]
    assert population_table(some).tp == pytest.approx(30 * 6)
    assert linearised_se("precision", some) > linearised_se("precision", STRATA)


def test_an_unaudited_stratum_leaves_the_weighted_figures_undefined():
    found = design_weighted([STRATA[0], AuditStratum("no", 700, 0, 0, 0, 0)], seed=1)
    assert {found[metric].reason for metric in METRICS} == {Reason.EMPTY_STRATUM}


def test_a_share_that_one_paper_alone_keeps_defined_is_between_0_and_1():
    """All that the judge accepts, rightly or wrongly, is of one paper of three."""
    for right in (True, False):
        tables = np.array([[right, not right, 0, 3], [0, 0, 0, 4], [0, 0, 0, 4]], dtype=float)
        found = in_sample(Confusion(*tables.sum(axis=0)), clusters=tables)["precision"]
        low, high = found.ci
        assert found.value == right
        assert 0 <= low <= found.value <= high <= 1
        assert high - low > 0.5
    right = np.array([[1, 0, 0, 3], [0, 0, 0, 4], [0, 0, 0, 4]], dtype=float)
    earlier = in_sample(Confusion(*right.sum(axis=0)), clusters=right, fisher_at_ends=True)["precision"]
    assert earlier.ci == pytest.approx((-1, 1)), "as artifacts by methods before 19 have it"


def test_one_wrong_answer_of_many_papers_makes_no_share_more_uncertain_than_none():
    """All 42 that experts accept are of 24 papers; the judge misses none or one of them."""
    tables = np.array([[2, 0, 0, 1]] * 18 + [[1, 0, 0, 1]] * 6, dtype=float)
    whole = in_sample(Confusion(*tables.sum(axis=0)), clusters=tables)["recall"]
    tables[-1] = [0, 0, 1, 1]
    total = Confusion(*tables.sum(axis=0))
    missed = in_sample(total, clusters=tables)["recall"]
    assert (whole.k, missed.k, whole.n, missed.n) == (42, 41, 42, 42)
    assert abs(missed.ci[0] - whole.ci[0]) < 0.05
    assert missed.ci[0] < missed.value < missed.ci[1]
    earlier = in_sample(total, clusters=tables, least_degrees=1)["recall"]
    assert earlier.ci[0] < 0.3, "as artifacts by methods before 20 have it"


def test_a_share_of_few_papers_has_no_more_degrees_of_freedom_than_these_allow():
    """Three papers have two degrees, whatever the least number is."""
    tables = np.array([[4, 0, 0, 0], [4, 0, 0, 0], [3, 0, 1, 0]], dtype=float)
    found = in_sample(Confusion(*tables.sum(axis=0)), clusters=tables)["recall"]
    trials = 11 / 12 * (1 / 12) / found.se**2
    assert found.ci == pytest.approx(wilson(11 / 12 * trials, trials, quantile=t.ppf(0.975, 2)))


def test_undefined_coefficients_are_null_with_their_reason():
    all_no = in_sample(Confusion(0, 0, 0, 9))
    assert all_no["precision"].reason == Reason.ZERO_DENOM
    assert all_no["recall"].reason == Reason.ZERO_DENOM
    assert all_no["kappa"].reason == Reason.ONE_CATEGORY
    assert all_no["agreement"].value == 1
    empty = in_sample(Confusion(0, 0, 0, 0))
    assert {empty[metric].reason for metric in METRICS} == {Reason.NO_ITEMS}


def test_kappa_agrees_with_statsmodels():
    from statsmodels.stats.inter_rater import cohens_kappa

    oracle = cohens_kappa([[40, 10], [5, 45]])
    table = Confusion(40, 10, 5, 45)
    assert coefficient("kappa", table) == pytest.approx(oracle.kappa, abs=1e-12)
    assert delta_se("kappa", table) == pytest.approx(oracle.std_kappa, abs=1e-12)


cells = st.integers(1, 60)


@given(st.tuples(cells, cells, cells, cells), st.sampled_from(METRICS))
def test_the_derivatives_are_the_derivatives(counts, metric):
    slopes = gradient(metric, Confusion(*counts))
    for at in range(4):
        ends = []
        for step in (-1e-4, 1e-4):
            moved = list(map(float, counts))
            moved[at] += step
            ends.append(coefficient(metric, Confusion(*moved)))
        assert slopes[at] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=1e-5)


@given(st.tuples(cells, cells, cells, cells), st.integers(2, 5), st.sampled_from(METRICS))
def test_duplicating_every_pair_leaves_the_coefficient(counts, times, metric):
    many = Confusion(*(times * count for count in counts))
    assert coefficient(metric, many) == pytest.approx(coefficient(metric, Confusion(*counts)), abs=1e-12)


@given(st.tuples(cells, cells, cells, cells))
def test_kappa_does_not_care_which_answer_is_called_positive(counts):
    tp, fp, fn, tn = counts
    swapped = Confusion(tn, fn, fp, tp)
    assert coefficient("kappa", swapped) == pytest.approx(coefficient("kappa", Confusion(*counts)), abs=1e-12)


@pytest.mark.slow
def test_the_weighted_recall_interval_covers_the_truth():
    # Population of 1,000: 240 of 300 judged yes and 70 of 700 judged no are true; recall 240/310.
    rng, inside, studies = np.random.default_rng(3), 0, 200
    for _ in range(studies):
        tp, fn = rng.hypergeometric(240, 60, 50), rng.hypergeometric(70, 630, 50)
        strata = [
            AuditStratum("yes", 300, int(tp), int(50 - tp), 0, 0),
            AuditStratum("no", 700, 0, 0, int(fn), int(50 - fn)),
        ]
        low, high = design_weighted(strata, seed=1, draws=1000)["recall"].ci
        inside += low <= 240 / 310 <= high
    # Nominal 95 % within three binomial standard errors of 200 studies (.046).
    assert inside / studies == pytest.approx(0.95, abs=0.046)
