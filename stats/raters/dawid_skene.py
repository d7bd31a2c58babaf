"""Dawid and Skene's model: item classes and rater confusions from labels alone (Dawid and Skene 1979)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution

MAX_STEPS = 5_000
TOLERANCE = 1e-10
SMOOTHING = 1e-9
MIN_RATERS, MIN_ITEMS = 3, 50


@dataclass(frozen=True)
class DawidSkene:
    """Class shares (q,), posteriors (items, q), confusions (raters, q true, q given), and the fit.

    `log_likelihood` is of the observed labels; `converged` says whether it stopped by itself.
    """

    shares: Floats
    posteriors: Floats
    confusions: Floats
    log_likelihood: float
    steps: int
    converged: bool
    warnings: tuple[str, ...]

    @property
    def classes(self) -> Ints:
        """(items,) most probable class."""
        return np.asarray(self.posteriors.argmax(axis=1))


def dawid_skene(
    item: ArrayLike,
    rater: ArrayLike,
    label: ArrayLike,
    *,
    classes: int,
) -> DawidSkene:
    """EM from the majority until the log-likelihood moves by less than 1e-10 relatively.

    `item`, `rater`, `label` are (L,) codes from 0; a rater may label an item several times. There is no prior: one
    would pull raters with few labels towards guessing (ADR 0068). Raises ValueError for unequal lengths, labels outside
    the classes or no labels.
    """
    items, raters, labels = (np.asarray(codes, dtype=np.int64) for codes in (item, rater, label))
    if not items.shape == raters.shape == labels.shape or not len(items):
        raise ValueError("item, rater and label must be vectors of one length, with at least one label")
    if labels.min() < 0 or labels.max() >= classes:
        raise ValueError(f"labels must lie between 0 and {classes - 1}")
    data = _Data(items, raters, labels, classes)
    posteriors = data.majority()
    before, converged, step = -np.inf, False, 0
    while step < MAX_STEPS and not converged:
        step += 1
        shares, confusions = data.maximise(posteriors)
        posteriors, likelihood = data.expect(shares, confusions)
        converged = abs(likelihood - before) <= TOLERANCE * abs(likelihood)
        before = likelihood
    small = data.n_raters < MIN_RATERS or data.n_items < MIN_ITEMS
    warnings = (Caution.SMALL_FOR_MODEL,) if small else ()
    return DawidSkene(shares, posteriors, confusions, float(before), step, converged, warnings)


class _Data:
    """Labels compressed to distinct (item, rater, label) triples with counts."""

    def __init__(self, items: Ints, raters: Ints, labels: Ints, q: int) -> None:
        self.n_items, self.n_raters, self.q = int(items.max()) + 1, int(raters.max()) + 1, q
        self.item, self.cell = items, raters * q + labels

    def majority(self) -> Floats:
        """Share of each class among an item's labels; equal shares for an item without any."""
        label = self.cell % self.q
        votes = np.bincount(self.item * self.q + label, minlength=self.n_items * self.q)
        votes = votes.reshape(self.n_items, self.q).astype(np.float64)
        total = votes.sum(axis=1, keepdims=True)
        return np.where(total > 0, votes / np.maximum(total, 1), 1 / self.q)

    def maximise(self, posteriors: Floats) -> tuple[Floats, Floats]:
        """Class shares and confusions from posteriors."""
        width = self.n_raters * self.q
        joint = np.empty((self.q, width))
        for true in range(self.q):
            joint[true] = np.bincount(self.cell, weights=posteriors[self.item, true], minlength=width)
        table = joint.reshape(self.q, self.n_raters, self.q).transpose(1, 0, 2) + SMOOTHING
        return posteriors.mean(axis=0), table / table.sum(axis=2, keepdims=True)

    def expect(self, shares: Floats, confusions: Floats) -> tuple[Floats, float]:
        """Posteriors and log-likelihood of the labels."""
        logs = np.log(confusions).transpose(1, 0, 2).reshape(self.q, -1)
        with np.errstate(divide="ignore"):
            start = np.log(shares)
        score = np.empty((self.n_items, self.q))
        for true in range(self.q):
            added = np.bincount(self.item, weights=logs[true, self.cell], minlength=self.n_items)
            score[:, true] = start[true] + added
        top = score.max(axis=1, keepdims=True)
        weights = np.exp(score - top)
        total = weights.sum(axis=1, keepdims=True)
        return weights / total, float((top + np.log(total)).sum())


def needs_adjudication(posteriors: ArrayLike, *, confidence: float = 0.9) -> Ints:
    """Items whose most probable class is less probable than `confidence`."""
    return np.flatnonzero(np.asarray(posteriors).max(axis=1) < confidence)
