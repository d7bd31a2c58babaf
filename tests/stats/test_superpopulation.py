"""Corrected scores as statements about new items (STATISTICS.md 3 vii, 6.2)."""

import numpy as np
import pytest

from bench.coverage.superpopulation import cell as measured
from stats.audit.corrected import corrected_score
from stats.audit.superpopulation import superpopulation_score
from stats.core.estimate import Caution, Reason
from stats.core.intervals import t_value, wilson
from stats.core.strata import Stratum


def census(successes, sizes):
    """One stratum, everything audited."""
    units = np.array(sizes)[:, None]
    strata = [Stratum("all", int(units.sum()), int(units.sum()), int(sum(successes)))]
    return superpopulation_score(strata, units, units, np.array(successes)[:, None])


def test_new_items_are_less_certain_than_these_items():
    strata = [Stratum("yes", 60, 60, 45), Stratum("no", 140, 40, 4)]
    units, audited, positives = (np.zeros((100, 2), dtype=int) for _ in range(3))
    units[:30, 0] = audited[:30, 0] = 2  # 30 papers with two judged yes, 70 with two judged no
    units[30:, 1] = 2
    audited[30:50, 1] = 2
    positives[:30, 0] = [2] * 15 + [1] * 15
    positives[30:34, 1] = 1
    new = superpopulation_score(strata, units, audited, positives)
    these = corrected_score(strata)
    assert new.value == these.value
    assert (new.denom_rule, new.clusters) == ("superpopulation", 100)
    assert new.ci[0] < these.ci[0]
    assert new.ci[1] > these.ci[1]


def test_no_success_in_31_outputs_of_ten_problems_has_an_honest_upper_end():
    found = census([0] * 10, [3] * 9 + [4])
    assert found.value == 0
    assert found.warnings == (Caution.FEW_CLUSTERS,)
    # At least Wilson's end for 31 independent outputs with Student's t of nine degrees of freedom.
    assert found.ci[0] == 0
    assert found.ci[1] >= wilson(0, 31, quantile=t_value(0.95, 9))[1]


def test_equal_problems_are_wilson_on_their_effective_number():
    # Ten problems, 5 with both outputs right and 5 with none: residuals are +-1, so the variance of the share is
    # 10/9 x 10 x 1 / 20^2 = 1/36 and the effective number .25 x 36 = 9; t has nine degrees of freedom.
    found = census([2] * 5 + [0] * 5, [2] * 10)
    assert found.ci == pytest.approx(wilson(4.5, 9, quantile=t_value(0.95, 9)))


def test_one_problem_says_nothing_about_others():
    found = census([3], [7])
    assert (found.ci, found.reason) == (None, Reason.FEW_EVENTS)


@pytest.mark.parametrize(
    "cell",
    [
        (10, 3, 0.08, 0.02, 1.0),  # 10 problems, 8 % true, census: .823 before
        (10, 20, 0.03, 0.2, 1.0),
        (50, 20, 0.08, 0.2, 0.25),  # N = 1,000, 50 problems, a quarter audited: .878 before
        (30, 10, 0.01, 0.2, 1.0),
    ],
)
def test_few_problems_and_rare_successes_are_covered(cell):
    # 400 draws: three binomial errors below .95 are .917.
    found = measured(*cell, 400)
    assert found.coverage >= 0.917
    assert found.inside == 1


def test_clusters_that_do_not_add_up_to_the_strata_are_refused():
    with pytest.raises(ValueError, match="add up"):
        superpopulation_score([Stratum("a", 4, 2, 1)], [[2], [1]], [[1], [1]], [[1], [0]])
    with pytest.raises(ValueError, match="positives <= audited"):
        superpopulation_score([Stratum("a", 4, 2, 1)], [[2], [2]], [[1], [1]], [[2], [0]])
