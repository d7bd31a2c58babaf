"""Symmetric BLEU-4 (STATISTICS.md 1.4, 2E)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.scores.bleu import bleu, bleu_summary, symmetric_bleu

A = "Let G be a finite group and let H be a normal subgroup of G of index two"
B = "Let G be a finite group and let H be a subgroup of G of index two"


def test_the_golden_pair_is_reproduced():
    # 2E, BLEU-4: nltk, sacrebleu and the formula agree on these.
    assert bleu(A.split(), B.split()) == pytest.approx(0.8394327, abs=5e-8)
    assert bleu(B.split(), A.split()) == pytest.approx(0.8428014, abs=5e-8)
    assert symmetric_bleu(A, B) == pytest.approx(0.8411171, abs=5e-8)


def test_a_repeated_word_counts_only_as_often_as_the_reference_has_it():
    # "the" twice in a reference of seven words: 2 of 7 unigrams, no bigram (Papineni et al. 2002).
    assert bleu(["the"] * 7, ["the", "cat", "is", "on", "the", "mat", "now"]) == 0
    assert bleu(["the"], ["the", "cat"]) == pytest.approx(0.36787944)  # precision 1, brevity e^(1 - 2)


@pytest.mark.parametrize(
    ("one", "other", "score"), [("", "", 1), ("", "a b", 0), ("a b", "a b", 1), ("a", "b", 0)]
)
def test_empty_and_short_texts_have_a_convention(one, other, score):
    assert symmetric_bleu(one, other) == score


def test_pairs_of_empty_texts_lift_the_mean_and_are_set_apart():
    found = bleu_summary([("", ""), (A, B), (A, A), ("a b c d", "e f g h")])
    assert found.mean == pytest.approx((1 + 0.84111705 + 1 + 0) / 4)
    assert found.median == pytest.approx((0.84111705 + 1) / 2)
    assert (found.pairs, found.similar, found.informative) == (4, 0.75, 3)
    assert found.informative_mean == pytest.approx(1.84111705 / 3)
    assert bleu_summary([]) is None
    assert bleu_summary([("", "")]).informative_mean is None


words = st.lists(st.sampled_from("abc"), max_size=12).map(" ".join)


@given(words, words)
def test_it_is_symmetric_and_one_only_for_equal_texts(one, other):
    score = symmetric_bleu(one, other)
    assert score == symmetric_bleu(other, one)
    assert 0 <= score <= 1 + 1e-12
    assert symmetric_bleu(one, one) == pytest.approx(1)
    if one.split() != other.split() and min(len(one.split()), len(other.split())) >= 4:
        assert score < 1
