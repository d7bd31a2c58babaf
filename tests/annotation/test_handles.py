import re
from itertools import pairwise

from annotation.core.handles import LOTS, Lots, handle, nearest, shuffled

KEY = b"a key for tests"
# 30 problems, each answered by 4 systems that were imported one after another: item = system * 30 + problem
ITEMS = [(system * 30 + problem, problem) for system in range(4) for problem in range(30)]


def test_a_handle_is_short_opaque_and_safe_in_an_address():
    name = handle(KEY, campaign=1, item=2, reviewer=3)
    assert re.fullmatch(r"[A-Za-z0-9_-]{24}", name)
    assert name == handle(KEY, campaign=1, item=2, reviewer=3)


def test_handles_differ_by_campaign_item_reviewer_and_key():
    names = {
        handle(key, campaign=c, item=i, reviewer=r)
        for key in (KEY, b"another")
        for c in (1, 2)
        for i in (1, 2, 12)
        for r in (1, 2, 21)
    }
    assert len(names) == 2 * 2 * 3 * 3


def test_the_outputs_of_one_problem_follow_each_other():
    problems = [item % 30 for item in shuffled(KEY, seed=1, reviewer=5, items=ITEMS)]
    changes = sum(1 for before, after in pairwise(problems) if before != after)
    assert changes == 29


def test_order_is_stable_for_a_reviewer_and_differs_between_reviewers():
    assert shuffled(KEY, seed=1, reviewer=5, items=ITEMS) == shuffled(
        KEY, seed=1, reviewer=5, items=reversed(ITEMS)
    )
    assert shuffled(KEY, seed=1, reviewer=5, items=ITEMS) != shuffled(KEY, seed=1, reviewer=6, items=ITEMS)


def auc(positives: list[int], negatives: list[int]) -> float:
    wins = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    return wins / (len(positives) * len(negatives))


def test_position_tells_nothing_about_the_system():
    ranks: dict[int, list[int]] = {system: [] for system in range(4)}
    for reviewer in range(40):
        for rank, item in enumerate(shuffled(KEY, seed=1, reviewer=reviewer, items=ITEMS)):
            ranks[item // 30].append(rank)
    others = [rank for system in (1, 2, 3) for rank in ranks[system]]
    # 1,200 against 3,600 ranks: the standard error of the AUC is below 0.0098; three of them
    assert abs(auc(ranks[0], others) - 0.5) < 0.03


def test_the_order_of_handles_tells_nothing_about_the_system():
    names = {(i, r): handle(KEY, campaign=1, item=i, reviewer=r) for i, _ in ITEMS for r in range(10)}
    rank = {pair: place for place, pair in enumerate(sorted(names, key=names.__getitem__))}
    first = [rank[i, r] for i, r in names if i < 30]
    rest = [rank[i, r] for i, r in names if i >= 30]
    # 300 against 900: standard error 0.0193; three of them
    assert abs(auc(first, rest) - 0.5) < 0.058


def test_lots_are_a_permutation_of_their_own_for_every_reviewer():
    own = Lots(KEY, seed=1, reviewer=5)
    order = [own.at(place) for place in range(LOTS)]
    assert sorted(order) == list(range(LOTS))
    assert [own.place(lot) for lot in order] == list(range(LOTS))
    assert own.at(LOTS + 3) == own.at(3)
    others = {
        tuple(Lots(KEY, seed=1, reviewer=reviewer).at(place) for place in range(16)) for reviewer in range(50)
    }
    assert len(others) == 50


def test_neighbours_among_the_lots_are_no_neighbours_in_a_reviewers_order():
    # |place(lot + 1) - place(lot)| of a random permutation of n has the mean n / 3 and a standard deviation below
    # n / 4; over 4,095 pairs that is below 16 for n = 4,096. Four of them:
    own = Lots(KEY, seed=1, reviewer=5)
    distances = [abs(own.place(lot + 1) - own.place(lot)) for lot in range(LOTS - 1)]
    assert abs(sum(distances) / len(distances) - LOTS / 3) < 64


def test_the_nearest_item_is_the_first_of_the_nearest_lot_and_comes_round_again():
    own = Lots(KEY, seed=1, reviewer=5)
    near, far = own.at(10), own.at(2000)
    items = [(1, far), (2, near), (3, near + LOTS), (4, near)]

    def first(start, of=tuple(items)):
        return nearest(KEY, seed=1, reviewer=5, items=of, lots=own, start=start)

    assert first(5) == shuffled(KEY, seed=1, reviewer=5, items=items[1:])[0]
    assert first(11) == 1
    assert first(2001) == first(5)
