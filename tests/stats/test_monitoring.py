"""Reviewer monitoring and blinding indices (STATISTICS.md 3 ix)."""

import numpy as np
import pytest
from scipy.stats import t as student

from stats.core.estimate import Reason
from stats.core.intervals import wilson
from stats.raters.blinding import Guesses, bang_index, james_index
from stats.raters.monitoring import (
    drift,
    fewest_seconds,
    graded_severity,
    label_residuals,
    severity,
    time_scores,
)


def crossed(items, raters):
    return np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items)


def test_a_severe_rater_stands_out_and_the_others_do_not():
    rng = np.random.default_rng(1)
    item, rater = crossed(200, 5)
    yes = (rng.random(1000) < np.where(rater == 4, 0.3, 0.6)).astype(int)
    found = severity(item, rater, yes)
    assert found[4].z < -3
    assert found[4].flagged
    assert not any(entry.flagged for entry in found[:3] if abs(entry.z) < 3)
    assert found[4].adjusted_p >= found[4].p


def test_the_z_score_has_unit_variance_when_labels_are_exchanged_within_items():
    # Exact given the item totals: shuffling answers within items gives mean 0 and variance 1.
    rng = np.random.default_rng(2)
    item, rater = crossed(40, 3)
    answers = (rng.random((40, 3)) < 0.5).astype(int)
    draws = [severity(item, rater, rng.permuted(answers, axis=1).ravel())[0].z for _ in range(1500)]
    assert np.mean(draws) == pytest.approx(0, abs=0.1)
    assert np.std(draws) == pytest.approx(1, abs=0.06)


def test_items_without_overlap_or_disagreement_say_nothing():
    alone = severity([0, 1], [0, 1], [1, 0])
    assert [entry.z for entry in alone] == [None, None]
    unanimous = severity([0, 0], [0, 1], [1, 1])
    assert [(entry.z, entry.flagged) for entry in unanimous] == [(None, False)] * 2
    assert severity([], [], []) == []


def test_graded_severity_is_the_rater_effect_over_its_error():
    # Shrout and Fleiss: rater sums 46, 15, 26, 40 of 6 items; MSE 1.019444 with 4 raters, so the standard
    # error of a rater's effect is sqrt(1.019444 * 0.75 / 6) = 0.356974.
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = graded_severity(table)
    effects = [sum_ / 6 - 127 / 24 for sum_ in (46, 15, 26, 40)]
    p = [2 * student.sf(abs(e) / 0.356974, 15) for e in effects]
    assert [entry.p for entry in found] == pytest.approx(p, 1e-4)
    assert [entry.z > 0 for entry in found] == [e > 0 for e in effects]
    assert [entry.flagged for entry in found] == [True, True, False, True]
    assert sum(entry.excess for entry in found) == pytest.approx(0)


@pytest.mark.parametrize("items", [2, 3, 5])
def test_a_few_shared_scores_do_not_make_raters_severe(items):
    # By three standard deviations .21, .09 and .04 of the raters were flagged.
    rng = np.random.default_rng(1)
    found = [graded_severity(rng.normal(size=(items, 2)))[0].flagged for _ in range(500)]
    assert sum(found) <= 6


def test_a_rater_exactly_as_severe_as_the_others_has_no_minus_before_the_0():
    found = graded_severity([[1, 2, 3], [3, 2, 1]])
    assert [str(entry.z) for entry in found] == ["0.0"] * 3


def test_graded_severity_without_error_has_no_z():
    assert [entry.z for entry in graded_severity([[1, 2], [3, 4]])] == [None, None]
    with pytest.raises(ValueError, match="two items and two raters"):
        graded_severity([[1, 2]])


def test_nobody_reads_twenty_five_characters_a_second_and_more():
    assert fewest_seconds(2500) == 100
    with pytest.raises(ValueError, match="-1 characters"):
        fewest_seconds(-1)


def test_times_are_scored_robustly():
    scores = time_scores([60, 70, 80, 90, 100] * 4 + [1])
    assert abs(scores[-1]) > 3.5
    assert max(abs(scores[:-1])) < 3.5
    assert time_scores([60] * 20 + [90] * 5) is None
    assert time_scores([]) is None
    with pytest.raises(ValueError, match="positive"):
        time_scores([60, 0])


def test_few_ordinary_times_hold_no_outliers():
    """Of five times that are normal on a logarithmic scale one of twenty was an outlier, of twenty fewer than 1 %."""
    rng = np.random.default_rng(7)
    for count, at_most in ((5, 0.0), (19, 0.0), (20, 0.01)):
        scores = [time_scores(np.exp(rng.normal(6, 0.8, count))) for _ in range(500)]
        outliers = sum(int((np.abs(one) > 3.5).sum()) for one in scores if one is not None)
        assert outliers <= at_most * 500 * count


def test_a_shift_is_found_after_it_happens_and_noise_is_not():
    noise = np.random.default_rng(3).normal(size=100)
    assert drift(noise) is None
    assert 95 < drift(np.concatenate([noise, np.full(20, 2.5)])) < 105


def test_of_two_raters_a_change_is_found_although_every_residual_is_one():
    even = [1, -1] * 30
    assert drift(even) is None
    assert 58 < drift(even + [1] * 30) < 62


@pytest.mark.parametrize(("leniency", "found"), [(0.0, range(2)), (0.5, range(95, 101))])
def test_a_rater_who_becomes_lenient_half_way_is_found_and_nobody_else(leniency, found):
    """Three raters of 300 items: 100 studies without any change, and with one of .5 in the chance of a yes."""
    rng, flagged = np.random.default_rng(11), 0
    for _ in range(100):
        chances = np.tile(rng.beta(2, 2, 300)[:, None], (1, 3))
        chances[150:, 0] = np.minimum(chances[150:, 0] + leniency, 1)
        residual, variance = label_residuals(
            np.repeat(np.arange(300), 3), (rng.random((300, 3)) < chances).ravel()
        )
        mine = (np.arange(900) % 3 == 0) & (variance > 0)
        flagged += drift(residual[mine] / np.sqrt(variance[mine])) is not None
    assert flagged in found


def test_one_label_against_many_others_is_no_drift():
    # against 14 others: (14/15) / sqrt(14/225) = 3.74; with 13 of 14 others: -0.27
    assert drift([3.74] + [-0.27] * 50) is None


def test_a_rater_who_is_always_lenient_does_not_drift():
    # of three raters the one who differs has a residual of 1.41, the two others have -.71
    orders = [np.random.default_rng(seed).choice([1.41, -0.71], 200, p=[0.6, 0.4]) for seed in range(20)]
    assert [drift(order) for order in orders] == [None] * 20
    assert drift([]) is None


def each_their_own(right: int, wrong: int, unknown: int) -> list[Guesses]:
    """One guess by each reviewer."""
    return [Guesses(right=1)] * right + [Guesses(wrong=1)] * wrong + [Guesses(unknown=1)] * unknown


def test_bangs_index_is_one_unblinded_and_zero_at_chance():
    assert bang_index([Guesses(10, 0, 0)]).value == 1
    assert bang_index([Guesses(5, 5, 3)]).value == 0
    # (30 - 10) / 60, variance (p_c + p_w - (p_c - p_w)^2) / (n - 1) = (2/3 - 1/9) / 59 where nobody guesses twice.
    found = bang_index(each_their_own(30, 10, 20))
    assert found.value == pytest.approx(1 / 3)
    assert found.se == pytest.approx(np.sqrt((2 / 3 - 1 / 9) / 59))


def test_guessing_among_three_systems_at_random_is_zero():
    assert bang_index([Guesses(10, 20, 0)], systems=3).value == pytest.approx(0)


def test_where_everybody_guesses_bangs_interval_is_wilsons():
    # 30 of 40 right among 3 systems: the index is (3 p - 1) / 2 of the share p; the effective number is n - 1.
    ends = [(3 * end - 1) / 2 for end in wilson(39 * 30 / 40, 39)]
    assert bang_index(each_their_own(30, 10, 0), systems=3).ci == pytest.approx(ends)


def test_where_nobody_has_an_idea_bangs_interval_is_tangos():
    # Tango (1998) without any discordant pair among n: z^2 / (n + z^2) to both sides.
    assert bang_index(each_their_own(0, 0, 50)).ci == pytest.approx(
        (-(1.96**2) / 53.8416, 1.96**2 / 53.8416), rel=1e-4
    )


def test_one_right_guess_shows_next_to_nothing():
    # Wilson's lower end for 1 of 1 is 1 / (1 + 1.96^2).
    assert bang_index([Guesses(right=1)]).ci == pytest.approx((2 / 4.841459 - 1, 1), abs=1e-6)


def test_forty_guesses_of_one_reviewer_show_no_more_than_one():
    one = bang_index([Guesses(right=1)]).ci
    assert bang_index([Guesses(right=40)]).ci == pytest.approx(one)
    low, high = bang_index([Guesses(right=25, wrong=15)]).ci
    assert low < -0.8
    assert high > 0.8


def test_reviewers_who_guess_alike_to_the_letter_lose_no_guess():
    assert bang_index([Guesses(right=30, wrong=10)] * 25).ci == pytest.approx(
        [2 * end - 1 for end in wilson(750, 1000)], abs=1e-9
    )


def test_bangs_interval_holds_the_truth_with_few_reviewers_and_few_guesses():
    # .9 right, .1 wrong, all independent: the normal interval covers .40 of 5 and .61 of 10 guesses. Then six
    # reviewers of 20 guesses each, whose chances have a Dirichlet distribution: the same ignored them and covered .52.
    rng = np.random.default_rng(7)
    for guesses, reviewers in ((1, 5), (1, 10), (20, 6)):
        inside = 0
        for _ in range(300):
            chances = [rng.dirichlet([3, 2, 5]) if guesses > 1 else [0.9, 0.1, 0.0] for _ in range(reviewers)]
            raters = [Guesses(*map(int, rng.multinomial(guesses, chance))) for chance in chances]
            low, high = bang_index(raters).ci
            inside += low <= (0.1 if guesses > 1 else 0.8) <= high
        assert inside / 300 >= 0.9, guesses


def test_the_james_index_has_its_three_landmarks():
    assert james_index([[10, 0], [0, 10]], [0, 0]).value == 0
    assert james_index([[5, 5], [5, 5]], [0, 0]).value == pytest.approx(0.5)
    assert james_index([[0, 0], [0, 0]], [10, 10]).value == 1


def test_nobody_guessed_is_undefined():
    assert bang_index([]).reason == Reason.NO_ITEMS
    assert james_index([[0, 0], [0, 0]], [0, 0]).reason == Reason.NO_ITEMS
    assert james_index([[4, 0], [0, 0]], [0, 0]).reason == Reason.ONE_CATEGORY
