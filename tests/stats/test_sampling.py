"""Stratified draws."""

from collections import Counter

import pytest

from stats.core.sampling import draw_stratified

FRAME = {"yes": [f"y{i}" for i in range(30)], "no": [f"n{i}" for i in range(70)]}


def test_a_draw_takes_the_asked_number_from_every_stratum_and_freezes_the_design():
    drawn = draw_stratified(FRAME, {"yes": 30, "no": 7}, seed=1)
    assert Counter(unit.stratum for unit in drawn) == {"yes": 30, "no": 7}
    assert len({unit.key for unit in drawn}) == 37
    no = next(unit for unit in drawn if unit.stratum == "no")
    assert (no.stratum_size, no.sample_size, no.inclusion_probability) == (70, 7, 0.1)


def test_the_same_seed_and_contents_give_the_same_draw_in_any_order():
    turned = {name: list(reversed(keys)) for name, keys in reversed(list(FRAME.items()))}
    sizes = {"yes": 5, "no": 5}
    assert draw_stratified(FRAME, sizes, seed=4) == draw_stratified(turned, sizes, seed=4)
    assert draw_stratified(FRAME, sizes, seed=4) != draw_stratified(FRAME, sizes, seed=5)


def test_every_unit_is_drawn_equally_often():
    # 2,000 draws of 3 from 10: 600 each, standard deviation sqrt(2000 x .3 x .7) = 20.5; four of them.
    frame = {"all": [str(i) for i in range(10)]}
    draws = [draw_stratified(frame, {"all": 3}, seed=seed) for seed in range(2000)]
    counts = Counter(unit.key for drawn in draws for unit in drawn)
    assert len(counts) == 10
    assert all(abs(count - 600) < 82 for count in counts.values())


@pytest.mark.parametrize(
    ("sizes", "message"), [({"maybe": 1}, "maybe"), ({"yes": 31}, "cannot draw 31"), ({"yes": -1}, "-1")]
)
def test_impossible_draws_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        draw_stratified(FRAME, sizes, seed=1)


def test_a_unit_in_two_strata_is_refused():
    with pytest.raises(ValueError, match="twice"):
        draw_stratified({"a": ["x"], "b": ["x"]}, {"a": 1}, seed=1)
