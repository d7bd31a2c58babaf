"""Audits of a judge over several systems: populations, sample sizes and simulated draws.

A system has 200 outputs in three buckets: judged successes, partial ones, and the rest. Success rates rise from 1 to
60 % over the systems, or from 5 to 10 %. `equal` error rates are those that Re2Math found; `unequal` ones differ over
the systems by up to a factor of fifty; `wrong` is a judge that errs often and unequally.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.core.bootstrap import Floats, Ints
from stats.planning.sizes import neyman

OUTPUTS = 200
BUCKETS = ("success", "partial", "none")
GUESSES = (0.9, 0.05, 0.05)
SYSTEMS, LABELS = (2, 4, 7, 12), (5, 8, 15, 25)
RATES = ("equal", "unequal", "wrong")
SUCCESS = {"1-60 %": (0.01, 0.6), "5-10 %": (0.05, 0.1)}


@dataclass(frozen=True)
class Design:
    """`sizes` and `rates` (3, k) of bucket and system, `drawn` the sample sizes of the same shape, or (3, 1)."""

    name: str
    sizes: Ints
    rates: Floats
    drawn: Ints

    @property
    def groups(self) -> list[str]:
        """The bucket of each cell, as strata of a draw are grouped."""
        return [bucket for bucket in BUCKETS for _ in range(self.drawn.shape[1])]

    def population(self, draws: int, rng: np.random.Generator) -> Ints:
        """(draws, 3, k) true successes; each draw has a population of its own."""
        return np.asarray(rng.binomial(self.sizes, self.rates, size=(draws, *self.sizes.shape)))

    def strata(self, true: Ints) -> tuple[Ints, Ints]:
        """Sizes (H,) and true successes (draws, H) of the strata that are drawn from."""
        if self.drawn.shape == self.sizes.shape:
            return self.sizes.ravel(), true.reshape(len(true), -1)
        return self.sizes.sum(axis=1), true.sum(axis=2)

    def audited(self, true: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Sizes (H,) of the strata and the successes (draws, H) that the audits found in them."""
        sizes, inside = self.strata(true)
        sampled = np.broadcast_to(self.drawn.ravel(), inside.shape)
        return sizes, np.asarray(rng.hypergeometric(inside, sizes - inside, sampled))


def designs(
    *,
    systems: tuple[int, ...] = SYSTEMS,
    rates: tuple[str, ...] = RATES,
    by: tuple[str, ...] = ("cell", "bucket"),
    rules: tuple[str, ...] = ("equal", "Neyman"),
) -> Iterator[Design]:
    """The grid: success rates, error rates, draw by system x bucket or by bucket, allocation, systems, labels."""
    for success, (least, most) in SUCCESS.items():
        for kind in rates:
            for drawn_by in by:
                for rule in rules:
                    for k in systems:
                        sizes, share = true_shares(k, kind, least, most)
                        for labels in LABELS:
                            where = "system x bucket" if drawn_by == "cell" else "bucket"
                            name = f"{k} systems x {labels}, success {success}, {kind}, by {where}, {rule}"
                            yield Design(name, sizes, share, sample_sizes(sizes, labels, drawn_by, rule))


def true_shares(k: int, kind: str, least: float, most: float) -> tuple[Ints, Floats]:
    """Sizes (3, k) and true shares (3, k) when success rates rise from `least` to `most`."""
    first = np.maximum(1, np.rint(np.linspace(least, most, k) * OUTPUTS)).astype(np.int64)
    second = np.rint((OUTPUTS - first) * 0.3).astype(np.int64)
    t = np.linspace(-1, 1, k)
    if kind == "equal":
        rates = np.repeat(np.array([[0.92], [0.04], [0.008]]), k, axis=1)
    elif kind == "unequal":
        rates = np.stack([0.92 + 0.07 * t, 0.06 + 0.055 * t, 0.012 + 0.011 * t])
    else:
        rates = np.stack([0.75 - 0.24 * t, 0.12 + 0.11 * t, 0.04 + 0.038 * t])
    return np.stack([first, second, OUTPUTS - first - second]), rates


def sample_sizes(sizes: Ints, labels: int, by: str, rule: str) -> Ints:
    """Labels per stratum: as many as `labels` per cell come to, spread by the rule."""
    total, k = int(np.minimum(sizes, labels).sum()), sizes.shape[1]
    if by == "bucket":
        whole = sizes.sum(axis=1)
        if rule == "equal":
            return np.minimum(whole, labels * k)[:, None]
        return np.array(neyman(whole.tolist(), GUESSES, total))[:, None]
    if rule == "equal":
        return np.minimum(sizes, labels)
    guesses = np.repeat(GUESSES, k).tolist()
    return np.array(neyman(sizes.ravel().tolist(), guesses, total)).reshape(sizes.shape)
