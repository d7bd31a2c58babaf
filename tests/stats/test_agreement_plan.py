"""Planning an agreement study from a pilot (STATISTICS.md 3 vi)."""

import numpy as np
import pytest

from stats.agreement.bundle import Request, agreement
from stats.planning.agreement import items_for_kappa, kappa_plan
from stats.tables.ratings import Ratings

PILOT = ((40, 9), (6, 45))  # 2C: kappa .6995


def test_more_items_know_kappa_better_by_the_square_root():
    few, many = (kappa_plan(PILOT, n, seed=1) for n in (100, 400))
    assert few.kappa == pytest.approx(0.69, abs=0.01)  # .6995 with half a count more in every cell
    assert few.half_width / many.half_width == pytest.approx(2, rel=0.1)


def test_the_simulated_interval_is_as_wide_as_the_large_sample_formula():
    # 3x3 table of 2C, n = 100: SE .0589107, so a half-width of 1.96 x .0589 = .115
    plan = kappa_plan(((13, 0, 0), (0, 20, 7), (0, 4, 56)), 100, seed=1)
    assert plan.half_width == pytest.approx(0.115, abs=0.02)


@pytest.mark.slow
def test_the_number_of_items_for_a_half_width_gives_that_half_width():
    n = items_for_kappa(PILOT, 0.1, seed=1)
    # variance falls as 1/n: from 100 items to about 100 (half(100) / .1)^2
    assert n == pytest.approx(100 * (kappa_plan(PILOT, 100, seed=1).half_width / 0.1) ** 2, rel=0.1)
    assert items_for_kappa(PILOT, 0.001, seed=1) is None


@pytest.mark.slow
def test_a_study_reports_the_interval_that_was_planned():
    pilot = ((8, 0), (0, 5))
    n = items_for_kappa(pilot, 0.25, seed=1)
    assert n > 40  # kappa itself falls within ± .25 with 14 items; the interval of such a study is ± .64
    rng, chances = np.random.default_rng(2), np.array([8.5, 0.5, 0.5, 5.5]) / 15
    halves = []
    for _ in range(200):
        cells = rng.choice(4, size=n, p=chances)
        labels = Ratings(
            np.tile(np.arange(n), 2),
            np.repeat([0, 1], n),
            np.concatenate([cells // 2, cells % 2]),
            n,
            ("first", "second"),
            ("no", "yes"),
            np.arange(2.0),
        )
        low, high = agreement(labels, Request(level="nominal"))["cohen_kappa"].ci
        halves.append((high - low) / 2)
    assert np.mean(halves) == pytest.approx(0.25, abs=0.03)


def test_a_pilot_without_a_positive_still_plans_and_counts_studies_without_a_kappa():
    plan = kappa_plan(((20, 0), (0, 0)), 10, seed=1)
    assert plan.undefined > 0.1
    assert plan.interval is not None


@pytest.mark.parametrize(
    ("pilot", "message"),
    [(((1, 2, 3), (4, 5, 6)), "square"), (((0, 0), (0, 0)), "not all"), (((1, -1), (0, 5)), "0 or more")],
)
def test_a_pilot_that_is_none_is_refused(pilot, message):
    with pytest.raises(ValueError, match=message):
        kappa_plan(pilot, 50, seed=1)


def test_study_sizes_and_half_widths_out_of_range_are_refused():
    with pytest.raises(ValueError, match="2 to 100,000"):
        kappa_plan(PILOT, 1, seed=1)
    with pytest.raises(ValueError, match="half-width"):
        items_for_kappa(PILOT, 0, seed=1)
