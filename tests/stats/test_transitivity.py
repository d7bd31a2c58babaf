"""Can one scale explain the comparisons? (STATISTICS.md 2D, 3 iii)"""

from itertools import product
from math import comb

import numpy as np
import pytest

from stats.pairs import davidson
from stats.pairs.transitivity import circular_triads, goodness_of_fit, majority_cycles, tournament
from tests.stats.paired_data import CITATIONS, pudding, table_from_wins


def test_circular_triads_are_reproduced():
    # 2D: a transitive tournament of six, the same with one result reversed, a cycle of three.
    transitive = np.triu(np.ones((6, 6)), 1)
    assert circular_triads(transitive) == (0, 1)
    turned = transitive.copy()
    turned[0, 5], turned[5, 0] = 0, 1
    assert circular_triads(turned) == (4, 0.5)
    assert circular_triads([[0, 1, 0], [0, 0, 1], [1, 0, 0]]) == (1, 0)


def test_an_incomplete_tournament_has_no_circular_triads():
    with pytest.raises(ValueError, match="complete tournament"):
        circular_triads([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    assert tournament(table_from_wins([[0, 3, 2], [1, 0, 2], [2, 1, 0]])) is None  # 0 and 2 are level
    assert tournament(table_from_wins([[0, 3, 2], [1, 0, 2], [1, 1, 0]])).tolist() == [
        [0, 1, 1],
        [0, 0, 1],
        [0] * 3,
    ]


def test_the_citations_fit_a_scale_as_published():
    found = goodness_of_fit(table_from_wins(CITATIONS), davidson.fit(table_from_wins(CITATIONS)), seed=1)
    assert (found.deviance, found.df, found.method) == (pytest.approx(4.29338, abs=5e-6), 3, "chi2")
    assert found.p == pytest.approx(0.2315, abs=5e-5)  # chi squared with 3 degrees beyond 4.29338


def test_the_puddings_fit_a_scale_as_published():
    found = goodness_of_fit(pudding(), davidson.fit(pudding()), seed=1)
    assert (found.deviance, found.df) == (pytest.approx(15.7704, abs=5e-5), 24)
    assert found.p > 0.85


def test_a_cycle_does_not_fit_and_is_named():
    wins = np.array([[0, 20, 5, 18], [5, 0, 20, 18], [20, 5, 0, 18], [7, 7, 7, 0]])
    table = table_from_wins(wins)
    assert majority_cycles(table) == [[0, 1, 2]]
    assert majority_cycles(table_from_wins(CITATIONS)) == []
    assert goodness_of_fit(table, davidson.fit(table), seed=1).p < 1e-4


def test_few_comparisons_are_judged_by_simulation():
    wins = np.array([[0, 3, 1], [1, 0, 3], [3, 1, 0]])
    found = goodness_of_fit(table_from_wins(wins), davidson.fit(table_from_wins(wins)), seed=1)
    # Equal strengths fit best: 3 pairs of 3 to 1, deviance 3 x 2 (3 log 1.5 + log .5), one degree left.
    assert found.deviance == pytest.approx(6 * (3 * np.log(1.5) + np.log(0.5)))
    assert (found.df, found.method) == (1, "parametric_bootstrap")
    assert found.p == pytest.approx(exact_p(found.deviance), abs=4 * np.sqrt(0.15 * 0.85 / 999))


def exact_p(deviance):
    """Share of all results of three fair matches of four games, with a finite fit, that fit as badly."""
    worse = tried = 0.0
    for won in product(range(5), repeat=3):
        a, b, c = won
        table = table_from_wins([[0, a, 4 - c], [4 - a, 0, b], [c, 4 - b, 0]])
        fitted = davidson.fit(table)
        if isinstance(fitted, davidson.DavidsonFit):
            weight = np.prod([comb(4, wins) for wins in won])
            tried += weight
            worse += weight * (
                goodness_of_fit(table, fitted, seed=1, simulations=0).deviance >= deviance - 1e-9
            )
    return worse / tried


def test_two_systems_leave_nothing_to_test():
    table = table_from_wins([[0, 3], [2, 0]])
    assert goodness_of_fit(table, davidson.fit(table), seed=1).p is None
