"""The rules behind the results page, as functions of plain values: levels, cells, sentences. No database."""

import pytest

from benchmark.protocols import get_protocol
from reports.core.datasets import CampaignInfo, OutputRow
from reports.results import sentences
from reports.results.board import interval_of, value_of
from reports.results.graded import Agreeing, Graded, agreeing, level_of, rater_pairs, readable_questions
from reports.results.grid import graded_cell, names_of, natural, problems, shade_of
from reports.results.page import decision_words
from stats.core.estimate import Estimate
from stats.core.intervals import proportion
from stats.core.scale import NAMED, own_scale

LEVELS = own_scale(
    {
        "level": "ordinal",
        "values": ["flawless", "minor", "major", "reject"],
        "success": ["flawless", "minor"],
    }
)
TO_TEN = own_scale({"level": "interval", "values": [str(n) for n in range(11)]})
YES_NO = NAMED["predicate"]


def graded(*values, solved=True, decided=False):
    passed = {value in LEVELS.success for value in values}
    answers = {f"expert-{n}": value for n, value in enumerate(values, start=1)}
    return Graded("p/s/1", answers, level_of(LEVELS, values), solved, len(passed) > 1, decided)


@pytest.mark.parametrize(
    ("values", "level"),
    [
        (["minor", "minor", "major"], "minor"),
        (["flawless", "minor", "major"], "minor"),  # all differ: the middle one
        (["flawless", "major"], "major"),  # of two the lower one
        (["flawless", "flawless", "reject", "reject"], "reject"),
        (["reject"], "reject"),
    ],
)
def test_a_cell_shows_the_commonest_level_else_the_middle_one(values, level):
    assert level_of(LEVELS, values) == level
    assert level_of(LEVELS, values[::-1]) == level


def test_an_abstention_is_below_all_levels_of_a_form_of_ones_own():
    """As for solved, where it is no success; its value is not on the scale."""
    nothing = LEVELS.unclear
    assert level_of(LEVELS, ["flawless", nothing]) == level_of(LEVELS, [nothing]) == nothing
    assert level_of(LEVELS, ["flawless", nothing, "minor"]) == "minor"


def test_a_referee_who_abstained_did_not_say_split():
    nothing = LEVELS.unclear
    cell = graded_cell(LEVELS, graded("major", nothing), usual=2)
    assert (cell.words, cell.spoken) == ("Split", "split, levels differ: major, abstained")
    assert graded_cell(LEVELS, graded(nothing), usual=1).spoken == "abstained, one referee"


def test_without_an_order_different_answers_have_no_middle():
    assert level_of(YES_NO, ["yes", "no"]) == "uncertain"


def test_numbers_have_a_mean():
    assert level_of(TO_TEN, ["7", "7", "6"]) == "6.7"
    assert level_of(TO_TEN, ["7", "7"]) == "7"
    assert level_of(TO_TEN, ["10", "10", "10"]) == "10"
    quarters = own_scale({"level": "interval", "values": ["0", "0.25", "0.5", "1"]})
    assert level_of(quarters, ["0.25"]) == level_of(quarters, ["0.25", "0.25"]) == "0.25"  # as it was given
    assert level_of(quarters, ["0.25", "0.5"]) == "0.38"
    assert level_of(quarters, ["0", "1"]) == "0.5"


def test_a_mean_is_counted_as_it_is_and_not_as_the_cell_rounds_it():
    answers = {"expert-1": "7", "expert-2": "7", "expert-3": "6"}
    assert Graded("p/s/1", answers, "6.7", None, True).number == pytest.approx(20 / 3)
    assert Graded("p/s/1", answers, "5", None, True, decided=True).number == 5


@pytest.mark.parametrize(
    ("protocol", "rubric", "keys"),
    [
        ("proofs", "proofs-steps-v1", []),  # only labels of steps
        ("proofs", "proofs-first-error-v1", ["correctness"]),
        ("proofs", "proofs-v1", ["correctness", "answer_accuracy"]),
    ],
)
def test_a_campaign_is_read_by_what_has_one_answer_for_each_proof(protocol, rubric, keys):
    content = get_protocol(protocol).rubric(rubric).content
    campaign = CampaignInfo("c", "C", "grade", True, content, "", 1, 3)
    assert [question.key for question in readable_questions(campaign)][:2] == keys


def test_shades_follow_the_rank_and_the_solved_levels_are_the_darker_ones():
    assert [shade_of(LEVELS, value) for value in ("reject", "major", "minor", "flawless")] == [0, 1, 3, 4]
    assert [shade_of(YES_NO, value) for value in ("no", "uncertain", "yes")] == [0, 0, 4]
    assert [shade_of(TO_TEN, value) for value in ("0", "5", "10")] == [0, 2, 4]


@pytest.mark.parametrize(
    ("values", "mark", "said"),
    [
        (["minor", "minor", "minor"], "", "minor, all referees agree"),
        (["flawless", "flawless", "minor"], "2:1", "flawless, levels differ: flawless, flawless, minor"),
        (
            ["minor", "minor", "major"],
            "2:1",
            "minor, referees differ on solved or not: minor, minor, major",
        ),
        (["major", "major"], "2/2", "major, only 2 of 3 referees"),
        (["major"], "1/1", "major, only 1 of 3 referees"),
    ],
)
def test_a_cell_says_in_words_what_its_mark_means(values, mark, said):
    cell = graded_cell(LEVELS, graded(*values), usual=3)
    assert (cell.mark, cell.spoken) == (mark, said)


def test_a_decision_is_said():
    assert graded_cell(LEVELS, graded("minor", "major", decided=True), usual=2).spoken.endswith(
        "decided by an adjudicator"
    )


def test_problems_are_numbered_as_people_count():
    assert sorted(["p10", "p2", "p1", "2a", "q"], key=natural) == ["p1", "p2", "p10", "q", "2a"]


def test_an_attempt_is_called_by_its_number_and_not_by_its_place():
    def output(instance, attempt):
        subject = f"{instance}/aurora/{attempt}"
        return OutputRow(subject, "aurora", instance, instance, "algebra", attempt, "answered", "")

    rows = problems([output("p1", 1), output("p1", 3), output("p2", 4)], None, ["aurora"])
    assert names_of(rows, {0: "A"}) == {"p1/aurora/1": "1A", "p1/aurora/3": "1A.3", "p2/aurora/4": "2A.4"}
    assert [cell.attempt for row in rows for cell in row.cells[0]] == [1, 3, 4]


def test_agreement_is_counted_in_pairs_and_proofs_of_two_or_more():
    # 3 pairs of which 1 agrees, 3 of which all agree, and one answer alone, which is not a pair
    assert agreeing([["a", "a", "b"], ["a", "a", "a"], ["b"]]) == Agreeing(4, 6, 1, 2)


def test_two_raters_are_compared_on_what_both_graded_however_little():
    outputs = [graded("minor", "minor", "major"), graded("minor", "major")]
    found = {(pair.first, pair.second): (pair.differ, pair.both) for pair in rater_pairs(outputs)}
    assert found == {
        ("expert-1", "expert-2"): (1, 2),
        ("expert-1", "expert-3"): (1, 1),
        ("expert-2", "expert-3"): (1, 1),
    }


def apart(**pairs):
    return {tuple(pair): told for pair, told in pairs.items()}


@pytest.mark.parametrize(
    ("letters", "pairs", "lead", "rest"),
    [
        ("AB", apart(AB=False), "With ten problems, A and B cannot be told apart.", ""),
        ("AB", apart(AB=True), "With ten problems, A and B can be told apart.", ""),
        (
            "ABC",
            apart(AB=False, AC=True, BC=True),
            "With ten problems, A and B cannot be told apart.",
            "Told apart: A from C and B from C.",
        ),
        (
            "ABC",
            apart(AB=True, AC=True, BC=False),
            "With ten problems, some systems can be told apart.",
            "Told apart: A from B and A from C.",
        ),
        (
            "ABC",
            apart(AB=True, AC=True, BC=True),
            "With ten problems, any two of the three systems can be told apart.",
            "",
        ),
        (
            "ABCDE",
            {(a, b): False for a in "ABCDE" for b in "ABCDE" if a < b},
            "With ten problems, no two of the five systems can be told apart.",
            "",
        ),
    ],
)
def test_systems_are_told_apart_by_their_intervals_alone(letters, pairs, lead, rest):
    found = sentences.told_apart_words(letters, pairs, 10)
    assert (found.lead, found.rest) == (lead, rest)


def test_where_nothing_was_compared_nothing_is_said():
    assert sentences.told_apart_words("AB", {}, 10) is None
    assert sentences.told_apart_words("AB", {("A", "B"): None}, 10) is None


@pytest.mark.parametrize(
    ("answers", "solved", "decided", "words"),
    [
        (("yes", "no"), False, False, "not solved, evenly split"),
        (("yes", "no", "no"), False, False, "not solved, by majority"),
        (("yes", "yes", "no"), True, False, "solved, by majority"),
        (("yes", "no"), False, True, "not solved, by adjudicator"),
    ],
)
def test_one_against_one_is_no_majority(answers, solved, decided, words):
    said = {f"expert-{number}": value for number, value in enumerate(answers)}
    graded = Graded("p/a/1", said, "yes" if solved else "no", solved, verdicts_differ=True, decided=decided)
    assert decision_words(graded, YES_NO) == words


@pytest.mark.parametrize(
    ("counts", "lead", "rest"),
    [
        (
            (17, 5, 0, 18),
            "Here the judge erred only by being too kind.",
            "It passed 5 of the 23 that experts did not pass, and none of its rejections was wrong.",
        ),
        # an audit of one verdict alone cannot show in which direction the judge errs
        ((3, 2, 0, 0), "Only what the judge passed can be compared:", "experts did not pass 2 of 5."),
        ((0, 0, 2, 6), "Only what the judge turned down can be compared:", "experts passed 2 of 8."),
        (
            (4, 0, 2, 6),
            "Here the judge erred only by being too strict.",
            "It turned down 2 of the 6 that experts passed, and nothing that it passed was wrong.",
        ),
        (
            (25, 3, 2, 20),
            "The judge errs both ways.",
            "It passed 3 of the 23 that experts did not pass, and it turned down 2 of the 27 that experts passed.",
        ),
        ((4, 0, 0, 6), "The judge made no error here.", "It agrees with the experts on all 10."),
    ],
)
def test_the_direction_of_the_judges_errors_is_said(counts, lead, rest):
    found = sentences.judge_errors_words(*counts)
    assert (found.lead, found.rest) == (lead, rest)


def test_without_audited_outputs_nothing_is_said_of_errors():
    assert sentences.judge_errors_words(0, 0, 0, 0) is None


@pytest.mark.parametrize(
    ("unanimous", "lead"),
    [(8, "Referees agree"), (6, "most proofs"), (5, "often differ")],
)
def test_unanimity_has_its_words(unanimous, lead):
    found = sentences.unanimity_words(Agreeing(0, 0, unanimous, 8), "solved or not", "α = 0.85", 8)
    assert lead in found.lead
    assert found.rest == f"{unanimous} of 8 are unanimous on solved or not; α = 0.85."


@pytest.mark.parametrize(("graded", "words"), [(9, "1 more has"), (24, "16 more have")])
def test_proofs_without_two_answers_are_not_left_out_in_silence(graded, words):
    found = sentences.unanimity_words(Agreeing(0, 0, 6, 8), "solved or not", "", graded)
    assert found.rest == f"6 of 8 are unanimous on solved or not ({words} fewer than two answers that count)."


def test_distances_between_levels():
    assert sentences.by_one_level_words([0, 0]) == ""
    assert (
        sentences.by_one_level_words([0, 1, 1, 2])
        == "Where two referees differ, it is by one level in 2 of 3 cases."
    )


@pytest.mark.parametrize(
    ("k", "n", "shown"), [(23, 40, "58 %"), (115, 200, "58 %"), (29, 200, "15 %"), (1, 8, "13 %")]
)
def test_shares_are_rounded_half_up_on_the_exact_ratio(k: int, n: int, shown: str) -> None:
    """100 * (23 / 40) is 57.49999999999999."""
    assert value_of(proportion(k, n)) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.475, "48 %"),
        (0.9967, "99.7 %"),
        (0.9996, "99.96 %"),
        (1.0, "100 %"),
        (1 - 1e-12, "100 %"),
        (0.004, "0.4 %"),
        (0.0, "0 %"),
    ],
)
def test_what_is_neither_none_nor_all_is_not_shown_as_0_or_100_percent(value, shown):
    estimate = Estimate(value=value, ci=(0.0, value), method="wilson")
    assert value_of(estimate) == shown
    assert f"{interval_of(estimate)} %" == f"0 to {shown}"
