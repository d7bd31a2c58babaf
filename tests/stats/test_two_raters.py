"""Two raters' scores: against scipy and a hand-written oracle on 200 random tables, and with clusters."""

import math

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from stats.agreement.icc import FORMS, intraclass
from stats.agreement.two_raters import relations
from stats.core.bootstrap import generator
from stats.core.estimate import Caution

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
