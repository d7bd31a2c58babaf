"""Pairwise comparison (STATISTICS.md 2D, 1.5, 3 iii)."""

import io
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f, t

from stats.analyses.as_text import pairs_text
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.core.estimate import Caution, Reason
from stats.core.intervals import t_value
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit
from stats.pairs.pairwise import Comparisons, Result, records
from stats.pairs.position_bias import SwapCounts, binomial_p, first_slot_share, swap_consistency, swap_test
from stats.pairs.strength_bootstrap import RankErrors, StrengthDraws
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError
from tests.stats.paired_data import CITATIONS, pudding, table_from_wins
from tests.stats.real_data import pandalm


def test_the_citation_strengths_are_reproduced():
    fitted = davidson.fit(table_from_wins(CITATIONS))
    assert fitted.strengths == pytest.approx([0.789922, -2.159150, 0.310352, 1.058876], abs=1e-6)
    assert fitted.se == pytest.approx([0.043330, 0.072580, 0.041641, 0.053047], abs=1e-6)
    against_first = fitted.strengths - fitted.strengths[0]
    assert against_first[1:] == pytest.approx([-2.949072, -0.479570, 0.268954], abs=1e-6)
    cov = fitted.covariance
    spread = [np.sqrt(cov[0, 0] + cov[i, i] - 2 * cov[0, i]) for i in (1, 2, 3)]
    assert spread == pytest.approx([0.102545, 0.060589, 0.070830], abs=1e-6)
    assert fitted.log_nu is None


def test_the_citation_ranks_are_all_single():
    ranks = davidson.rank_sets(davidson.fit(table_from_wins(CITATIONS)))
    assert ranks == [(2, 2), (4, 4), (3, 3), (1, 1)]


def test_the_pudding_data_are_reproduced():
    fitted = davidson.fit(pudding())
    shares = np.exp(fitted.strengths) / np.exp(fitted.strengths).sum()
    assert shares == pytest.approx([0.138803, 0.173001, 0.161747, 0.165373, 0.158685, 0.202389], abs=1e-6)
    assert fitted.log_nu == pytest.approx(-0.291927, abs=1e-6)
    assert np.exp(fitted.log_nu) == pytest.approx(0.746823, abs=1e-6)
    against_first = [0.220242, 0.152978, 0.175145, 0.133865, 0.377135]
    assert fitted.strengths[1:] - fitted.strengths[0] == pytest.approx(against_first, abs=1e-6)
    assert np.sqrt(fitted.covariance[6, 6]) == pytest.approx(0.082499, abs=1e-6)
    assert fitted.log_likelihood == pytest.approx(-809.70951, abs=1e-5)
    cov = fitted.covariance
    spread = [np.sqrt(cov[0, 0] + cov[i, i] - 2 * cov[0, i]) for i in range(1, 6)]
    assert spread == pytest.approx([0.187217, 0.193518, 0.188211, 0.192705, 0.192406], abs=1e-6)


def test_the_puddings_cannot_be_told_apart():
    fitted = davidson.fit(pudding())
    statistic = 2 * (fitted.log_likelihood - davidson.equal_strengths_log_likelihood(pudding()))
    assert statistic == pytest.approx(4.080432, abs=1e-6)
    assert davidson.likelihood_ratio_p(statistic, 5) == pytest.approx(0.5379, abs=5e-5)
    assert davidson.rank_sets(fitted) == [(1, 6)] * 6


def test_the_two_win_rates_of_the_puddings_differ_as_published():
    found = records(pudding())
    wins = (0.324324, 0.395349, 0.361345, 0.361868, 0.333333, 0.410788)
    halves = (0.461390, 0.509690, 0.495798, 0.5, 0.491561, 0.543568)
    assert tuple(record.win_rate.value for record in found) == pytest.approx(wins, abs=5e-7)
    assert tuple(record.half_tie_rate.value for record in found) == pytest.approx(halves, abs=5e-7)
    decisive = (0.446809, 0.512563, 0.494253, 0.5, 0.487654, 0.559322)
    assert tuple(r.wins / (r.wins + r.losses) for r in found) == pytest.approx(decisive, abs=5e-7)
    # Averaged over opponents the rates of all systems have the mean one half exactly.
    assert np.mean([record.half_tie_rate_macro for record in found]) == pytest.approx(0.5, abs=1e-12)
    assert all(r.wins + r.losses + r.ties == r.comparisons for r in found)


def test_separated_systems_get_a_reason_and_no_number():
    chain = table_from_wins([[0, 3, 0], [0, 0, 3], [0, 0, 0]])
    assert davidson.fit(chain) == Reason.SEPARATION
    regularised = davidson.fit(chain, prior_sd=2.0)
    assert isinstance(regularised, DavidsonFit)
    assert regularised.strengths[0] > regularised.strengths[1] > regularised.strengths[2]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=12, max_size=12))
def test_strengths_without_ties_agree_with_an_independent_implementation(counts):
    import choix

    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    strengths = choix.ilsr_pairwise_dense(wins, alpha=0.0, max_iter=1000, tol=1e-12)
    assert davidson.fit(table_from_wins(wins)).strengths == pytest.approx(
        strengths - strengths.mean(), abs=1e-6
    )


def test_systems_that_never_met_are_not_connected():
    islands = table_from_wins([[0, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 4, 0]])
    assert davidson.fit(islands) == Reason.NOT_CONNECTED


def test_a_tie_connects_both_ways():
    # A never loses to B. B and C fix the tie parameter, so one tie makes A's lead over B finite.
    wins = [[0, 3, 0], [0, 0, 2], [0, 1, 0]]
    assert davidson.fit(table_from_wins(wins)) == Reason.SEPARATION
    fitted = davidson.fit(table_from_wins(wins, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    assert isinstance(fitted, DavidsonFit)
    assert fitted.strengths[0] == fitted.strengths.max()


def test_a_tie_that_has_to_fix_its_own_parameter_connects_nothing():
    # Two systems, never a loss: the likelihood grows without end as lead and tie parameter grow together.
    assert davidson.fit(table_from_wins([[0, 3], [0, 0]], [[0, 1], [1, 0]])) == Reason.SEPARATION


def test_no_comparisons_have_no_strengths():
    assert davidson.fit(np.zeros((3, 2, 2))) == Reason.NO_ITEMS


def test_an_order_effect_is_found_and_does_not_move_a_balanced_comparison():
    # Both orders equally often; the first shown wins 70 of 100, whichever it is.
    counts = np.zeros((3, 2, 2))
    counts[Result.FIRST, 0, 1] = counts[Result.FIRST, 1, 0] = 70
    counts[Result.SECOND, 0, 1] = counts[Result.SECOND, 1, 0] = 30
    fitted = davidson.fit(counts, order_effect=True)
    # Without ties: P(first) = e^gamma / (1 + e^gamma) = .7, so gamma = log(7/3); information 200 x .7 x .3.
    assert fitted.gamma == pytest.approx(np.log(7 / 3), abs=1e-9)
    assert np.sqrt(fitted.covariance[-1, -1]) == pytest.approx(1 / np.sqrt(200 * 0.21), abs=1e-9)
    assert fitted.strengths == pytest.approx([0, 0], abs=1e-9)


def test_an_infinite_order_effect_is_no_number():
    counts = np.zeros((3, 2, 2))
    counts[Result.FIRST, 0, 1] = counts[Result.FIRST, 1, 0] = 10
    assert davidson.fit(counts, order_effect=True) == Reason.SEPARATION


def test_swap_consistency_is_reproduced():
    counts = SwapCounts(agree=85, first_first=10, second_second=5)
    assert swap_consistency(counts).value == pytest.approx(0.85)
    assert swap_test(counts) == pytest.approx(0.301758, abs=5e-7)


def test_the_first_slot_share_quotes_the_interval_of_its_own_test():
    share = first_slot_share(130, 230)
    assert binomial_p(130, 230) == pytest.approx(0.055614, abs=5e-7)
    assert share.ci[0] < 0.5  # Wilson's [.5006, .6277] would contradict the test
    assert binomial_p(0, 0) is None
    assert first_slot_share(0, 0).reason == Reason.NO_ITEMS


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=12, max_size=12), st.permutations(range(4)))
def test_strengths_follow_the_systems_and_not_their_order(counts, order):
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    plain = davidson.fit(table_from_wins(wins))
    moved = davidson.fit(table_from_wins(wins[np.ix_(order, order)]))
    assert moved.strengths == pytest.approx(plain.strengths[order], abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=12, max_size=12), st.integers(2, 4))
def test_duplicating_every_comparison_halves_the_variance_only(counts, times):
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = counts
    plain, many = (davidson.fit(table_from_wins(factor * wins)) for factor in (1, times))
    assert many.strengths == pytest.approx(plain.strengths, abs=1e-7)
    assert many.se == pytest.approx(plain.se / np.sqrt(times), rel=1e-6)


def test_a_system_is_not_compared_with_itself():
    with pytest.raises(ValueError, match="itself"):
        Comparisons(np.array([0]), np.array([0]), np.array([0]), ("a",))


def document(rows, header="subject,rater,system,value,order", **options):
    text = "\n".join([header, *rows])
    return pairs_document(read_labels(io.BytesIO(text.encode())), options=Options(seed=1, **options))


def systems(found):
    return {row["system"]: row for row in found["systems"]}


def test_the_citations_come_out_of_a_label_file():
    names = ("Biometrika", "CommStat", "JASA", "JRSS-B")
    rows = [
        f"{i}-{j}-{at},r,{names[i]}|{names[j]},first,"
        for i in range(4)
        for j in range(4)
        for at in range(CITATIONS[i][j])
    ]
    found = document(rows)
    by_name = systems(found)
    assert by_name["JRSS-B"]["strength"]["value"] == pytest.approx(1.058876, abs=1e-6)
    assert by_name["JRSS-B"]["rank"] == [1, 1]
    assert (by_name["JASA"]["wins"], by_name["JASA"]["losses"]) == (1275, 891)
    assert found["tie_parameter"]["value"] == 0
    json.dumps(found, allow_nan=False)


def swapped_rows():
    """2D, swap consistency: both orders A 60, both B 25, first-first 10, second-second 5."""
    kinds = [("first", "second")] * 60 + [("second", "first")] * 25
    kinds += [("first", "first")] * 10 + [("second", "second")] * 5
    for at, (straight, turned) in enumerate(kinds):
        yield f"s{at},judge,A|B,{straight},1"
        yield f"s{at},judge,B|A,{turned},2"


def test_swapped_presentations_count_once_and_flips_are_ties():
    found = document(list(swapped_rows()))
    a = systems(found)["A"]
    assert (found["comparisons"], found["presentations"], found["order_flips"]) == (100, 200, 15)
    assert (a["wins"], a["losses"], a["ties"]) == (60, 25, 15)
    assert a["half_tie_rate"]["value"] == pytest.approx(0.675)
    bias = found["position_bias"]
    assert bias["swap_consistency"]["value"] == pytest.approx(0.85)
    assert bias["swap_p"] == pytest.approx(0.301758, abs=5e-7)
    assert bias["first_slot_share"]["value"] == pytest.approx(0.525)
    assert (bias["first_first"], bias["second_second"]) == (10, 5)


def test_separation_is_a_reason_beside_a_regularised_strength():
    found = systems(document(["a,r,A|B,first,", "b,r,A|B,first,"]))
    assert found["A"]["strength"]["reason"] == "SEPARATION"
    assert found["A"]["rank"] is None
    assert found["A"]["regularised_strength"] > 0
    assert found["A"]["win_rate"]["value"] == 1


@pytest.mark.parametrize("table", [(0, 2, 1), (0, 7, 5), (6, 2, 4)])
def test_a_matrix_that_cannot_be_inverted_is_separation_of_its_table_alone(table):
    """The first two are separated; of the third, tables without some problems are."""
    values = [
        value for value, times in zip(("first", "second", "tie"), table, strict=True) for _ in range(times)
    ]
    found = systems(document([f"p{at},r,A|B,{value}," for at, value in enumerate(values)]))
    first, second, _ = table
    assert found["A"]["strength"]["reason"] == (None if first else "SEPARATION")
    assert (found["A"]["wins"], found["B"]["wins"]) == (first, second)


def test_comparisons_that_share_a_cluster_are_resampled_together():
    rows = [
        f"s{at},r,{'A|B' if at % 2 else 'B|A'},{'first' if at % 3 else 'second'},,p{at // 4}"
        for at in range(80)
    ]
    strength = systems(document(rows, header="subject,rater,system,value,order,cluster"))["A"]["strength"]
    assert strength["clusters"] == 20
    assert strength["method"] == "davidson_newton, cluster jackknife"
    assert strength["ci"][0] < strength["value"] < strength["ci"][1]


def test_judgments_of_one_problem_are_resampled_together_without_a_cluster_column():
    rows = [
        f"s{at},{rater},A|B,{'first' if (at + (rater == 'q')) % 3 else 'second'},"
        for at in range(40)
        for rater in "pq"
    ]
    assert systems(document(rows))["A"]["strength"]["clusters"] == 40
    alone = systems(document(rows[::2]))["A"]["strength"]  # one rater: no two judgments share a problem
    assert (alone["clusters"], alone["method"]) == (None, "davidson_newton")


def test_repeating_every_judgment_within_its_problem_leaves_the_ranks_as_open_as_before():
    # 3 to 2 for A on 30 problems, once by one rater and once by twenty who always say the same. Twenty times the
    # rows are no more knowledge: model-based ranks would be told apart (600 judgments, z = 4.8), ours may not.
    def agreeing(raters):
        return [
            f"s{at},r{rater},A|B,{'second' if at % 5 < 2 else 'first'},,p{at}"
            for at in range(30)
            for rater in range(raters)
        ]

    header = "subject,rater,system,value,order,cluster"
    many = systems(document(agreeing(20), header=header))
    assert [many[name]["rank"] for name in "AB"] == [[1, 2], [1, 2]]
    twins = systems(document(agreeing(2), header=header))
    assert many["A"]["strength"]["ci"] == pytest.approx(twins["A"]["strength"]["ci"], abs=1e-9)


def test_ranks_of_resampled_problems_are_told_apart_where_the_data_do():
    # The first of each pair wins about 4 of 5 on each of 30 problems; seeded lots.
    lots = np.random.default_rng(3).random((30, 5, 3)) < 0.8
    rows = [
        f"s{at},r{lot},{pair},{'first' if lots[at, lot, which] else 'second'},,p{at}"
        for at in range(30)
        for lot in range(5)
        for which, pair in enumerate(("A|B", "A|C", "B|C"))
    ]
    found = systems(document(rows, header="subject,rater,system,value,order,cluster"))
    assert [found[name]["rank"] for name in "ABC"] == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize(("problems", "told_apart"), [(4, False), (8, True), (60, True)])
def test_ranks_take_the_errors_of_few_problems_for_uncertain(problems, told_apart):
    # Strengths 3 errors apart, of which resamples exceed 1.96 in a twentieth: Student's t at the same tail is 3.18 for
    # four problems and 2.36 for eight. Six equal systems in five problems had a right range in 83 % of 250 simulations.
    gap = np.random.default_rng(1).normal(size=2_000)
    gap /= gap.std(ddof=1)
    fitted = DavidsonFit(np.array([1.5, -1.5]), None, None, np.eye(2), 0.0)
    resampled = fitted.strengths + np.column_stack([gap, -gap]) / 2
    draws = StrengthDraws(resampled, 0, problems, np.full((2, 2), problems))
    assert draws.ranks(fitted) == ([(1, 1), (2, 2)] if told_apart else [(1, 2), (1, 2)])
    assert draws.ranks(fitted, way=RankErrors.KNOWN) == [(1, 1), (2, 2)]
    few = StrengthDraws(resampled, 0, 60, np.full((2, 2), problems))
    assert few.ranks(fitted) == draws.ranks(fitted)
    assert few.ranks(fitted, way=RankErrors.OF_ALL) == [(1, 1), (2, 2)]


RESULTS = ("first", "second", "tie")


def three_equals_on_ten_problems() -> list[str]:
    """A, B and C, each compared with the others by two raters on every problem, with results in turn."""
    return [
        f"s{at},r{rater},{pair},{RESULTS[(at + rater + place) % 3]},,p{at}"
        for at in range(10)
        for rater in range(2)
        for place, pair in enumerate(("A|B", "A|C", "B|C"))
    ]


def test_a_system_that_was_compared_on_one_problem_can_have_any_rank():
    # D loses to each of three equal systems, but on one of ten problems: nobody knows how it does on others.
    rows = three_equals_on_ten_problems()
    rows += [f"s0,r{rater},{one}|D,{'tie' if rater else 'first'},,p0" for rater in range(2) for one in "ABC"]
    assert systems(document(rows, header="subject,rater,system,value,order,cluster"))["D"]["rank"] == [1, 4]


def test_groups_that_one_problem_links_share_no_order_of_ranks():
    rows = [
        f"s{at},r,{pair},{'second' if at % 5 == 0 else 'first'},,{pair[0]}{at}"
        for at in range(40)
        for pair in ("A|B", "C|D")
    ]
    rows += ["link,r,B|C,first,,link", "link,s,B|C,tie,,link"]
    found = systems(document(rows, header="subject,rater,system,value,order,cluster"))
    assert [found[name]["rank"] for name in "ABCD"] == [[1, 3], [2, 4], [1, 3], [2, 4]]


def test_a_single_problem_leaves_every_rank_open():
    rows = [f"s,r{at},A|B,{'second' if at % 3 == 0 else 'first'},,p" for at in range(60)]
    found = systems(document(rows, header="subject,rater,system,value,order,cluster"))
    assert found["A"]["rank"] == [1, 2]
    assert found["A"]["strength"]["ci"] is None


def test_systems_that_were_never_compared_have_strengths_of_their_own_component():
    names = ("first", "second", "tie")
    rows = [f"s{at},r,A|B,{names[at % 3]}," for at in range(30)]
    rows += [f"t{at},r,C|D,{'second' if at % 4 else 'first'}," for at in range(20)]
    whole = document(rows)
    found = systems(whole)
    assert [found[name]["component"] for name in "ABCD"] == [0, 0, 1, 1]
    text = pairs_text(whole)
    assert "strengths and ranks are within a group: A, B; D, C\n" in text
    assert [line.split()[0] for line in text.splitlines()[1:5]] == ["A", "B", "D", "C"]
    # A against B is even; D beats C 15 to 5: log 3 apart.
    assert found["A"]["strength"]["value"] == pytest.approx(0)
    assert found["D"]["strength"]["value"] == pytest.approx(np.log(3) / 2, abs=1e-9)
    assert found["D"]["rank"] == [1, 1]
    assert document(rows)["tie_parameter"]["reason"] == "NOT_CONNECTED"


def won_thirds(problems):
    """Problem p has three comparisons of which A wins p mod 4."""
    rows = [
        f"s{at}-{game},r,A|B,{'first' if game < at % 4 else 'second'},,p{at}"
        for at in range(problems)
        for game in range(3)
    ]
    return systems(document(rows, header="subject,rater,system,value,order,cluster"))["A"]["strength"]


@pytest.mark.parametrize("problems", [20, 40])
def test_the_strengths_of_twenty_to_sixty_problems_come_from_the_jackknife(problems):
    # A quarter of the problems each has 0, 1, 2, 3 wins: half of all, b = 0. Without a problem of w wins
    # b = log((n/2 - w) / (n/2 - 3 + w)) / 2 with n = 3 C games.
    half = 1.5 * problems
    left = np.repeat([np.log((half - w) / (half - 3 + w)) / 2 for w in range(4)], problems // 4)
    se = np.sqrt((problems - 1) / problems * (left @ left))
    strength = won_thirds(problems)
    assert strength["se"] == pytest.approx(se, abs=1e-9)
    assert strength["ci"][1] == pytest.approx(t.ppf(0.975, problems - 1) * se, abs=1e-9)
    assert strength["seed"] is None


def test_many_problems_are_left_out_in_one_newton_step():
    # As above with 80 problems of 240 games. Twice b is the log odds, whose information is 240/4 = 60, of which 79/80
    # is left without a problem; that problem's score is w - 1.5.
    steps = np.repeat([(w - 1.5) / (60 * 79 / 80) / 2 for w in range(4)], 20)
    se = np.sqrt(79 / 80 * (steps @ steps))
    strength = won_thirds(80)
    assert strength["se"] == pytest.approx(se, rel=1e-9)
    assert strength["ci"][1] == pytest.approx(t.ppf(0.975, 79) * se, abs=1e-9)


def test_problems_that_are_all_alike_leave_an_interval_with_a_width():
    # A wins two of three on each of 30 problems: no problem tells more than another, so the model's error is taken,
    # that of log odds / 2: sqrt(1/60 + 1/30) / 2.
    rows = [
        f"s{at}-{game},r,A|B,{'first' if game < 2 else 'second'},,p{at}"
        for at in range(30)
        for game in range(3)
    ]
    found = document(rows, header="subject,rater,system,value,order,cluster")
    strength = systems(found)["A"]["strength"]
    se = np.sqrt(1 / 60 + 1 / 30) / 2
    assert strength["value"] == pytest.approx(np.log(2) / 2)
    assert strength["se"] == pytest.approx(se, abs=1e-9)
    assert strength["ci"][1] == pytest.approx(np.log(2) / 2 + 2.0452296 * se, abs=1e-7)
    assert "NO_SPREAD" in strength["warnings"]
    # Wald's statistic is (log 2 / 2 / se)^2 = 9.61; F with 1 and 29 degrees beyond it.
    assert found["equal_strengths"]["p"] == pytest.approx(f.sf((np.log(2) / 2 / se) ** 2, 1, 29), abs=1e-9)


def test_strengths_are_not_tested_where_one_problem_alone_compares_a_system():
    """At the maximum the scores of C sum to zero, so in the only problem with C they are zero: no error by problem."""
    rows = [
        f"s{at}-{n},r,A|B,{won},,p{at}"
        for at in range(5)
        for n, won in enumerate(["first", "second"][: 1 + at % 2])
    ]
    rows += [f"u{n},r,C|A,{won},,p9" for n, won in enumerate(("first", "first", "second"))]
    found = document(rows, header="subject,rater,system,value,order,cluster")
    assert found["equal_strengths"]["p"] is None
    assert found["equal_strengths"]["method"] == "wald_by_cluster"
    assert found["equal_strengths"]["lr"] > 0


@pytest.mark.slow
@given(st.integers(1, 7), st.integers(1, 3), st.integers(0, 10**6), st.sampled_from(("agree", "net")))
@settings(max_examples=60, deadline=None)
def test_every_number_about_few_comparisons_is_finite(problems, raters, seed, orders):
    rng = np.random.default_rng(seed)
    rows = []
    for at in range(problems):
        first, second = rng.choice(list("ABCD"), 2, replace=False)
        for rater in range(raters):
            for left, right in ((first, second), (second, first))[: rng.integers(1, 3)]:
                value = rng.choice(["first", "second", "tie"])
                rows.append(f"s{at},r{rater},{left}|{right},{value},p{at % rng.integers(1, 4)}")
    table = read_labels(io.BytesIO("\n".join(["subject,rater,system,value,cluster", *rows]).encode()))
    json.dumps(pairs_document(table, options=Options(seed=1), orders=orders), allow_nan=False)


def test_with_few_problems_every_fit_leaves_one_out():
    rows = [f"s{at},r,A|B,{'first' if at % 3 else 'second'},,p{at // 6}" for at in range(60)] + [
        f"u{at},r,A|B,first,,p{at}" for at in range(4)
    ]
    a = systems(document(rows, header="subject,rater,system,value,order,cluster"))["A"]
    # Ten problems of 4 to 2, four of them with another win of A: each leaves (44 - w) to 18, b = log odds / 2.
    left = np.array([np.log((44 - w) / 18) / 2 for w in [5] * 4 + [4] * 6])
    se = np.sqrt(0.9 * ((left - left.mean()) ** 2).sum())
    assert a["jackknife"]["se"] == pytest.approx(se, abs=1e-9)
    # as much as 64^2 / (4 7^2 + 6 6^2) = 9.94 problems of equal size
    student = t_value(0.95, 64**2 / (4 * 7**2 + 6 * 6**2) - 1)
    assert student == pytest.approx(2.26, abs=0.01)
    assert a["jackknife"]["ci"][1] == pytest.approx(np.log(44 / 20) / 2 + student * se, abs=1e-7)


def test_the_strength_of_a_system_on_few_problems_is_as_uncertain_as_these_leave_it():
    # With Student's t for all ten problems .82 of 391 simulated intervals of a system on two of them had its strength,
    # .90 of one on three; with the two and three that tell about it .94 and .96.
    rows = three_equals_on_ten_problems()
    rows += [f"s{at},r,{one}|D,{RESULTS[at + (one == 'A')]},,p{at}" for at in range(2) for one in "ABC"]
    d = systems(document(rows, header="subject,rater,system,value,order,cluster"))["D"]["strength"]
    assert d["ci"][1] - d["value"] == pytest.approx(t_value(0.95, 1.0) * d["se"], rel=0.1)


def test_only_comparisons_among_the_chosen_systems_and_raters_count():
    rows = ["a,r,A|B,first,,expert", "b,r,A|C,second,,expert", "c,j,B|A,first,,judge"]
    table = read_labels(
        io.BytesIO("\n".join(["subject,rater,system,value,order,rater_kind", *rows]).encode())
    )
    found = pairs_document(table, options=Options(), systems=["A", "B"])
    assert (found["comparisons"], list(systems(found))) == (2, ["A", "B"])
    experts = pairs_document(table, options=Options(rater_kind="expert"))
    assert (experts["comparisons"], list(systems(experts))) == (2, ["A", "B", "C"])
    with pytest.raises(TableError, match="no comparison shows D"):
        pairs_document(table, options=Options(), systems=["A", "D"])
    with pytest.raises(TableError, match="no label is by a rater of the kind"):
        pairs_document(table.select(np.array([0])), options=Options(rater_kind="judge"))


def test_the_two_orders_are_compared_by_kappa_too():
    # Orders in rows and columns: A wins both 60, B both 25, first-first (A, B) 10, second-second (B, A) 5.
    # Observed .85, margins .70/.30 and .65/.35: expected .455 + .105 = .56, kappa = .29 / .44.
    assert document(list(swapped_rows()))["position_bias"]["swap_kappa"] == pytest.approx(0.29 / 0.44)


def test_a_rater_who_contradicts_himself_all_round_is_shown_as_inconsistent():
    rows = ["a,r,A|B,first,", "a,r,B|C,first,", "a,r,C|A,first,", "a,s,A|B,first,", "a,s,B|C,first,"]
    found = document([*rows, "a,s,A|C,first,"])["transitivity"]
    assert found["raters"] == [
        {"rater": "r", "circular_triads": 1, "consistence": 0},
        {"rater": "s", "circular_triads": 0, "consistence": 1},
    ]
    assert found["cycles"] == []
    assert document(rows[:3])["transitivity"]["cycles"] == [["A", "B", "C"]]
    assert "majority cycle: A > B > C > A" in pairs_text(document(rows[:3]))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,r,A,first,", "line 2, column system"),
        ("a,r,A|A,first,", "left|right"),
        ("a,r,A|B|C,first,", "left|right"),
        ("a,r,A|B,left,", "line 2, column value"),
    ],
)
def test_rows_that_are_no_comparison_are_refused(row, message):
    with pytest.raises(TableError, match=message.replace("|", r"\|")):
        document([row])


def test_no_comparisons_are_an_empty_document():
    found = document([])
    assert found["systems"] == []
    assert found["tie_parameter"]["reason"] == "NO_ITEMS"


def test_the_pandalm_win_rates_are_reproduced():
    # shared/data/README.md: majority of three annotators, ties as half.
    rows = []
    for pair in pandalm():
        left, right = pair["cmp_key"].split("_")
        (label, count), *_ = Counter(pair[f"annotator{a}"] for a in (1, 2, 3)).most_common()
        label = label if count > 1 else 0
        rows.append(f"{pair['idx']},experts,{left}|{right},{('tie', 'first', 'second')[label]},")
    found = systems(document(rows))
    published = {"llama-7b": 0.7114, "pythia-6.9b": 0.5230, "bloom-7b": 0.4889, "opt-7b": 0.4223}
    published["cerebras-gpt-6.7B"] = 0.3380
    for name, rate in published.items():
        assert found[name]["half_tie_rate"]["value"] == pytest.approx(rate, abs=5e-5), name


def test_a_thousand_tables_at_once_are_each_fitted_as_if_alone():
    rng = np.random.default_rng(20261122)
    tables = rng.poisson(1.5, size=(300, 3, 4, 4)).astype(float)
    tables[:, :, range(4), range(4)] = 0
    tables[::3, 2] = 0  # without ties
    tables[::10, :, 3, :] = tables[::10, :, :, 3] = 0
    tables[7] = 0
    tables[8] = np.triu(tables[8] + 1, 1)
    tables[8, 1:] = 0  # the earlier of two always wins
    together = davidson.fit_all(tables)
    reasons = {found for found in together if isinstance(found, Reason)}
    assert reasons == {Reason.NO_ITEMS, Reason.SEPARATION, Reason.NOT_CONNECTED}
    for table, found in zip(tables, together, strict=True):
        alone = davidson.fit(table)
        if not isinstance(alone, DavidsonFit):
            assert found == alone
            continue
        assert isinstance(found, DavidsonFit)
        assert found.strengths == pytest.approx(alone.strengths, abs=1e-9)
        assert found.covariance == pytest.approx(alone.covariance, abs=1e-9)
        assert (found.log_nu is None) == (alone.log_nu is None)


def pairs_of(copies):
    """30 judgments of three systems; each problem `copies` times over, all of one cluster."""
    rng = np.random.default_rng(4)
    marks = rng.choice(["first", "second", "tie"], p=[0.5, 0.3, 0.2], size=60)
    shown = ["A|B", "B|C", "C|A", "B|A", "C|B", "A|C"]
    rows = [f"{at}-{copy},p{at},r,{shown[at % 6]},{marks[at]}" for at in range(60) for copy in range(copies)]
    text = "\n".join(["subject,cluster,rater,system,value", *rows])
    return pairs_document(read_labels(io.BytesIO(text.encode())), options=Options())


def test_every_error_of_a_pairs_document_takes_clusters_together():
    """Four copies of each judgment tell as much as one: no error may halve, no p-value may fall to a fourth's."""
    once, copied = pairs_of(1), pairs_of(4)
    for alone, system in zip(once["systems"], copied["systems"], strict=True):
        for name in ("strength", "win_rate", "half_tie_rate"):
            assert system[name]["value"] == pytest.approx(alone[name]["value"]), name
            assert system[name]["se"] == pytest.approx(alone[name]["se"], rel=0.2), name
            assert system[name]["clusters"] is not None
        low, high = system["strength"]["ci"]
        assert (high - low) / 2 == pytest.approx(1.96 * system["strength"]["se"], rel=0.15)
    for name in ("tie_parameter", "order_effect"):
        assert copied[name]["se"] == pytest.approx(once[name]["se"], rel=0.2), name
        assert copied[name]["method"] == "davidson_newton, cluster jackknife"
    assert copied["order_effect"]["lr_p"] == pytest.approx(once["order_effect"]["lr_p"], abs=0.06)
    assert copied["equal_strengths"]["p"] == pytest.approx(once["equal_strengths"]["p"], abs=0.1)
    assert copied["equal_strengths"]["lr"] == pytest.approx(4 * once["equal_strengths"]["lr"], rel=1e-6)
    assert copied["position_bias"]["p"] == pytest.approx(once["position_bias"]["p"], abs=0.06)
    widths = [one["position_bias"]["first_slot_share"]["ci"] for one in (once, copied)]
    assert widths[1][1] - widths[1][0] == pytest.approx(widths[0][1] - widths[0][0], rel=0.1)


def test_a_system_that_always_wins_has_a_half_tie_rate_with_a_width():
    found = records(table_from_wins([[0, 10], [0, 0]]))[0].half_tie_rate
    assert found.value == 1
    assert found.ci[0] < 0.75
    assert Caution.NO_SPREAD in found.warnings
