"""LemmaBench (L), Theorem Search (S), Mask-Proof (M) and First Proof (A): figures of STATISTICS.md 1.5 and 2A.

Not reproducible: Mask-Proof's tables lost their bodies in the text at hand, so Avg@4 is only checked as whole
numbers of 1,168; its rho .73 needs ties that were not published (2B 20).
"""

from itertools import permutations

import numpy as np
import pytest

from stats.audit.confusion import Confusion, in_sample
from stats.audit.rogan_gladen import rogan_gladen
from stats.core.display import percent, ratio, rounded_percent
from stats.core.intervals import wilson
from stats.scores.correlation import spearman

# --- L ---------------------------------------------------------------------------------------------------------


def test_lemmabench_cross_model_shares_come_out():
    shown = [percent(k, n, places=2) for k, n in ((183, 254), (71, 254), (17, 71), (293, 296), (3, 296))]
    assert shown == ["72.05", "27.95", "23.94", "98.99", "1.01"]
    assert percent(405, 677, places=2) == "59.82"


def test_lemmabench_implied_precision_contradicts_its_table():
    assert percent(183 + 17, 254, places=2) == "78.74"
    low, high = wilson(200, 254)
    assert (rounded_percent(low, places=2), rounded_percent(high, places=2)) == ("73.30", "83.32")
    assert high < 0.965  # Table 1


def test_lemmabench_gpt_5_as_validator():
    # 183 of 200 human-confirmed accepted, none of 54 refuted ones.
    found = in_sample(Confusion(183, 0, 17, 54))
    assert (found["recall"].value, found["precision"].value) == (0.915, 1)
    assert found["f1"].value == pytest.approx(0.9556, abs=5e-5)


def test_lemmabench_table_4_is_over_358():
    counts = [55, 67, 125, 12, 57, 104, 6, 50, 60]
    exact = ["15.36", "18.72", "34.92", "3.35", "15.92", "29.05", "1.68", "13.97", "16.76"]
    assert [percent(k, 358, places=2) for k in counts] == exact
    # 14 and 29 are what 50 and 104 of 358 round to; of 405 they would be 12 and 26.
    assert (percent(50, 358, places=0), percent(104, 358, places=0)) == ("14", "29")
    assert (percent(50, 405, places=0), percent(104, 405, places=0)) == ("12", "26")


def test_lemmabench_two_judges_of_opus_proofs_agree_on_at_most_849_of_1000():
    # Margins 6 and 60 of 358: nested at best, 54 disagreements.
    assert pytest.approx(0.849, abs=5e-4) == 1 - 54 / 358


def test_lemmabench_confidence_scores_have_one_solution():
    # 83, 67 and 80 % of 10 to 20 proofs each, 44 in all.
    options = [
        [(k, n) for n in range(10, 21) for k in range(n + 1) if percent(k, n, places=0) == shown]
        for shown in ("83", "67", "80")
    ]
    found = {
        (a, b, c) for a in options[0] for b in options[1] for c in options[2] if a[1] + b[1] + c[1] == 44
    }
    assert ((10, 12), (8, 12), (16, 20)) in found
    assert found == {((10, 12), (8, 12), (16, 20))}


def test_lemmabench_acceptance_rates_are_over_293():
    assert (percent(36, 293), percent(35, 293)) == ("12.3", "11.9")
    assert not {"12.3", "11.9"} & {percent(k, 240) for k in range(241)}


# Table 1 with Fig. 2: judged positive, PPV, human rate (percent) -> sensitivity, specificity.
SENSITIVITIES = {
    "Gemini, full": (67.4, 96.5, 85.7, 75.9, 83.5),
    "GPT-5, full": (78.5, 90, 82.5, 85.6, 55.1),
    "GPT-4/o3, full": (47.6, 78.1, 64, 58.1, 71.0),
    "GPT-4, full": (64.4, 88.2, 64, 88.8, 78.9),
    "Gemini, vector": (36.9, 88.4, 44.9, 72.6, 92.2),
    "GPT-5, vector": (49.4, 85, 52.7, 79.7, 84.3),
    "GPT-4/o3, vector": (19.4, 75.5, 23.6, 62.1, 93.8),
    "GPT-4, vector": (25.8, 80.2, 23.6, 87.7, 93.3),
}


@pytest.mark.parametrize("judge", SENSITIVITIES)
def test_lemmabench_sensitivities_follow_and_lead_back_to_the_human_rate(judge):
    q, ppv, human, sensitivity, specificity = (value / 100 for value in SENSITIVITIES[judge])
    se, sp = q * ppv / human, 1 - q * (1 - ppv) / (1 - human)
    assert (se, sp) == pytest.approx((sensitivity, specificity), abs=5.1e-4)
    n = 10_000_000
    found = rogan_gladen(
        round(n * q), n, true_positives=round(n * se), diseased=n, true_negatives=round(n * sp), healthy=n
    )
    assert found.value == pytest.approx(human, abs=1e-5)


# --- S ---------------------------------------------------------------------------------------------------------

# Tables 2 and 10 of 111 queries: P@1, Hit@10, Hit@20.
SEARCH = {
    "Google": (18, 42, 42),
    "arXiv": (1, 2, 3),
    "GPT": (13, 20, 22),
    "Gemini": (19, 28, 30),
    "Qwen-8B": (19, 43, 50),
    "Qwen-8B, paper": (27, 56, 63),
    "reranked": (21, 48, 50),
    "reranked, paper": (36, 68, 70),
}


def test_theorem_search_counts_grow_with_the_depth():
    assert all(first <= ten <= twenty <= 111 for first, ten, twenty in SEARCH.values())


@pytest.mark.parametrize(
    ("queries", "rates", "not_of"),
    [
        (76, "224 461 513 250 553 632 316 645 737 303 539 566 171 395 500", 111),  # Tables 3 to 5, 8, 9
        (111, "099 252 297 045 108 180 162 387 486 018 117 126", 76),  # Table 10
        (299, "094 124 127 187 261 298 291 478 512 351 682 736 706 722", 300),  # Table 11
    ],
)
def test_theorem_search_rates_are_whole_numbers_of_queries(queries, rates, not_of):
    # Printed with three decimals; the text says 300 for Table 11 and nothing for 76 (2B 14, 15).
    def fits(rate, n):
        return any(ratio(k, n, places=3) == f"0.{rate}" for k in range(n + 1))

    assert all(fits(rate, queries) for rate in rates.split())
    assert not all(fits(rate, not_of) for rate in rates.split())


def test_theorem_search_cuts_two_rates_off():
    # 2B 15: KaLM's .131 is 10 of 76 = .1316, and Qwen's .481 in Table 11 is 144 of 299 = .4816.
    assert ratio(10, 76, places=3) == "0.132"
    assert ratio(144, 299, places=3) == "0.482"
    assert not any(ratio(k, 299, places=3) == "0.481" for k in range(300))


# --- M ---------------------------------------------------------------------------------------------------------


def test_mask_proof_shares_come_out():
    pairs = ((1232, 1273), (35, 36), (19, 28), (25, 28), (2, 28), (291, 292), (292, 835))
    shown = ["96.78", "97.22", "67.86", "89.29", "7.14", "99.66", "34.97"]
    assert [percent(k, n, places=2) for k, n in pairs] == shown
    assert [k for k in range(1274) if percent(k, 1273) == "96.8"] == [1232]


def test_mask_proof_judge_kappa_if_half_were_correct():
    # Balanced truth: chance agreement is 1/2 for any judge.
    assert pytest.approx(0.936, abs=5e-4) == 2 * 1232 / 1273 - 1


def test_mask_proof_averages_are_whole_numbers_of_1168_attempts():
    counts = {"63.3": 739, "59.3": 693, "52.6": 614, "49.2": 575, "29.0": 339, "24.2": 283, "8.1": 95}
    assert {percent(k, 4 * 292): k for k in counts.values()} == counts
    assert [k for k in range(1169) if percent(k, 1168) == "50.9"] == [594, 595]


def test_mask_proof_gaps_come_out():
    gaps = [50.9 - 24.2, 74.4 - 29.0, 50.6 - 8.1]
    assert gaps == pytest.approx([26.7, 45.4, 42.5])


@pytest.mark.parametrize(
    ("squares", "rho", "p"), [(12, 0.7857, 0.0480), (6, 0.8929, 0.0123), (8, 0.8571, 0.0238)]
)
def test_mask_proof_correlations_have_exact_p_values(squares, rho, p):
    found = [sum((a - b) ** 2 for a, b in enumerate(order)) for order in permutations(range(7))]
    assert 1 - 6 * squares / (7 * 48) == pytest.approx(rho, abs=5e-5)
    as_far = sum(total <= squares or total >= 2 * 56 - squares for total in found) / len(found)
    assert as_far == pytest.approx(p, abs=5e-4)


@pytest.mark.slow
def test_mask_proof_rho_73_needs_two_ties():
    # Without ties rho = 1 - 6 d / 336 with even d; one tie gives .7207 and .7388; two ties give .7274.
    def values(scores):
        return {round(spearman(order, scores).value, 4) for order in permutations(range(7))}

    assert not [d for d in range(0, 113, 2) if round(1 - 6 * d / 336, 2) == 0.73]
    assert {0.7207, 0.7388} <= values((0, 0, 2, 3, 4, 5, 6))
    assert 0.73 not in {round(value, 2) for value in values((0, 0, 2, 3, 4, 5, 6))}
    assert 0.7274 in values((0, 0, 2, 2, 4, 5, 6))


def test_mask_proof_mean_bleu_without_empty_contexts():
    # 20 pairs with mean .900, 3 of them both empty and counted as 1.
    assert pytest.approx(0.882, abs=5e-4) == (20 * 0.900 - 3) / 17


# --- A ---------------------------------------------------------------------------------------------------------

EXPERTS = (0.45, 0.05, 0.07, 0.15, 0.35, 0.75)
MODELS = (0.48, 0.08, 0.10, 0.18, 0.38, 0.78)


def test_first_proof_win_rates_only_fit_wins_over_all_comparisons():
    # A and B (ties absent or half) need a mean of exactly 1/2; E needs RMA + mean(others) <= 1; F gives the
    # share of ties 1 - 2 mean.
    for rates, mean, ties, against_rma in ((EXPERTS, 0.3033, 0.393, 0.964), (MODELS, 0.3333, 0.333, 1.024)):
        found = sum(rates) / 6
        assert found == pytest.approx(mean, abs=5e-5)
        assert 1 - 2 * found == pytest.approx(ties, abs=5e-4)
        assert rates[-1] + sum(rates[:-1]) / 5 == pytest.approx(against_rma, abs=5e-4)
    assert sum(EXPERTS) > 1  # D, the best of the group


# Table 1 (2A): correct, inconclusive, incorrect per problem; both Deep Research systems all incorrect.
TABLE_1 = {
    "RMA": "300 300 005 500 400 500 400 230 500 500",
    "GPT-5.2R": "120 210 005 500 400 230 004 005 140 500",
    "AgenticR": "003 003 005 032 400 023 004 005 500 500",
    "Opus": "003 003 005 005 004 005 004 005 005 320",
    "GPT-DR": "003 003 005 005 004 005 004 005 005 005",
    "Gem-DR": "003 003 005 005 004 005 004 005 005 005",
}


def test_first_proof_table_1_gives_the_win_rates_of_rule_f():
    # Every pair of experts' labels on one problem is a comparison; the better label wins, equal ones tie.
    marks = {
        name: [np.repeat([2, 1, 0], [int(c) for c in cell]) for cell in row.split()]
        for name, row in TABLE_1.items()
    }
    table = np.zeros((3, 6, 6))
    for i, one in enumerate(marks.values()):
        for j, other in enumerate(marks.values()):
            if i < j:
                for a, b in zip(one, other, strict=True):
                    gap = a[:, None] - b[None, :]
                    weight = 1 / gap.size  # every problem counts the same
                    table[:, i, j] += weight * np.array([(gap > 0).sum(), (gap < 0).sum(), (gap == 0).sum()])
    n = 10 * 5
    wins = table[0].sum(axis=1) + table[1].sum(axis=0)
    ties = table[2].sum(axis=1) + table[2].sum(axis=0)
    assert wins / n == pytest.approx([0.736, 0.483, 0.244, 0.040, 0, 0], abs=5e-4)
    assert ties.sum() / n / 6 == pytest.approx(0.50, abs=0.005)
    assert (wins + ties / 2) / n == pytest.approx([0.868, 0.690, 0.524, 0.338, 0.290, 0.290], abs=5e-4)


def test_first_proof_unanimity_gets_harder_with_more_experts():
    # 3 (iv): experts who are right 95 % of the time.
    assert pytest.approx((0.857, 0.774), abs=5e-4) == (0.95**3, 0.95**5)
