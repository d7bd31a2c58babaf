"""Coverage of every interval by long simulation: python -m bench.coverage [draws]

Prints the share of draws whose nominal 95 % interval contained the truth, with its Monte Carlo error. The
tests run the same scenarios for a few hundred draws (tests/stats/coverage_scenarios.py).
"""

from __future__ import annotations

import math
import sys
import time

from tests.stats.coverage_scenarios import CONSERVATIVE, FAILING, NOMINAL, REFITTING, coverage

GROUPS = {"nominal": NOMINAL, "conservative": CONSERVATIVE, "failing": FAILING, "refitting": REFITTING}


def main(draws: int) -> None:
    """One line per interval."""
    for title, scenarios in GROUPS.items():
        for scenario in scenarios:
            start = time.perf_counter()
            number = max(1, draws // 20) if title == "refitting" else draws
            share = coverage(scenario, number, seed=2)
            error = math.sqrt(share * (1 - share) / number)
            took = time.perf_counter() - start
            print(f"{title:12} {scenario.__name__:24} {share:.4f} +- {error:.4f}  {took:6.1f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
