"""Re2Math (paper R): every published figure of STATISTICS.md 2A from its counts.

Not reproducible from the paper alone: the paper-cluster intervals of Table 8 need the map of papers, which
tests/stats/test_real_re2math.py has. Tables 1 and 7 are checked there cell by cell.
"""

from math import comb

import numpy as np
import pytest

from stats.core.display import percent, rounded_percent
from stats.core.intervals import missing_bounds, wilson
from stats.scores.compare import mcnemar

# Table 1 and 2: judge successes, Ground successes, alternative-source successes, oracle successes / materialised.
SYSTEMS = {
    "GPT": (6, 50, 5, (5, 71)),
    "Gemini": (4, 24, 3, (5, 67)),
    "Claude": (14, 48, 13, (9, 71)),
    "DeepSeek": (5, 58, 5, (2, 74)),
    "Qwen": (2, 34, 2, (2, 74)),
    "Kimi": (7, 48, 7, (1, 74)),
    "Grok": (7, 83, 7, (2, 74)),
}
# Table 9 of forty each: algebra, analysis, combinatorics, geometry, probability.
TABLE_9 = {
    "GPT": (0, 2, 2, 1, 1),
    "Gemini": (0, 2, 0, 1, 1),
    "Claude": (2, 1, 4, 3, 4),
    "DeepSeek": (0, 0, 2, 0, 3),
    "Qwen": (0, 0, 0, 1, 1),
    "Kimi": (0, 0, 3, 1, 3),
    "Grok": (0, 2, 2, 1, 2),
}
TABLE_8 = {14: "4.2 11.4", 7: "1.7 7.0", 6: "1.4 6.4", 5: "1.1 5.7", 4: "0.8 5.0", 2: "0.3 3.6"}


@pytest.mark.parametrize("successes", TABLE_8)
def test_table_8_comes_out_as_printed(successes):
    low, high = wilson(successes, 200)
    assert f"{rounded_percent(low)} {rounded_percent(high)}" == TABLE_8[successes]


def test_tables_5_and_12_come_out_as_printed():
    table_5 = {110: "91.67", 120: "100.00", 98: "81.67", 116: "96.67"}
    assert {k: percent(k, 120, places=2) for k in table_5} == table_5
    assert (percent(39, 42, places=2), percent(42, 45, places=2)) == ("92.86", "93.33")


# Table 2: the gap in percentage points as printed, and recomputed; denominators differ on purpose.
@pytest.mark.parametrize(
    ("system", "printed", "gap"),
    [
        ("Claude", "5.7", 5.6761),
        ("Grok", "-0.8", -0.7973),
        ("Kimi", "-2.1", -2.1486),
        ("GPT", "4.0", 4.0423),
        ("DeepSeek", "0.2", 0.2027),
        ("Gemini", "5.5", 5.4627),
        ("Qwen", "1.7", 1.7027),
    ],
)
def test_table_2_oracle_gaps_come_out(system, printed, gap):
    judged, _, _, (oracle, materialised) = SYSTEMS[system]
    found = 100 * (oracle / materialised - judged / 200)
    assert found == pytest.approx(gap, abs=5e-5)
    assert rounded_percent(found / 100) == printed


def test_table_2_shares_of_alternative_sources_add_up():
    shares = {name: percent(alt, judged, places=2) for name, (judged, _, alt, _) in SYSTEMS.items()}
    assert list(shares.values()) == ["83.33", "75.00", "92.86", "100.00", "100.00", "100.00", "100.00"]
    assert sum(alt for _, _, alt, _ in SYSTEMS.values()) == 42
    assert sum(judged for judged, *_ in SYSTEMS.values()) == 45


def test_table_6_splits_the_instances():
    assert (66 + 8, 74 + 126) == (74, 200)
    assert percent(74, 200) == "37.0"


def test_table_7_unavailable_judgments_are_bounded():
    # Grok 48 of 197 and 110 of 198: between 24.0 and 25.5, and between 55.0 and 56.0 percent.
    assert missing_bounds(48, 197, 3) == (0.24, 0.255)
    assert missing_bounds(110, 198, 2) == (0.55, 0.56)


def test_table_9_sums_to_the_successes():
    assert {name: sum(row) for name, row in TABLE_9.items()} == {
        name: row[0] for name, row in SYSTEMS.items()
    }


@pytest.mark.parametrize(
    ("total", "published", "cells"),
    [
        (156, ("98.1", "93.3", "100.0", "96.6", 0.952), (42, 3, 0, 111)),
        (155, ("98.1", "93.3", "100.0", "96.6", 0.952), (42, 3, 0, 110)),
    ],
)
def test_table_10_has_a_single_confusion_matrix(total, published, cells):
    # Every (TP, FP, FN, TN) with this total, in whole-number arithmetic for the percentages.
    tp, fp, fn = (part.ravel() for part in np.indices((total + 1,) * 3, dtype=np.int32))
    kept = tp + fp + fn <= total
    tp, fp, fn = tp[kept].astype(float), fp[kept].astype(float), fn[kept].astype(float)
    tn = total - tp - fp - fn
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement, precision, recall = (tp + tn) / total, tp / (tp + fp), tp / (tp + fn)
        f1 = 2 * tp / (2 * tp + fp + fn)
        chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2
        kappa = (agreement - chance) / (1 - chance)
    match = np.abs(kappa - published[4]) <= 0.0005 + 1e-12
    for value, printed in zip((agreement, precision, recall, f1), published, strict=False):
        match &= np.abs(100 * value - float(printed)) <= 0.05 + 1e-9
    found = np.column_stack([tp, fp, fn, tn])[match]
    assert found.tolist() == [list(cells)]


def test_table_11_adds_up():
    assert sum((45, 70, 40, 20)) == sum((24, 18, 30, 25, 23, 24, 31)) == 175


def test_table_13_corrects_two_systems():
    refuted = {"GPT": 2, "Claude": 1}
    corrected = {name: row[0] - refuted.get(name, 0) for name, row in SYSTEMS.items()}
    assert (percent(corrected["GPT"], 200), percent(corrected["Claude"], 200)) == ("2.0", "6.5")
    assert sum(corrected.values()) == 42
    assert percent(42, 1400) == "3.0"
    assert percent(3, 200) == "1.5"
    assert percent(12, 200) == "6.0"


def test_table_14_splits_every_run_into_three():
    parts = [(200 - ground, ground - judged, judged) for judged, ground, _, _ in SYSTEMS.values()]
    assert all(sum(row) == 200 for row in parts)
    assert [sum(column) for column in zip(*parts, strict=True)] == [1055, 300, 45]
    assert parts[0] == (150, 44, 6)


# 3 (viii): Claude's 14 against each other system's successes, disjoint or nested at best.
@pytest.mark.parametrize(
    ("other", "nested", "disjoint"),
    [
        (7, 0.0156, 0.189),
        (6, 0.0078, 0.115),
        (5, 0.0039, 0.0636),
        (4, 0.0020, 0.0309),
        (2, 0.0005, 0.0042),
    ],
)
def test_published_margins_bound_the_test_of_claude_against_others(other, nested, disjoint):
    assert mcnemar(14 - other, 0).exact == pytest.approx(nested, abs=5e-5)
    assert mcnemar(14, other).exact == pytest.approx(disjoint, abs=5e-4)


def test_what_130_clean_negatives_leave_possible_is_hypergeometric():
    # 2B 3: no missed success among 70 of 300 and 60 of 1,055 audited; the largest number of misses of which
    # a clean audit still has probability 5 % (one-sided) or 2.5 %.
    def most(population, drawn, tail):
        return max(
            m for m in range(population) if comb(population - m, drawn) / comb(population, drawn) >= tail
        )

    assert (most(300, 70, 0.05), most(300, 70, 0.025)) == (11, 13)
    assert (most(1055, 60, 0.05), most(1055, 60, 0.025)) == (49, 61)
