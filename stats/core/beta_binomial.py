"""Exact distribution of a sum of Beta-Binomial counts: what drawing from it would only approximate.

The interval of a corrected score (STATISTICS.md 3 i) is defined by draws: p_h ~ Beta, unaudited successes of
stratum h ~ Binomial(N_h - n_h, p_h), summed over strata. The sum of independent integers has the convolution
of their probabilities, so its quantiles need no random numbers, no seed and no Monte-Carlo error.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DIRECT = 2_000  # above this length the convolution goes through the fast Fourier transform


def beta_binomial(n: int, a: float, b: float) -> Floats:
    """(n + 1,) probabilities of 0..n successes when p ~ Beta(a, b). Raises ValueError unless a, b > 0 <= n."""
    if n < 0 or a <= 0 or b <= 0:
        raise ValueError(f"needs n >= 0 and a, b > 0, got {n}, {a}, {b}")
    from scipy.special import betaln, gammaln

    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    weights = np.exp(choose + betaln(k + a, n - k + b) - betaln(a, b))
    return np.asarray(weights / weights.sum())


def convolve(parts: Sequence[Floats]) -> Floats:
    """Probabilities of the sum of independent counts, each given by its probabilities from 0 on."""
    from scipy.signal import fftconvolve

    total = np.ones(1)
    for part in sorted(parts, key=len):
        short = min(len(total), len(part)) <= _DIRECT
        total = np.convolve(total, part) if short else np.clip(fftconvolve(total, part), 0.0, None)
    return np.asarray(total / total.sum())


def central_range(probabilities: Floats, level: float) -> tuple[int, int]:
    """The smallest counts at which the distribution function reaches (1-level)/2 and (1+level)/2."""
    reached = np.cumsum(probabilities)
    low = int(np.searchsorted(reached, (1 - level) / 2 - 1e-12))
    high = int(np.searchsorted(reached, (1 + level) / 2 - 1e-12))
    last = len(probabilities) - 1
    return min(low, last), min(high, last)
