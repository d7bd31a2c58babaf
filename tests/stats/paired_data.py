"""The two published sets of paired comparisons of STATISTICS.md 2D."""

import numpy as np

# 2D, citations: Biometrika, CommStat, JASA, JRSS-B, wins of the row over the column.
CITATIONS = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
# 2D, pudding: pair, wins of the first, wins of the second, ties.
PUDDING = (
    "12 19 22 16; 13 16 19 12; 23 19 19 10; 14 18 23 13; 24 23 19 9; 34 19 20 15; 15 13 19 18; 25 16 20 12; "
    "35 16 15 17; 45 17 14 16; 16 18 21 12; 26 22 20 12; 36 13 18 10; 46 14 19 18; 56 11 21 12"
)


def table_from_wins(wins, ties=None):
    """(3, k, k) counts without order information; `ties` is symmetric, each tie counted once per pair."""
    won = np.asarray(wins, dtype=np.float64)
    tied = np.zeros_like(won) if ties is None else np.triu(np.asarray(ties, dtype=np.float64))
    return np.stack([won, np.zeros_like(won), tied])


def pudding():
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for row in PUDDING.split(";"):
        pair, won, lost, tied = row.split()
        i, j = int(pair[0]) - 1, int(pair[1]) - 1
        wins[i, j], wins[j, i], ties[i, j], ties[j, i] = int(won), int(lost), int(tied), int(tied)
    return table_from_wins(wins, ties)
