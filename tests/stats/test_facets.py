"""The many-facet severity model (STATISTICS.md 3 ix), against a plain optimiser and simulated raters."""

import numpy as np
import pytest
from scipy.optimize import minimize

from stats.core.estimate import Reason
from stats.raters.facets import PRIOR_SD, FacetFit, rater_facets


def simulated(seed, *, items=300, severities=(-1.0, 0.0, 1.0), per_item=2):
    """Each item is answered by some raters only; returns item, rater, yes."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(size=items)
    rater = np.array([rng.permutation(len(severities))[:per_item] for _ in range(items)]).ravel()
    item = np.repeat(np.arange(items), per_item)
    lead = difficulty[item] - np.array(severities)[rater]
    return item, rater, (rng.random(len(item)) < 1 / (1 + np.exp(-lead))).astype(int)


def test_the_fit_is_the_maximum_that_a_plain_optimiser_finds_with_its_curvature():
    item, rater, yes = simulated(1, items=12)
    system = item % 2
    n, s, r = 12, 2, 3
    design = np.zeros((len(item), 1 + n + s + r))
    rows = np.arange(len(item))
    design[:, 0] = design[rows, 1 + item] = design[rows, 1 + n + system] = 1
    design[rows, 1 + n + s + rater] = -1
    prior = np.full(design.shape[1], PRIOR_SD**-2)
    prior[0] = 0

    def objective(theta):
        eta = design @ theta
        return np.logaddexp(0, eta).sum() - yes @ eta + prior @ theta**2 / 2

    theta = minimize(objective, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    p = 1 / (1 + np.exp(-design @ theta))
    hessian = design.T @ (design * (p * (1 - p))[:, None]) + np.diag(prior)
    severities = np.linalg.inv(hessian)[-r:, -r:]
    around_their_mean = np.eye(r) - 1 / r
    se = np.sqrt(np.diag(around_their_mean @ severities @ around_their_mean))
    fit = rater_facets(item, rater, yes, system=system)
    assert [entry.severity for entry in fit.raters] == pytest.approx(theta[-r:], abs=1e-5)
    assert [entry.se for entry in fit.raters] == pytest.approx(se, abs=1e-6)
    assert fit.systems == pytest.approx(theta[1 + n : 1 + n + s], abs=1e-5)
    assert fit.items == pytest.approx(theta[1 : 1 + n], abs=1e-5)
    assert fit.intercept == pytest.approx(theta[0], abs=1e-5)


def test_severities_come_back_although_no_rater_sees_every_item():
    item, rater, yes = simulated(2, items=4000)
    fit = rater_facets(item, rater, yes)
    found = [entry.severity for entry in fit.raters]
    assert sum(found) == pytest.approx(0, abs=1e-8)
    # Normal priors pull towards 0 a little: two labels per item leave its difficulty vague.
    assert found == pytest.approx([-1, 0, 1], abs=0.15)


def test_a_careless_rater_fits_worse_than_the_careful_ones():
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(300), 10), np.tile(np.arange(10), 300)
    truth = rng.normal(scale=3, size=300)[item]
    yes = (rng.random(3000) < 1 / (1 + np.exp(-truth))).astype(int)
    yes[rater == 9] = rng.integers(2, size=300)
    fit = rater_facets(item, rater, yes)
    infits = [entry.infit for entry in fit.raters]
    assert infits[9] > 1.3 > max(infits[:9])
    assert fit.raters[9].flagged
    assert fit.raters[9].labels == 300


def test_few_labels_are_never_flagged():
    fit = rater_facets([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0])
    assert isinstance(fit, FacetFit)
    assert not any(entry.flagged for entry in fit.raters)


def test_raters_who_share_no_item_are_not_compared():
    assert rater_facets([0, 0, 1, 1], [0, 1, 2, 3], [1, 0, 1, 0]) is Reason.NOT_CONNECTED
    # A fifth rater who saw both items connects them.
    assert isinstance(rater_facets([0, 0, 1, 1, 0, 1], [0, 1, 2, 3, 4, 4], [1, 0, 1, 0, 1, 1]), FacetFit)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (([], [], []), Reason.NO_ITEMS),
        (([0, 1], [0, 0], [1, 0]), Reason.ONE_RATER),
        (([0, 0], [0, 1], [1, 1]), Reason.ONE_CATEGORY),
    ],
)
def test_labels_that_say_nothing_about_severity_give_a_reason(labels, reason):
    assert rater_facets(*labels) is reason


def test_answers_other_than_yes_and_no_are_refused():
    with pytest.raises(ValueError, match="0 or 1"):
        rater_facets([0, 0], [0, 1], [1, 2])
    with pytest.raises(ValueError, match="one length"):
        rater_facets([0, 0], [0], [1, 0])
