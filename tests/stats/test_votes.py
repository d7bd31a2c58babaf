"""Votes and latent classes (STATISTICS.md 2E, 3 iv, 3 v)."""

import numpy as np
import pytest

from stats.core.estimate import Caution
from stats.raters.dawid_skene import dawid_skene, needs_adjudication
from stats.raters.votes import vote_spread, votes_needed

# 2E, Dawid and Skene 1979: 45 patients; observer 1 three times, then observers 2 to 5.
ANAESTHETISTS = (
    "111 1111; 333 4334; 112 2122; 222 3121; 222 3222; 222 3322; 112 2111; 333 3433; 222 2223; 232 2223; "
    "444 4444; 222 3343; 111 1111; 222 3212; 121 1111; 111 2111; 111 1111; 111 1111; 222 2221; 222 1322; "
    "222 2222; 222 2221; 222 3222; 221 2222; 111 1111; 111 1111; 232 2222; 111 1111; 111 1111; 112 1121; "
    "111 1111; 333 3233; 111 1111; 222 2222; 222 3232; 433 4343; 221 2232; 232 3233; 333 3432; 111 1111; "
    "111 1111; 121 2111; 232 2222; 121 1111; 222 2222"
)
MAP = "142222132243121111222222112111131224233111212"


def anaesthetists():
    triples = []
    for item, row in enumerate(ANAESTHETISTS.split(";")):
        repeated, single = row.split()
        triples += [(item, 0, int(mark) - 1) for mark in repeated]
        triples += [(item, rater, int(mark) - 1) for rater, mark in enumerate(single, 1)]
    return np.array(triples).T


def test_the_anaesthetists_are_reproduced():
    found = dawid_skene(*anaesthetists(), classes=4)
    assert found.shares == pytest.approx([0.399969, 0.421576, 0.111788, 0.066667], abs=1e-6)
    assert found.log_likelihood == pytest.approx(-190.730997, abs=1e-6)
    assert found.confusions[0][1] == pytest.approx([0.0703, 0.8766, 0.0531, 0], abs=5e-5)
    assert found.confusions[4][1] == pytest.approx([0.1582, 0.7352, 0.1065, 0], abs=5e-5)
    assert "".join(str(label + 1) for label in found.classes) == MAP
    assert found.converged
    assert Caution.SMALL_FOR_MODEL in found.warnings  # 45 items


def test_classes_are_found_again_under_other_names():
    item, rater, label = anaesthetists()
    renamed = dawid_skene(item, rater, 3 - label, classes=4)
    assert (3 - renamed.classes).tolist() == dawid_skene(item, rater, label, classes=4).classes.tolist()


def test_simulated_raters_get_their_accuracies_back():
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=3000)
    accuracy = np.array([0.9, 0.8, 0.7, 0.85])
    item, rater = np.repeat(np.arange(3000), 4), np.tile(np.arange(4), 3000)
    right = rng.random(12000) < accuracy[rater]
    found = dawid_skene(item, rater, np.where(right, truth[item], 1 - truth[item]), classes=2)
    diagonal = found.confusions[:, [0, 1], [0, 1]].mean(axis=1)
    assert diagonal == pytest.approx(accuracy, abs=0.03)


def test_uncertain_items_go_to_adjudication():
    assert needs_adjudication([[0.95, 0.05], [0.6, 0.4]]).tolist() == [1]


def test_labels_outside_the_classes_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        dawid_skene([0], [0], [2], classes=2)


def test_the_spread_of_votes_is_reproduced():
    counts = [0] * 100 + [1] * 20 + [2] * 12 + [3] * 30 + [4] * 130
    spread = vote_spread(counts, 4)
    assert spread.mean == pytest.approx(0.5599315, abs=5e-8)
    assert spread.within == pytest.approx(0.0565068, abs=5e-8)
    # .2047292 - .0565068 / 4; the table gives .1906026 from rounded parts.
    assert spread.between == pytest.approx(0.1906025, abs=5e-8)
    assert spread.se == pytest.approx(0.0264788, abs=5e-8)
    assert spread.pair_agreement == pytest.approx(0.8869863, abs=5e-8)
    assert votes_needed(spread, share=0.1) == 3  # 2.67 rounded up


def test_impossible_votes_are_refused():
    with pytest.raises(ValueError, match="between 0 and 4"):
        vote_spread([5], 4)
    assert vote_spread([], 4) is None
