"""Symmetric BLEU-4 of two short texts (Papineni et al. 2002; STATISTICS.md 1.4)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

ORDERS = 4
SIMILAR = 0.3


def bleu(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU-4 of token sequences: uniform weights, brevity penalty, no smoothing; in [0, 1].

    Both empty: 1; one empty: 0. Orders longer than the candidate are left out, so that equal texts of fewer
    than four tokens score 1.
    """
    if not candidate or not reference:
        return float(not candidate and not reference)
    precisions = []
    for n in range(1, min(ORDERS, len(candidate)) + 1):
        # Share of the candidate's n-grams that the reference has, each at most as often as there.
        ours, theirs = (
            Counter(tuple(text[at : at + n]) for at in range(len(text) - n + 1))
            for text in (candidate, reference)
        )
        precisions.append((ours & theirs).total() / ours.total())
    if not all(precisions):
        return 0.0
    brevity = min(0.0, 1 - len(reference) / len(candidate))
    return math.exp(brevity + sum(map(math.log, precisions)) / len(precisions))


def symmetric_bleu(one: str, other: str) -> float:
    """Mean of both directions; tokens are what white space separates."""
    a, b = one.split(), other.split()
    return (bleu(a, b) + bleu(b, a)) / 2


@dataclass(frozen=True)
class BleuSummary:
    """Symmetric BLEU of some pairs; `informative_mean` is over pairs where a text is not empty."""

    pairs: int
    mean: float
    median: float
    similar: float
    informative: int
    informative_mean: float | None


def bleu_summary(pairs: Iterable[tuple[str, str]]) -> BleuSummary | None:
    """Mean, median and share of pairs from SIMILAR on; None without pairs.

    Two empty texts count as equal and lift the mean without saying anything: hence the mean without them.
    """
    found = [(symmetric_bleu(one, other), bool(one.strip() or other.strip())) for one, other in pairs]
    if not found:
        return None
    scores = [score for score, _ in found]
    informative = [score for score, says in found if says]
    return BleuSummary(
        pairs=len(scores),
        mean=mean(scores),
        median=median(scores),
        similar=sum(score >= SIMILAR for score in scores) / len(scores),
        informative=len(informative),
        informative_mean=mean(informative) if informative else None,
    )
