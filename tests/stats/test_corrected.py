"""Audit-corrected scores (STATISTICS.md 2E, 3 i)."""

import numpy as np
import pytest

from stats.audit.corrected import corrected_score, most_errors_missed
from stats.core.bootstrap import generator
from stats.core.estimate import Caution, Reason
from stats.core.strata import Stratum, design_se

GOLDEN = [Stratum("yes", 300, 50, 40), Stratum("no", 700, 50, 5)]  # 2E, stratified estimator


def test_the_golden_stratified_audit_gives_31_percent():
    estimate = corrected_score(GOLDEN)
    # .3 x .8 + .7 x .1 = .31
    assert estimate.value == pytest.approx(0.31, abs=1e-12)
    assert estimate.se == pytest.approx(0.03287267, abs=1e-8)
    assert (estimate.n, estimate.population, estimate.method) == (100, 1000, "bb_jeffreys")
    low, high = estimate.ci
    assert low < 0.31 < high
    assert high - low == pytest.approx(2 * 1.96 * 0.0329, rel=0.1)


# 3 i, worked example: (N_h), (n_h), (y_h), corrected and interval in percent.
WORKED = {
    "GPT": ((6, 44, 150), (6, 10, 8), (4, 0, 0), 2.0, (2.0, 22.0)),
    "Gemini": ((4, 20, 176), (4, 4, 10), (4, 0, 0), 2.0, (2.0, 21.5)),
    "Claude": ((14, 34, 152), (14, 8, 8), (13, 0, 0), 6.5, (6.5, 26.5)),
    "DeepSeek": ((5, 53, 142), (5, 12, 8), (5, 0, 0), 2.5, (2.5, 21.5)),
    "Qwen": ((2, 32, 166), (2, 9, 12), (2, 0, 0), 1.0, (1.0, 16.5)),
    "Kimi": ((7, 41, 152), (7, 9, 8), (7, 0, 0), 3.5, (3.5, 24.0)),
    "Grok": ((7, 76, 117), (7, 18, 6), (7, 0, 0), 3.5, (3.5, 23.0)),
    "pooled": ((45, 300, 1055), (45, 70, 60), (42, 0, 0), 3.0, (3.0, 6.1)),
}


@pytest.mark.parametrize("system", WORKED)
def test_the_re2math_worked_example_is_reproduced(system):
    sizes, sampled, successes, corrected, ends = WORKED[system]
    strata = [
        Stratum(*row)
        for row in zip(("success", "grounded", "unsupported"), sizes, sampled, successes, strict=True)
    ]
    estimate = corrected_score(strata)
    assert 100 * estimate.value == pytest.approx(corrected, abs=1e-9)
    # The intervals are quoted to half an item of 200.
    assert [100 * end for end in estimate.ci] == pytest.approx(ends, abs=0.55 if system != "pooled" else 0.06)
    assert design_se(strata) == 0


def test_a_full_census_has_no_sampling_error():
    estimate = corrected_score([Stratum("yes", 6, 6, 4), Stratum("no", 4, 4, 0)])
    assert (estimate.value, estimate.ci, estimate.se) == (0.4, (0.4, 0.4), 0)
    assert Caution.CENSUS in estimate.warnings


def test_an_unaudited_stratum_gives_bounds_instead_of_a_value():
    estimate = corrected_score([Stratum("yes", 40, 40, 30), Stratum("no", 60, 0, 0)])
    assert estimate.value is None
    assert estimate.reason == Reason.EMPTY_STRATUM
    assert estimate.bounds == (0.3, 0.9)  # 30/100 if all sixty are negative, 90/100 if all are positive


def test_a_stratum_without_units_is_no_empty_stratum():
    estimate = corrected_score([*GOLDEN, Stratum("never", 0, 0, 0)])
    assert estimate.value == pytest.approx(0.31, abs=1e-12)


def test_a_single_audited_unit_has_an_interval_but_no_standard_error():
    estimate = corrected_score([Stratum("yes", 10, 1, 1), Stratum("no", 10, 5, 0)])
    assert estimate.se is None
    assert estimate.ci is not None


def test_no_units_at_all_give_null_with_a_reason():
    assert corrected_score([]).reason == Reason.NO_ITEMS


def test_impossible_counts_are_refused_by_the_stratum_name():
    with pytest.raises(ValueError, match="'yes'"):
        Stratum("yes", 10, 11, 3)


def posterior_successes(strata, *, draws, prior, rng):
    """Successes in the population: p ~ Beta, unaudited ~ Binomial(N - n, p), plus the audited y (3 i)."""
    totals = np.zeros(draws, dtype=np.int64)
    for s in strata:
        rates = rng.beta(prior + s.successes, prior + s.sampled - s.successes, size=draws)
        totals += s.successes + rng.binomial(s.size - s.sampled, rates)
    return totals


def test_the_exact_interval_is_what_drawing_from_the_posterior_approaches():
    draws = posterior_successes(GOLDEN, draws=200_000, prior=0.5, rng=generator(5))
    low, high = np.percentile(draws, [2.5, 97.5])
    exact = np.array(corrected_score(GOLDEN).ci) * 1000
    assert exact == pytest.approx([low, high], abs=1.0)  # one output of 1,000


# 3 i, coverage table: N_h, true positives, n_h, coverage of bb_jeffreys and of Wald.
COVERAGE = [
    ((14, 34, 152), (13, 1, 1), (14, 8, 8), 0.957, 0.280),
    ((14, 34, 152), (13, 3, 5), (14, 8, 8), 0.941, 0.661),
    ((45, 300, 1055), (42, 6, 5), (45, 70, 60), 0.940, 0.851),
    ((45, 300, 1055), (42, 15, 20), (45, 70, 60), 0.964, 0.773),
    ((45, 300, 1055), (42, 6, 5), (30, 60, 85), 0.965, 0.842),
    ((100, 100, 800), (90, 10, 8), (50, 50, 100), 0.963, 0.841),
    ((400, 600, 1000), (340, 90, 50), (100, 100, 100), 0.936, 0.940),
]
STUDIES = 600


def audited(sizes, true, sampled):
    """Successes (STUDIES, strata) of simulated audits."""
    rng = generator(2)
    return np.column_stack(
        [rng.hypergeometric(t, s - t, n, size=STUDIES) for s, t, n in zip(sizes, true, sampled, strict=True)]
    )


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "true", "sampled", "coverage", "_wald"), COVERAGE)
def test_the_beta_binomial_interval_covers_as_often_as_simulated(sizes, true, sampled, coverage, _wald):
    inside = 0
    for successes in audited(sizes, true, sampled):
        strata = [
            Stratum(str(h), s, n, int(y))
            for h, (s, n, y) in enumerate(zip(sizes, sampled, successes, strict=True))
        ]
        low, high = np.array(corrected_score(strata).ci) * sum(sizes)
        inside += low - 1e-9 <= sum(true) <= high + 1e-9
    # Binomial error of 600 studies: 3 x sqrt(.95 x .05 / 600) = .027.
    assert inside / STUDIES == pytest.approx(coverage, abs=0.03)


@pytest.mark.parametrize(("sizes", "true", "sampled", "_coverage", "wald"), COVERAGE)
def test_a_wald_interval_would_cover_as_badly_as_simulated(sizes, true, sampled, _coverage, wald):
    sizes, sampled = np.array(sizes), np.array(sampled)
    means = audited(sizes, true, sampled) / sampled
    variance = (sizes / sizes.sum()) ** 2 * (1 - sampled / sizes) * means * (1 - means) / (sampled - 1)
    half = 1.959963984540054 * np.sqrt(variance.sum(axis=1))
    gap = np.abs(means @ sizes / sizes.sum() - sum(true) / sizes.sum())
    # 3 binomial errors at .5: .061.
    assert (gap <= half + 1e-12).mean() == pytest.approx(wald, abs=0.065)


def test_clean_audits_leave_the_stated_number_of_errors_possible():
    # 2B 3: 11-13 of 300 after 70 clean audits, 49-61 of 1,055 after 60 (one-sided 95 %, two-sided 97.5 %).
    assert (most_errors_missed(300, 70), most_errors_missed(300, 70, alpha=0.025)) == (11, 13)
    assert (most_errors_missed(1055, 60), most_errors_missed(1055, 60, alpha=0.025)) == (49, 61)
    assert most_errors_missed(70, 70) == 0


@pytest.mark.parametrize(("audits", "share"), [(59, 0.05), (149, 0.02), (299, 0.01)])
def test_the_rule_of_three_is_the_limit_of_large_strata(audits, share):
    size = 1_000_000
    assert most_errors_missed(size, audits) / size == pytest.approx(share, rel=0.01)
