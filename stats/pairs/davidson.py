"""Davidson's model of paired comparisons with ties, with Davidson and Beaver's order effect.

P(i beats j) ~ pi_i, P(j beats i) ~ pi_j, P(tie) ~ nu sqrt(pi_i pi_j); the first shown has pi e^gamma.
Without ties it is Bradley and Terry's model. Fitted by Newton's method on log strengths that sum to zero
(Davidson 1970; Davidson and Beaver 1977).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Reason
from stats.core.intervals import z_value
from stats.pairs.davidson_newton import NewtonProblem, climb
from stats.pairs.pairwise import connection_problem
from stats.scores.clusters import Clustering

_CELLS_AT_ONCE = 30_000  # counts that stay in the cache of a processor


@dataclass(frozen=True)
class DavidsonFit:
    """Log strengths (k,) summing to zero, log nu (None without ties), gamma (None if not fitted).

    `covariance` is the inverse information of (strengths, log nu, gamma) in this order, as far as fitted.
    """

    strengths: Floats
    log_nu: float | None
    gamma: float | None
    covariance: Floats
    log_likelihood: float

    @property
    def se(self) -> Floats:
        """(k,) standard errors of the strengths."""
        return np.asarray(np.sqrt(np.diag(self.covariance)[: len(self.strengths)]))

    def parameter(self, place: int) -> float:
        """The parameter at this place of `covariance`."""
        extra = [value for value in (self.log_nu, self.gamma) if value is not None]
        return float([*self.strengths, *extra][place])


def fit(
    table: ArrayLike,
    *,
    order_effect: bool = False,
    prior_sd: float | None = None,
) -> DavidsonFit | Reason:
    """Fit (3, k, k) counts [result, first shown, second shown]; a Reason where no finite fit exists.

    `prior_sd` puts independent normal priors on the strengths (MAP), which also fits separated data.
    """
    counts = np.asarray(table, dtype=np.float64)[None]
    return fit_all(counts, order_effect=order_effect, prior_sd=prior_sd)[0]


def fit_all(
    tables: ArrayLike,
    *,
    order_effect: bool = False,
    prior_sd: float | None = None,
    start: Floats | None = None,
) -> list[DavidsonFit | Reason]:
    """The same for (R, 3, k, k) counts, each table by itself, all from `start`; the memory grows with R."""
    counts = np.asarray(tables, dtype=np.float64)
    found: list[DavidsonFit | Reason] = [Reason.NO_ITEMS] * len(counts)
    with_nu: dict[bool, list[int]] = {}
    for at, table in enumerate(counts):
        if table.sum() == 0:
            continue
        reason = connection_problem(table) if prior_sd is None else None
        if reason is not None:
            found[at] = reason
        else:
            with_nu.setdefault(bool(table[2].any()), []).append(at)
    for has_nu, places in with_nu.items():
        chosen = counts[places] if order_effect else by_pair(counts[places])
        i, j = np.nonzero(chosen.sum(axis=(0, 1)))
        precision = 0.0 if prior_sd is None else 1 / prior_sd**2
        problem = NewtonProblem(i, j, chosen[:, :, i, j], counts.shape[-1], has_nu, order_effect, precision)
        begin = np.zeros(problem.size) if start is None or len(start) != problem.size else start
        climbed = climb(problem, np.tile(begin, (len(places), 1)))
        k = problem.k
        for row, at in enumerate(places):
            if not climbed.finite[row]:
                found[at] = Reason.SEPARATION
                continue
            theta = climbed.theta[row]
            found[at] = DavidsonFit(
                strengths=theta[:k] - theta[:k].mean(),
                log_nu=float(theta[k]) if has_nu else None,
                gamma=float(theta[-1]) if order_effect else None,
                covariance=climbed.covariance[row],
                log_likelihood=float(climbed.value[row]),
            )
    return found


def batch_size(k: int) -> int:
    """How many tables of k systems resampling gives to `fit_all` at once."""
    return max(1, _CELLS_AT_ONCE // (3 * k * k))


def by_pair(counts: Floats) -> Floats:
    """(R, 3, k, k) counts with i < j only: i won, j won, tie."""
    wins = counts[:, 0] + counts[:, 1].transpose(0, 2, 1)
    ties = counts[:, 2] + counts[:, 2].transpose(0, 2, 1)
    return np.triu(np.stack([wins, wins.transpose(0, 2, 1), ties], axis=1), 1)


def scores(fitted: DavidsonFit, first: Ints, second: Ints, result: Ints) -> Floats:
    """(L, p) derivative of each comparison's log-likelihood by the parameters in the order of `covariance`."""
    features, chances = _possible_results(fitted, first, second)
    rows = np.arange(len(first))
    return np.asarray(features[result, rows] - np.einsum("rl,rlp->lp", chances, features))


def effective_clusters(fitted: DavidsonFit, first: Ints, second: Ints, clusters: Ints) -> Floats:
    """(k, k) how many `clusters` (L,) of equal weight would tell as much about the difference of two strengths, or on
    the diagonal about one strength.

    A cluster weighs its share of the information about it: a system that was compared in one problem, or that one
    problem links to the other, has a difference of about one.
    """
    k = len(fitted.strengths)
    pairs, of_row = np.unique(first * k + second, return_inverse=True)
    features, chances = _possible_results(fitted, *np.divmod(pairs, k))
    moved = features @ fitted.covariance[:, :k]  # (3, pairs, k)
    moved -= np.einsum("rl,rlk->lk", chances, moved)
    moved *= np.sqrt(chances)[..., None]
    kinds, times = np.unique(clusters * len(pairs) + of_row, return_counts=True)
    cluster, pair = np.divmod(kinds, len(pairs))
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    total, squares = np.zeros((k, k)), np.zeros((k, k))
    for rows in np.split(np.arange(len(kinds)), starts[1:]):
        inside = (moved[:, pair[rows]] * np.sqrt(times[rows])[:, None]).reshape(-1, k)
        shared = inside.T @ inside
        own = np.diag(shared)
        weight = own[:, None] + own - 2 * shared + np.diag(own)
        total += weight
        squares += weight**2
    return np.divide(total**2, squares, out=np.full((k, k), np.inf), where=squares > 0)


def _possible_results(fitted: DavidsonFit, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Of each comparison's possible results (first, second, tie) the features (3, L, p) and the chances (3, L)."""
    k, rows = len(fitted.strengths), np.arange(len(first))
    features = np.zeros((3, len(first), len(fitted.covariance)))
    features[0, rows, first] = features[1, rows, second] = 1
    features[2, rows, first] = features[2, rows, second] = 0.5
    theta = fitted.strengths
    if fitted.log_nu is not None:
        features[2, :, k] = 1
        theta = np.append(theta, fitted.log_nu)
    if fitted.gamma is not None:
        features[0, :, -1], features[2, :, -1] = 1, 0.5
        theta = np.append(theta, fitted.gamma)
    utility = features @ theta
    if fitted.log_nu is None:
        utility[2] = -np.inf
    chances = np.exp(utility - utility.max(axis=0))
    return features, chances / chances.sum(axis=0)


def clustered_covariance(
    fitted: DavidsonFit,
    first: Ints,
    second: Ints,
    result: Ints,
    clusters: Ints,
    way: Clustering = Clustering.SKEWED,
) -> Floats | None:
    """Covariance (p, p) when comparisons of a cluster (L,) are alike: the jackknife over clusters in one Newton step.

    Each cluster is taken to hold as much of the information as of the comparisons. None below two clusters.
    """
    count = int(clusters.max(initial=-1)) + 1
    if count < 2:
        return None
    by_cluster = np.zeros((count, len(fitted.covariance)))
    np.add.at(by_cluster, clusters, scores(fitted, first, second, result))
    held = np.bincount(clusters) / len(clusters) if way >= Clustering.UNEVEN else np.full(count, 1 / count)
    steps = by_cluster @ fitted.covariance / (1 - held)[:, None]
    return np.asarray((count - 1) / count * (steps - steps.mean(axis=0)).T @ (steps - steps.mean(axis=0)))


def equal_strengths_log_likelihood(table: ArrayLike) -> float:
    """Log-likelihood when all systems are equally strong and only ties are free."""
    counts = np.asarray(table, dtype=np.float64)
    n, ties = float(counts.sum()), float(counts[2].sum())
    decisive = n - ties
    found = decisive * math.log(decisive / n / 2) if decisive else 0.0
    return found + (ties * math.log(ties / n) if ties else 0.0)


def likelihood_ratio_p(statistic: float, degrees: int) -> float:
    """Upper tail of chi squared."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, max(0.0, statistic)))


def hotelling_p(wald: float, degrees: int, clusters: int) -> float:
    """Upper tail of Hotelling's T squared for a Wald statistic from more clusters than its degrees."""
    from scipy.special import fdtrc

    rest = clusters - degrees
    return float(fdtrc(degrees, rest, wald * rest / (degrees * (clusters - 1))))


def rank_sets(fitted: DavidsonFit, *, level: float = 0.95) -> list[tuple[int, int]]:
    """(best, worst) rank of every system that the data leave open.

    i is above j when their difference is significant with Bonferroni over the k - 1 others; the rank lies
    in [1 + number above, k - number below]. For independent comparisons; others: `strength_bootstrap`.
    """
    k = len(fitted.strengths)
    if k < 2:
        return [(1, 1)] * k
    critical = z_value(1 - (1 - level) / (k - 1))
    cov = fitted.covariance[:k, :k]
    variance = np.diag(cov)[:, None] + np.diag(cov)[None, :] - 2 * cov
    return ranks_left_open(fitted.strengths, critical * np.sqrt(np.maximum(variance, 0)))


def ranks_left_open(strengths: Floats, margins: Floats) -> list[tuple[int, int]]:
    """(best, worst) rank of each system from strengths (k,) and the margins (k, k) from which a difference is real.

    For the rank of i those in its row count.
    """
    gaps = strengths[:, None] - strengths[None, :]
    beats, beaten = (gaps > margins + 1e-15).sum(axis=1), (-gaps > margins + 1e-15).sum(axis=1)
    k = len(strengths)
    return [(int(1 + worse), int(k - better)) for worse, better in zip(beaten, beats, strict=True)]
