"""The corrected score of one system, three strata of its own."""

from collections.abc import Iterator

from bench.coverage.corrected import cell
from bench.coverage.designs import LABELS, Design, sample_sizes, true_shares
from bench.coverage.frame import Cell


def cells(draws: int) -> Iterator[Cell]:
    """One system with 1, 5, 20 and 60 % judged successes."""
    for success in (0.01, 0.05, 0.2, 0.6):
        for kind in ("equal", "unequal", "wrong"):
            for rule in ("equal", "Neyman"):
                for labels in LABELS:
                    # Two systems of one success rate; the second has the higher error rates of the pair.
                    sizes, rates = true_shares(2, kind, success, success)
                    name = f"{labels} labels per bucket, success {100 * success:.0f} %, {kind}, {rule}"
                    one = sizes[:, 1:]
                    yield cell(
                        Design(name, one, rates[:, 1:], sample_sizes(one, labels, "cell", rule)), draws
                    )
