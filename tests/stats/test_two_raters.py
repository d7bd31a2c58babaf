"""Two raters' scores: against scipy and a hand-written oracle on 200 random tables, and with clusters."""

import math

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from stats.agreement import two_raters
from stats.agreement.icc import FORMS, intraclass
from stats.agreement.two_raters import RELATIONS, relations
from stats.core.bootstrap import generator
from stats.core.estimate import Caution
from stats.core.jackknife import jackknife_error

POINTS = np.arange(5.0)


def by_hand(table):
    """The six intraclass correlations from sums over rows and columns, written with loops."""
    n, k = len(table), len(table[0])
    grand = sum(map(sum, table)) / (n * k)
    rows = [sum(row) / k for row in table]
    columns = [sum(row[j] for row in table) / n for j in range(k)]
    msr = k * sum((r - grand) ** 2 for r in rows) / (n - 1)
    msc = n * sum((c - grand) ** 2 for c in columns) / (k - 1)
    squares = [(table[i][j] - rows[i] - columns[j] + grand) ** 2 for i in range(n) for j in range(k)]
    mse = sum(squares) / ((n - 1) * (k - 1))
    msw = sum((table[i][j] - rows[i]) ** 2 for i in range(n) for j in range(k)) / (n * (k - 1))
    return {
        "icc_1_1": (msr - msw) / (msr + (k - 1) * msw),
        "icc_2_1": (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n),
        "icc_3_1": (msr - mse) / (msr + (k - 1) * mse),
        "icc_1_k": (msr - msw) / msr,
        "icc_2_k": (msr - mse) / (msr + (msc - mse) / n),
        "icc_3_k": (msr - mse) / msr,
    }


@pytest.mark.slow
def test_two_hundred_random_tables_agree_with_scipy_and_by_hand():
    rng = generator(12)
    for _ in range(200):
        n = int(rng.integers(5, 40))
        truth = rng.integers(0, 5, n)
        first, second = (np.clip(truth + rng.integers(-1, 2, n), 0, 4) for _ in range(2))
        if np.ptp(first) == 0 or np.ptp(second) == 0:
            continue
        found = relations(first, second, POINTS)
        wanted = {
            "pearson": pearsonr(first, second).statistic,
            "spearman": spearmanr(first, second).statistic,
            "kendall_tau_b": kendalltau(first, second).statistic,
            "rmse": math.sqrt(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / n),
            "bias": sum(first) / n - sum(second) / n,
            "within_one_level": sum(abs(a - b) <= 1 for a, b in zip(first, second, strict=True)) / n,
        }
        for name, value in wanted.items():
            assert found[name].value == pytest.approx(value, abs=1e-9), name
            if found[name].ci is not None:
                assert found[name].ci[0] - 1e-12 <= value <= found[name].ci[1] + 1e-12, name
        table = np.column_stack([first, second])
        plain, oracle = intraclass(table), by_hand(table.tolist())
        clustered = intraclass(table, clusters=np.arange(n) // 2)
        for form in FORMS:
            assert plain[form].value == pytest.approx(oracle[form], abs=1e-9), form
            assert clustered[form].value == pytest.approx(oracle[form], abs=1e-9), form


def test_copies_in_a_cluster_make_no_interval_narrower():
    rng = generator(3)
    first = rng.integers(0, 5, 40)
    second = np.clip(first + rng.integers(-1, 2, 40), 0, 4)
    alone = relations(first, second, POINTS, clusters=np.arange(40))
    copied = relations(
        *(np.repeat(one, 4) for one in (first, second)), POINTS, clusters=np.repeat(np.arange(40), 4)
    )
    for name, estimate in alone.items():
        assert copied[name].value == pytest.approx(estimate.value), name
        assert copied[name].se == pytest.approx(estimate.se, rel=0.05), name
        assert copied[name].clusters == 40


def test_equal_scores_have_widths_that_the_items_bound():
    found = relations(np.arange(40) % 5, np.arange(40) % 5, POINTS)
    # 1 - .025 ** (1 / 40) = .0881 of the items may be unseen, each off by at most 4 levels.
    assert found["bias"].ci == pytest.approx((-0.3524, 0.3524), abs=1e-3)
    assert found["rmse"].ci == pytest.approx((0, 4 * math.sqrt(0.0881)), abs=1e-3)
    assert found["within_one_level"].ci[0] == pytest.approx(0.9124, abs=1e-3)  # Wilson, 40 of 40
    assert all(Caution.NO_SPREAD in found[name].warnings for name in ("bias", "rmse", "within_one_level"))


@pytest.mark.parametrize("small", [2, 50], ids=["large clusters", "small clusters"])
@pytest.mark.parametrize("related", [False, True])
def test_the_error_of_tau_is_that_of_taus_without_each_unit(related, small, monkeypatch):
    monkeypatch.setattr(two_raters, "_SMALL", small)
    rng = generator(5)
    for _ in range(60):
        n = int(rng.integers(6, 20))
        first, second = rng.integers(0, 4, n), rng.integers(0, 3, n)
        clusters = np.arange(n) * 2 // 5 if related else None  # of two and three items
        units = np.arange(n) if clusters is None else clusters
        found = relations(first, second, POINTS, clusters=clusters)["kendall_tau_b"]
        with np.errstate(invalid="ignore"):
            left = [
                kendalltau(first[units != at], second[units != at]).statistic for at in range(max(units) + 1)
            ]
        error = jackknife_error(np.nan_to_num(left), np.ones(len(left), dtype=np.int64))
        if found.value is not None and error is not None and error[0] > 1e-12:
            assert found.se == pytest.approx(error[0], abs=1e-9)


def test_correlations_of_proofs_that_mostly_fail_have_intervals_that_hold():
    """Yes for a tenth, and two raters who are wrong in 7 %: the phi coefficient, whichever its name.

    Textbook intervals held it in .76 (Fisher), .79 (Bonett and Wright) and .55 (Fieller and others) of the cases."""
    yes, wrong = 0.1, 0.07
    share = yes * (1 - wrong) + (1 - yes) * wrong
    truth = (yes * (1 - wrong) ** 2 + (1 - yes) * wrong**2 - share**2) / (share * (1 - share))
    rng, held = generator(6), dict.fromkeys(RELATIONS[:3], 0)
    for _ in range(200):
        right = rng.random(60) < yes
        first, second = (np.asarray(right ^ (rng.random(60) < wrong), dtype=np.int64) for _ in range(2))
        found = relations(first, second, POINTS[:2])
        for name in held:
            ends = found[name].ci
            held[name] += ends is not None and ends[0] <= truth <= ends[1]
    assert {name: count / 200 >= 0.93 for name, count in held.items()} == dict.fromkeys(held, True), held


def test_one_item_with_points_leaves_an_interval_or_a_reason():
    """Without it all scores are equal but for rounding: correlations were 0/0 or infinite, and a failure."""
    for n in range(4, 60):
        points = np.zeros(n, dtype=np.int64)
        points[n // 2] = 3
        for name, found in relations(points, points, POINTS, clusters=np.arange(n)).items():
            assert found.ci is None or -1 <= found.ci[0] <= found.ci[1] <= 1 or name in ("rmse", "bias"), name
        other = points.copy()
        other[0] = 1
        found = relations(points, other, POINTS, clusters=np.arange(n))["pearson"]
        assert found.se is None or found.se <= 2
