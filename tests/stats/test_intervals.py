"""Golden intervals of STATISTICS.md 2A and 3(i), (vii)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.estimate import Reason
from stats.core.intervals import clopper_pearson, missing_bounds, proportion, t_value, wilson, z_value

# 2A, R Table 8, n = 200, percent.
TABLE_8 = {
    14: (4.2152, 11.4055),
    7: (1.7056, 7.0471),
    6: (1.3820, 6.3894),
    5: (1.0725, 5.7178),
    4: (0.7804, 5.0287),
    2: (0.2747, 3.5722),
    0: (0.0, 1.8845),
    200: (98.1155, 100.0),
}
# 2A, R Tables 5, 12, 2; section 1.1 domain strata; M and A tables, percent.
OTHERS = {
    (110, 120): (85.34, 95.41),
    (120, 120): (96.90, 100),
    (98, 120): (73.80, 87.57),
    (116, 120): (91.74, 98.70),
    (39, 42): (80.99, 97.54),
    (3, 3): (43.85, 100),
    (42, 45): (82.14, 97.71),
    (9, 71): (6.81, 22.37),
    (2, 74): (0.74, 9.33),
    (1, 74): (0.24, 7.27),
    (5, 71): (3.05, 15.45),
    (5, 67): (3.23, 16.31),
    (0, 40): (0, 8.76),
    (1, 40): (0.44, 12.88),
    (2, 40): (1.38, 16.50),
    (3, 40): (2.58, 19.86),
    (4, 40): (3.96, 23.05),
    (200, 254): (73.30, 83.32),
    (10, 12): (55.2, 95.3),
    (8, 12): (39.1, 86.2),
    (16, 20): (58.4, 91.9),
    (1232, 1273): (95.66, 97.62),
    (19, 28): (49.34, 82.07),
    (25, 28): (72.80, 96.29),
    (291, 292): (98.09, 99.94),
    (8, 10): (49.0, 94.3),
    (5, 10): (23.7, 76.3),
    (3, 10): (10.8, 60.3),
    (50, 111): (36.11, 54.31),
    (42, 111): (29.37, 47.12),
    (30, 111): (19.64, 35.95),
    (22, 111): (13.47, 28.19),
}


@pytest.mark.parametrize("successes", TABLE_8)
def test_wilson_reproduces_re2math_table_8(successes):
    low, high = wilson(successes, 200)
    assert (100 * low, 100 * high) == pytest.approx(TABLE_8[successes], abs=5e-5)


@pytest.mark.parametrize(("successes", "n"), OTHERS)
def test_wilson_reproduces_the_other_published_tables(successes, n):
    low, high = wilson(successes, n)
    # Quoted to one or two decimals of a percent.
    assert (100 * low, 100 * high) == pytest.approx(OTHERS[successes, n], abs=0.051)


def test_the_normal_quantile_is_the_one_the_platform_fixed():
    assert z_value(0.95) == pytest.approx(1.959963984540054, abs=1e-15)


def test_clopper_pearson_reproduces_re2math_table_12():
    low, high = clopper_pearson(42, 45)
    assert (100 * low, 100 * high) == pytest.approx((81.73, 98.60), abs=5e-3)


def test_clopper_pearson_closes_at_the_ends():
    # 0 of n: upper end 1 - (alpha/2)^(1/n).
    assert clopper_pearson(0, 10) == pytest.approx((0, 1 - 0.025 ** (1 / 10)), abs=1e-12)
    assert clopper_pearson(10, 10) == pytest.approx((0.025 ** (1 / 10), 1), abs=1e-12)


def test_a_proportion_of_nothing_is_null_with_a_reason():
    estimate = proportion(0, 0)
    assert estimate.value is None
    assert estimate.reason == Reason.NO_ITEMS


@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10), (1, 0)])
def test_impossible_counts_are_refused(successes, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, n)


def test_a_level_outside_zero_and_one_is_refused():
    with pytest.raises(ValueError, match="level"):
        wilson(1, 10, level=95)


def test_unavailable_judgments_are_bounded_from_both_sides():
    # Section 0: Grok 48/197 lies between 48/200 and 51/200.
    assert missing_bounds(48, 197, 3) == (0.24, 0.255)


def test_students_t_matches_the_tables():
    # Two-sided 95 % quantile with 9 degrees of freedom: 2.262157.
    assert t_value(0.95, 9) == pytest.approx(2.262157, abs=1e-6)


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_ratio_and_mirrors_when_successes_and_failures_swap(case):
    successes, n = case
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(("p", "expected"), [(0.005, 0.920), (0.01, 0.948), (0.035, 0.969), (0.07, 0.964)])
def test_wilson_covers_as_often_as_section_3_vii_says(p, expected):
    # Exact coverage: the binomial probability of the counts whose interval holds p.
    from scipy.stats import binom

    inside = [k for k in range(201) if wilson(k, 200)[0] <= p <= wilson(k, 200)[1]]
    assert float(np.sum(binom.pmf(inside, 200, p))) == pytest.approx(expected, abs=6e-4)
