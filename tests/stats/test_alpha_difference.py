"""A paired difference of two alphas: against alphas computed apart, against leaving out items by hand, coverage."""

import io
from itertools import product

import numpy as np
import pytest

from stats.agreement.alpha_difference import alpha_difference
from stats.agreement.bundle import Request, agreement
from stats.analyses.difference import difference_document
from stats.analyses.options import Options
from stats.core.bootstrap import generator
from stats.tables.labels import read_labels
from stats.tables.ratings import from_matrix
from stats.tables.raw_rows import TableError
from tests.stats.test_analyses_agreement import canonical_rows

LEVELS = ("nominal", "ordinal", "interval")


def noisy(seed, n=60, raters=4, q=4):
    rng = generator(seed)
    truth = rng.integers(0, q, n)
    return np.clip(truth[:, None] + rng.integers(-1, 2, (n, raters)), 0, q - 1)


def ratings(table, q=4):
    return from_matrix([[None if mark < 0 else int(mark) for mark in row] for row in table], range(q))


@pytest.mark.parametrize("level", LEVELS)
def test_both_alphas_are_those_of_the_groups_alone(level):
    table = noisy(1)
    found = alpha_difference(ratings(table), ([0, 1], [2, 3]), level)
    for estimate, columns in ((found.first, [0, 1]), (found.second, [2, 3])):
        alone = agreement(ratings(table[:, columns]), Request(level=level))[f"krippendorff_alpha_{level}"]
        assert estimate.value == pytest.approx(alone.value, abs=1e-12)
        assert estimate.ci == pytest.approx(alone.ci, abs=1e-9)
    assert found.difference.value == pytest.approx(found.first.value - found.second.value, abs=1e-12)


@pytest.mark.parametrize(("level", "clustered"), list(product(LEVELS, (False, True))))
def test_the_error_is_that_of_leaving_out_units_by_hand(level, clustered):
    table = noisy(2, n=24)
    units = np.arange(24) // 3 if clustered else np.arange(24)
    found = alpha_difference(
        ratings(table), ([0, 1, 2], [0, 3]), level, clusters=units if clustered else None
    )
    left = []
    for unit in range(units.max() + 1):
        rest = table[units != unit]
        alphas = [
            agreement(ratings(rest[:, columns]), Request(level=level))[f"krippendorff_alpha_{level}"].value
            for columns in ([0, 1, 2], [0, 3])
        ]
        left.append(alphas[0] - alphas[1])
    c = len(left)
    by_hand = ((c - 1) / c * sum((each - np.mean(left)) ** 2 for each in left)) ** 0.5
    assert found.difference.se == pytest.approx(by_hand, rel=1e-9)


def test_a_group_against_itself_differs_by_nothing():
    found = alpha_difference(ratings(noisy(3)), ([0, 1], [0, 1]), "ordinal")
    assert (found.difference.value, found.difference.se) == (0, 0)


def test_only_items_with_two_labels_of_each_group_count():
    table = noisy(4, n=30)
    table[:10, 3] = -1
    found = alpha_difference(ratings(table), ([0, 1], [2, 3]), "nominal")
    rest = alpha_difference(ratings(table[10:]), ([0, 1], [2, 3]), "nominal")
    assert (found.items, found.difference) == (20, rest.difference)


def test_perfect_agreement_in_both_groups_has_a_width():
    table = np.repeat(np.arange(40)[:, None] % 2, 4, axis=1)
    found = alpha_difference(ratings(table, 2), ([0, 1], [2, 3]), "nominal")
    assert found.difference.value == 0
    assert found.difference.ci[0] < 0 < found.difference.ci[1]
    assert "NO_SPREAD" in found.difference.warnings
    assert found.p is None


@pytest.mark.parametrize(
    ("table", "groups", "reason"),
    [
        ([[0, 1, 1]], ([0, 1], [2]), "ONE_RATER"),
        ([[0, 1, -1, -1], [-1, -1, 0, 1]], ([0, 1], [2, 3]), "NO_PAIRABLE"),
        ([[0, 0, 0, 1], [0, 0, 1, 1]], ([0, 1], [2, 3]), "ONE_CATEGORY"),
    ],
)
def test_what_does_not_exist_says_why(table, groups, reason):
    assert str(alpha_difference(ratings(np.array(table)), groups, "nominal").difference.reason) == reason


def test_copies_in_a_cluster_make_no_interval_narrower():
    table = noisy(5, n=40)
    alone = alpha_difference(ratings(table), ([0, 1], [2, 3]), "interval", clusters=np.arange(40))
    copied = alpha_difference(
        ratings(np.repeat(table, 4, axis=0)),
        ([0, 1], [2, 3]),
        "interval",
        clusters=np.repeat(np.arange(40), 4),
    )
    assert copied.difference.se == pytest.approx(alone.difference.se, rel=0.05)
    assert copied.p == pytest.approx(alone.p, abs=0.05)


@pytest.mark.slow
def test_a_true_null_is_rejected_about_as_often_as_it_should_be():
    """400 draws of 60 items in 20 clusters; a binomial of p = .05 has 99.9 % of its mass within 7 and 36 of 400."""
    rng = generator(6)
    rejected = covered = 0
    for _ in range(400):
        truth = np.repeat(rng.random(20) < 0.4, 3)
        wrong = rng.random((60, 4)) < 0.15
        found = alpha_difference(
            ratings(truth[:, None] ^ wrong, 2),
            ([0, 1], [2, 3]),
            "nominal",
            clusters=np.repeat(np.arange(20), 3),
        )
        rejected += found.p is not None and found.p < 0.05
        low, high = found.difference.ci
        covered += low <= 0 <= high
    assert rejected <= 36
    assert covered >= 364


HEADER = "subject,rater,rater_kind,value"


def document(rows, first, second, header=HEADER, **options):
    table = read_labels(io.BytesIO("\n".join([header, *rows]).encode()))
    return difference_document(table, first=first, second=second, level=None, options=Options(**options))


def test_groups_are_named_by_raters_or_kinds():
    table = noisy(7, n=20)
    rows = [
        f"{item},{name},{kind},{mark}"
        for item, row in enumerate(table)
        for (name, kind), mark in zip(
            (("anna", "expert"), ("ben", "expert"), ("m", "judge"), ("k", "judge")), row, strict=True
        )
    ]
    by_kind = document(rows, ["expert"], ["judge"])["questions"][""]
    assert by_kind["first"]["raters"] == ["anna", "ben"]
    assert by_kind == document(rows, ["anna", "ben"], ["k", "m"])["questions"][""]
    joint = document(rows, ["expert"], ["expert", "m"])["questions"][""]
    assert joint["second"]["raters"] == ["anna", "ben", "m"]
    with pytest.raises(TableError, match="nobody is called 'carl'; raters: anna, ben, k, m"):
        document(rows, ["carl"], ["judge"])


def test_a_question_that_a_group_did_not_answer_is_undefined_and_the_others_are_given():
    header = "question,subject,rater,value"
    rows = [f"q,{item},{rater},{(item + at) % 3}" for item in range(12) for at, rater in enumerate("abcd")]
    rows += [f"r,{item},{rater},{item % 2}" for item in range(12) for rater in "ab"]
    found = document(rows, ["a", "b"], ["c", "d"], header=header)["questions"]
    assert found["q"]["difference"]["value"] is not None
    assert found["r"]["difference"]["reason"] == "ONE_RATER"


def test_a_rater_called_judge_is_that_rater():
    rows = [
        "a,judge,expert,1",
        "a,x,judge,1",
        "a,y,judge,2",
        "b,judge,expert,2",
        "b,x,judge,2",
        "b,y,judge,2",
    ]
    found = document(rows, ["judge", "x"], ["x", "y"])["questions"][""]
    assert found["first"]["raters"] == ["judge", "x"]


def test_the_canonical_data_in_two_groups():
    """STATISTICS.md 2C: the four coders' nominal alpha over all is .7434; here coders 0 and 1 against 2 and 3."""
    found = document(canonical_rows(), ["r0", "r1"], ["r2", "r3"], header="subject,rater,value")["questions"][
        ""
    ]
    assert (found["coefficient"], found["unit"]) == ("krippendorff_alpha_interval", "item")
    assert found["n_items"] + found["items_left_out"] == 12
    assert found["difference"]["value"] == pytest.approx(
        found["first"]["alpha"]["value"] - found["second"]["alpha"]["value"]
    )
