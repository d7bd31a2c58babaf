"""What a reviewer gets leaves k systems possible, whatever they infer from what they got and what they did not get."""

from itertools import combinations, permutations

import pytest

from annotation.conflicts.possible_authors import DrawnItem, Ground, Targets, Why, exclusions

SYSTEMS = ("a", "b", "c", "d", "e")


def ground(*authors: str, least: int = 3, problem: str = "p", first: int = 0) -> Ground:
    """One problem whose outputs are by `authors`, in the order of their items."""
    items = tuple(DrawnItem(first + n, problem, "", frozenset({by})) for n, by in enumerate(authors))
    return Ground(items, {problem: frozenset(authors)}, least)


def conflict(*systems: str) -> Targets:
    return Targets(systems=frozenset(systems))


def some(most: int):
    """Every set of at most `most` of the systems."""
    return [frozenset(chosen) for size in range(most + 1) for chosen in combinations(SYSTEMS, size)]


def test_a_conflict_takes_the_system_away_while_enough_others_are_left():
    assert exclusions(ground(*SYSTEMS), conflict("b"), {}) == {1: Why.CONFLICT}
    assert exclusions(ground(*SYSTEMS), conflict("b", "nobody here"), {}) == {1: Why.CONFLICT}


def test_a_conflict_that_leaves_too_few_takes_the_whole_problem_away():
    # 5 systems less 3 are 2, fewer than 3
    found = exclusions(ground(*SYSTEMS), conflict("a", "b", "c"), {})
    assert found == {0: Why.CONFLICT, 1: Why.CONFLICT, 2: Why.CONFLICT, 3: Why.FEW, 4: Why.FEW}


def test_a_problem_that_few_systems_answered_goes_to_nobody():
    assert set(exclusions(ground("a", "b"), Targets(), {}).values()) == {Why.FEW}
    assert exclusions(ground("a", "b", least=2), Targets(), {}) == {}


def test_one_drawn_output_of_a_problem_hides_among_all_systems_that_answered_it():
    drawn = Ground((DrawnItem(1, "p", "", frozenset("a")),), {"p": frozenset(SYSTEMS)}, 3)
    assert exclusions(drawn, Targets(), {}) == {}
    assert exclusions(drawn, conflict("d"), {}) == {}


def test_papers_and_problems_go_whoever_wrote_about_them():
    of_paper = Ground((DrawnItem(1, "p", "paper", frozenset("a")),), {"p": frozenset(SYSTEMS)}, 3)
    assert exclusions(of_paper, Targets(papers=frozenset({"paper"})), {}) == {1: Why.CONFLICT}
    assert exclusions(of_paper, Targets(problems=frozenset({"p"})), {}) == {1: Why.CONFLICT}
    assert exclusions(of_paper, Targets(problems=frozenset({"q"})), {}) == {}


def test_a_pair_goes_with_either_of_its_systems():
    pairs = Ground(
        tuple(DrawnItem(n, "p", "", frozenset(pair)) for n, pair in enumerate(["ab", "ac", "bc"])),
        {"p": frozenset("abc")},
        2,
    )
    assert exclusions(pairs, conflict("c"), {}) == {1: Why.CONFLICT, 2: Why.CONFLICT}


def test_instances_have_no_authors_to_hide():
    instance = Ground((DrawnItem(1, "p", "", frozenset()),), {}, 3)
    assert exclusions(instance, conflict(*SYSTEMS), {}) == {}


def test_a_problem_that_was_had_before_the_conflict_counted_goes_as_a_whole():
    had = {"p": frozenset()}
    assert set(exclusions(ground(*SYSTEMS), conflict("b"), had)) == {0, 1, 2, 3, 4}
    assert exclusions(ground(*SYSTEMS), conflict("b"), {"p": frozenset("b")}) == {1: Why.CONFLICT}
    assert exclusions(ground(*SYSTEMS), conflict("nobody here"), had) == {}  # nothing to learn from it
    assert exclusions(ground(*SYSTEMS), conflict("b"), {"another": frozenset()}) == {1: Why.CONFLICT}


def received(authors, rounds):
    """What came in each round to somebody who takes all they can; a round is what counted then."""
    had: dict[str, frozenset[str]] = {}
    transcript = []
    for systems in rounds:
        out = exclusions(ground(*authors), Targets(systems=systems), had)
        got = frozenset(range(len(authors))) - frozenset(out)
        if got:
            had["p"] = had.get("p", systems) & systems
        transcript.append(got)
    return tuple(transcript)


@pytest.mark.parametrize("first", some(4), ids=lambda chosen: "".join(sorted(chosen)) or "none")
def test_all_that_can_be_inferred_over_three_rounds_leaves_three_possible_authors(first):
    """Conflicts only grow in a benchmark that was begun. Every world is tried that would have looked the same."""
    for second in (more for more in some(5) if more >= first):
        everybody = frozenset(SYSTEMS)
        for third in (second, second | frozenset("e"), everybody):
            possible: dict[tuple[frozenset[int], ...], list[set[str]]] = {}
            for authors in permutations(SYSTEMS):
                seen = received(authors, (first, second, third))
                for item, by in enumerate(authors):
                    possible.setdefault(seen, [set() for _ in SYSTEMS])[item].add(by)
            for transcript, authors_of in possible.items():
                for item in frozenset[int]().union(*transcript):
                    assert len(authors_of[item]) >= 3, (first, second, third, transcript, item)


def test_without_the_rule_for_problems_had_before_an_absence_would_name_the_author():
    """The control: the same inference finds the author where a later conflict takes only its own output away."""
    authors = SYSTEMS
    before = frozenset(range(5)) - exclusions(ground(*authors), Targets(), {}).keys()
    after = frozenset(range(5)) - exclusions(ground(*authors), conflict("b"), {}).keys()
    assert before - after == {1}
