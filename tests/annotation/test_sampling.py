from collections import Counter

import pytest

from annotation.campaigns.sampling import draw, equal_sizes, stratum_sizes

FRAME = {f"a{n}": "A" for n in range(300)} | {f"b{n}": "B" for n in range(700)}


def test_strata_are_counted():
    assert stratum_sizes(FRAME) == {"A": 300, "B": 700}


def test_the_inclusion_probability_is_sample_size_over_stratum_size():
    drawn = draw(FRAME, {"A": 50, "B": 70}, seed=1)
    assert Counter(unit.stratum for unit in drawn) == {"A": 50, "B": 70}
    # 50 / 300 and 70 / 700
    assert {unit.stratum: unit.inclusion_probability for unit in drawn} == {"A": 1 / 6, "B": 0.1}


def test_the_same_seed_gives_the_same_draw_whatever_the_order_of_the_units():
    backwards = dict(reversed(FRAME.items()))
    assert draw(FRAME, {"A": 5, "B": 5}, seed=7) == draw(backwards, {"A": 5, "B": 5}, seed=7)


def test_another_seed_gives_another_draw():
    assert draw(FRAME, {"A": 5, "B": 5}, seed=7) != draw(FRAME, {"A": 5, "B": 5}, seed=8)


def test_no_unit_is_drawn_twice_and_a_whole_stratum_can_be_taken():
    drawn = draw(FRAME, {"A": 300, "B": 1}, seed=1)
    assert len({unit.key for unit in drawn}) == 301
    assert {unit.inclusion_probability for unit in drawn if unit.stratum == "A"} == {1.0}


def test_every_unit_is_drawn_about_equally_often_over_many_seeds():
    frame = {str(n): "A" for n in range(10)}
    times = Counter(unit.key for seed in range(2000) for unit in draw(frame, {"A": 3}, seed))
    # each is binomial(2000, 0.3): mean 600, standard deviation 20.5; 5 deviations either side
    assert all(497 <= times[key] <= 703 for key in frame)


def test_equal_sizes_stop_at_the_size_of_the_stratum():
    assert equal_sizes({"A": 3, "B": 9}, 5) == {"A": 3, "B": 5}
    assert equal_sizes({"A": 3, "B": 9}, None) == {"A": 3, "B": 9}


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"A": 1}, "no sample size is given for stratum 'B'"),
        ({"A": 1, "B": 1, "C": 1}, "no stratum 'C'"),
        ({"A": 0, "B": 1}, "cannot be drawn"),
        ({"A": 301, "B": 1}, "has 300 items"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused_by_its_stratum(wanted, reason):
    with pytest.raises(ValueError, match=reason):
        draw(FRAME, wanted, seed=1)


def test_a_sample_size_below_one_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        equal_sizes({"A": 3}, 0)
