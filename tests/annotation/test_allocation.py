from collections import Counter

import pytest

from annotation.assigning.allocation import Candidate, Vacancy, allocate


def vacancy(item: int, domain: str = "algebra", wanted: int = 2, **fields) -> Vacancy:
    return Vacancy(item=item, domain=domain, wanted=wanted, **fields)


def candidate(reviewer: int, *domains: str, **fields) -> Candidate:
    return Candidate(reviewer=reviewer, confidence=dict.fromkeys(domains or ["algebra"], 2), **fields)


def test_every_item_gets_the_number_of_different_reviewers_it_wants():
    plan = allocate([vacancy(n, wanted=3) for n in range(10)], [candidate(r) for r in range(5)], seed=1)
    assert Counter(item for item, _ in plan.pairs) == dict.fromkeys(range(10), 3)
    assert len(set(plan.pairs)) == 30
    assert plan.unmet == ()


@pytest.mark.slow
def test_a_plan_is_found_with_every_seed():
    items = [
        vacancy(0, "topology", 2),
        vacancy(1, "topology", 1),
        vacancy(2, "algebra", 3),
        vacancy(3, "algebra", 2),
        vacancy(4, "algebra", 3),
    ]
    people = [
        Candidate(0, {"topology": 3}, load=4),
        Candidate(1, {"algebra": 3, "topology": 3}, load=2, capacity=3),
        Candidate(2, {"algebra": 1}, {4: "with a conflict of interest"}, load=3, capacity=2),
    ]
    assert {len(allocate(items, people, seed).pairs) for seed in range(300)} == {3}


def test_only_reviewers_of_the_domain_are_chosen():
    plan = allocate(
        [vacancy(1, "algebra", 1), vacancy(2, "analysis", 1)],
        [candidate(1, "algebra"), candidate(2, "analysis")],
        seed=1,
    )
    assert plan.pairs == ((1, 1), (2, 2))


def test_what_is_excluded_for_a_reviewer_is_never_theirs_and_the_reason_is_told():
    plan = allocate(
        [vacancy(0, wanted=1), vacancy(3, wanted=1)],
        [
            candidate(1, excluded={0: "with a conflict of interest", 3: "with a conflict of interest"}),
            candidate(2, excluded={0: "with a conflict of interest", 3: "for whom too few"}),
            candidate(3, excluded={3: "with a conflict of interest"}),
            candidate(4, undecided=True),
        ],
        seed=1,
    )
    assert plan.pairs == ((0, 3),)
    assert [unmet.reason for unmet in plan.unmet] == [
        "0 of 4 reviewers fit (1 for whom too few, 1 waiting for a decision about a conflict of interest, "
        "2 with a conflict of interest)"
    ]


def test_who_had_the_item_before_does_not_get_it_again():
    plan = allocate([vacancy(1, taken_by=frozenset({1}))], [candidate(1), candidate(2)], seed=1)
    assert plan.pairs == ((1, 2),)
    assert plan.unmet[0].reason == "1 of 2 reviewers fit (1 have already had this item)"


def test_load_is_as_even_as_it_can_be():
    # 20 items x 2 places over 5 reviewers: 8 each
    plan = allocate([vacancy(n) for n in range(20)], [candidate(r) for r in range(5)], seed=1)
    assert set(plan.loads.values()) == {8}


def test_specialists_keep_their_domain_so_that_nobody_is_overloaded():
    # 6 places in algebra, 6 in analysis; the generalist (1) must not take what only evens out elsewhere
    items = [vacancy(n, "algebra", 1) for n in range(6)] + [vacancy(n, "analysis", 1) for n in range(6, 12)]
    plan = allocate(
        items,
        [candidate(1, "algebra", "analysis"), candidate(2, "algebra"), candidate(3, "analysis")],
        seed=1,
    )
    assert plan.loads == {1: 4, 2: 4, 3: 4}


def test_places_held_already_count_as_load():
    plan = allocate([vacancy(n, wanted=1) for n in range(6)], [candidate(1, load=4), candidate(2)], seed=1)
    assert plan.loads == {1: 5, 2: 5}


def test_confidence_decides_between_equal_loads():
    expert = Candidate(reviewer=2, confidence={"algebra": 3})
    beginner = Candidate(reviewer=1, confidence={"algebra": 1})
    assert allocate([vacancy(1, wanted=1)], [beginner, expert], seed=1).pairs == ((1, 2),)


def test_what_cannot_be_met_is_reported_with_its_reason_and_the_rest_is_placed():
    plan = allocate(
        [vacancy(1, wanted=3)], [candidate(1), candidate(2, "analysis"), candidate(3, "analysis")], seed=1
    )
    assert plan.pairs == ((1, 1),)
    (unmet,) = plan.unmet
    assert (unmet.wanted, unmet.placed) == (3, 1)
    assert unmet.reason == "1 of 3 reviewers fit (2 without expertise in the domain)"


def test_capacity_is_never_exceeded_and_is_named_as_the_reason():
    plan = allocate([vacancy(n, wanted=1) for n in range(5)], [candidate(1, load=1, capacity=3)], seed=1)
    assert plan.loads == {1: 3}
    assert len(plan.unmet) == 3
    assert plan.unmet[0].reason == "1 of 1 reviewers fit, but their capacity is used up"


def test_nobody_at_all_leaves_every_place_unmet():
    plan = allocate([vacancy(1)], [], seed=1)
    assert plan.pairs == ()
    assert plan.unmet[0].reason == "0 of 0 reviewers fit"


def test_the_same_seed_gives_the_same_plan_and_another_seed_another():
    items, people = [vacancy(n) for n in range(12)], [candidate(r) for r in range(6)]
    plan = allocate(items, people, seed=1)
    assert allocate(items[::-1], people[::-1], seed=1) == plan
    assert allocate(items, people, seed=2).sha256 != plan.sha256


def test_the_plan_is_global_where_greedy_choice_would_fail():
    # Item 1 fits both reviewers, item 2 only reviewer 1, and each has room for one: only one plan fills both.
    plan = allocate(
        [vacancy(1, "algebra", 1), vacancy(2, "analysis", 1)],
        [candidate(1, "algebra", "analysis", capacity=1), candidate(2, "algebra", capacity=1)],
        seed=1,
    )
    assert plan.pairs == ((1, 2), (2, 1))


def problems_of(plan, vacancies):
    """Reviewer to the problems of their items, one entry for each item."""
    problem = {row.item: row.problem for row in vacancies}
    found = {}
    for item, reviewer in plan.pairs:
        found.setdefault(reviewer, []).append(problem[item])
    return found


def answers(problems: int, each: int, wanted: int = 2):
    """`each` vacancies of every problem."""
    return [
        vacancy(problem * 10 + number, wanted=wanted, problem=problem)
        for problem in range(1, problems + 1)
        for number in range(each)
    ]


def test_apart_gives_nobody_two_answers_to_a_problem_and_fills_all_that_can_be():
    rows = answers(3, 4)
    plan = allocate(rows, [candidate(number) for number in range(1, 9)], seed=1, rule="apart")
    # four answers with two places each are eight places: each of the eight reviewers takes one a problem
    assert all(Counter(mine).most_common(1)[0][1] == 1 for mine in problems_of(plan, rows).values())
    assert len(plan.pairs) == 24
    assert not plan.unmet
    assert set(plan.loads.values()) == {3}


def test_apart_leaves_places_empty_rather_than_give_a_second_answer_and_says_why():
    rows = answers(1, 4)
    plan = allocate(rows, [candidate(number) for number in (1, 2, 3)], seed=1, rule="apart")
    assert len(plan.pairs) == 3
    assert {row.reason for row in plan.unmet} == {
        "3 of 3 reviewers fit, but each may take only one answer to a problem, or their capacity is used up"
    }


def test_apart_counts_answers_that_a_reviewer_had_before():
    had = candidate(1, problems=frozenset({1}))
    plan = allocate(answers(1, 1, wanted=1), [had, candidate(2)], seed=1, rule="apart")
    assert plan.pairs == ((10, 2),)
    alone = allocate(answers(1, 1, wanted=1), [had], seed=1, rule="apart")
    assert "1 have had another answer to the problem" in alone.unmet[0].reason


def test_together_gives_a_problem_s_answers_to_the_same_reviewers_with_even_load():
    rows = answers(6, 4)
    plan = allocate(rows, [candidate(number) for number in range(1, 5)], seed=1, rule="together")
    for mine in problems_of(plan, rows).values():
        assert set(Counter(mine).values()) == {4}
    # 6 problems x 4 answers x 2 reviewers = 48 places on 4 people
    assert set(plan.loads.values()) == {12}


def test_together_gives_a_problem_to_nobody_who_may_not_see_one_of_its_answers():
    rows = answers(1, 3, wanted=1)
    barred = candidate(1, excluded={rows[2].item: "with a conflict of interest"})
    plan = allocate(rows, [barred, candidate(2)], seed=1, rule="together")
    assert {reviewer for _, reviewer in plan.pairs} == {2}
    assert allocate(rows, [barred], seed=1, rule="together").pairs == ()


def test_together_keeps_a_capacity_in_items():
    rows = answers(4, 3, wanted=1)
    plan = allocate(rows, [candidate(1, capacity=7), candidate(2)], seed=1, rule="together")
    # seven items hold two problems of three
    assert plan.loads == {1: 6, 2: 6}


def test_together_serves_problems_of_different_sizes():
    rows = [*answers(2, 3, wanted=1), vacancy(91, wanted=1, problem=9)]
    plan = allocate(rows, [candidate(1), candidate(2)], seed=1, rule="together")
    assert sorted(plan.loads.values()) == [3, 4]
    assert not plan.unmet
