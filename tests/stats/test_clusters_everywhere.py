"""Whatever `analyse` prints with an error, an interval or a p-value takes clusters together (STATISTICS.md 6.5).

Every item is copied, and a cluster column names the copies: that is no more knowledge than one copy. The documents are
searched for figures, so that a new figure is tested without being named here.
"""

import io
from statistics import NormalDist

import numpy as np
import pytest

from stats.analyses.running import Request, run

P_VALUES = {"p", "swap_p", "lr_p"}
# These speak of the outputs that there are, drawn one by one by a known design: clusters add no error to that.
# Where whole clusters were drawn, as the copies were, they say so.
BY_DESIGN = ("weighted", "corrected")


def graded(copies, values):
    rows = [
        f"{at}-{copy},p{at},{rater},{values[at][column]}"
        for at in range(len(values))
        for copy in range(copies)
        for column, rater in enumerate("abc")
    ]
    return "subject,cluster,rater,value", rows


def numbers(copies):
    truth = np.random.default_rng(1).integers(0, 4, size=(80, 1))
    return graded(copies, np.clip(truth + np.random.default_rng(2).integers(-1, 2, size=(80, 3)), 0, 3))


def words(copies):
    rng = np.random.default_rng(3)
    truth, wrong = rng.random((80, 1)) < 0.4, rng.random((80, 3)) < 0.15
    return graded(copies, np.where(truth ^ wrong, "yes", "no"))


def all_agree(copies):
    return graded(copies, np.repeat(np.array([["yes"], ["no"]] * 20), 3, axis=1))


def audited(copies):
    rng = np.random.default_rng(4)
    judge, wrong, drawn = rng.random(160) < 0.4, rng.random(160) < 0.15, rng.random(160) < 0.5
    says = {True: "yes", False: "no"}
    rows = []
    for at in range(160):
        for copy in range(copies):
            rows.append(f"{at}-{copy},p{at},j,judge,{says[bool(judge[at])]}")
            if drawn[at]:
                rows.append(f"{at}-{copy},p{at},e,expert,{says[bool(judge[at] ^ wrong[at])]}")
    return "subject,cluster,rater,rater_kind,value", rows


def compared(copies):
    """Three systems, each pair shown in both orders; 15 % name the same slot twice, 10 % see a tie the second time."""
    rng = np.random.default_rng(5)
    shown = ["A|B", "B|C", "C|A", "B|A", "C|B", "A|C"]
    results = rng.choice(["first", "second", "tie"], p=[0.5, 0.3, 0.2], size=120)
    turned, rows = {"first": "second", "second": "first", "tie": "tie"}, []
    for at, lot in enumerate(rng.random(120)):
        again = results[at] if lot < 0.15 else turned[results[at]] if lot < 0.9 else "tie"
        left, _, right = shown[at % 6].partition("|")
        for copy in range(copies):
            rows.append(f"{at}-{copy},p{at},r,{left}|{right},{results[at]}")
            rows.append(f"{at}-{copy},p{at},r,{right}|{left},{again}")
    return "subject,cluster,rater,system,value", rows


def figures(node, path=()):
    """Every estimate and every p-value of a document with its path."""
    if isinstance(node, dict):
        if {"value", "ci", "method"} <= set(node):
            yield path, node
        for key, inner in node.items():
            if key in P_VALUES and isinstance(inner, float):
                yield (*path, key), inner
            yield from figures(inner, (*path, key))
    elif isinstance(node, list):
        for at, inner in enumerate(node):
            yield from figures(inner, (*path, at))


def document(request, header, rows):
    return run(io.BytesIO("\n".join([header, *rows]).encode()), "csv", request)


def width(found):
    return found["ci"][1] - found["ci"][0]


@pytest.mark.parametrize(
    ("request_", "table", "least"),
    [
        (Request("agreement"), numbers, 40),
        (Request("agreement", level="ordinal"), numbers, 30),
        (Request("agreement"), words, 20),
        (Request("agreement"), all_agree, 4),
        (Request("audit", positive="yes"), audited, 10),
        (Request("corrected", positive="yes"), audited, 3),
        (Request("pairs"), compared, 15),
    ],
    ids=lambda value: getattr(value, "analysis", getattr(value, "__name__", None)),
)
def test_copies_named_by_a_cluster_column_print_the_uncertainty_of_one(request_, table, least):
    once = dict(figures(document(request_, *table(1))))
    twice = dict(figures(document(request_, *table(2))))
    compared = 0
    for path, found in twice.items():
        one = once[path]
        if isinstance(found, float):
            # In normal quantiles: two independent copies would give a factor of 1.41. A mid-p takes the place of an
            # exact p where clusters hold several items, which is worth up to .3.
            z, single = (NormalDist().inv_cdf(1 - max(p, 1e-15) / 2) for p in (found, one))
            assert z <= 1.15 * single + 0.3, path
            compared += 1
            continue
        if found["value"] is None or found["ci"] is None:
            assert found["reason"], path
            continue
        compared += 1
        assert found["value"] == pytest.approx(one["value"], abs=0.005), (
            path
        )  # alpha's expectation counts labels
        if path[0] in BY_DESIGN:
            assert "WHOLE_CLUSTERS" in found["warnings"], path
            assert "WHOLE_CLUSTERS" not in one["warnings"], path
            continue
        if found["se"]:
            assert found["se"] == pytest.approx(one["se"], rel=0.15), path
        # No narrower than one copy, or than its own error says: a floor at independent items may hold one copy wide.
        own = 2 * 1.96 * found["se"] if found["se"] else np.inf
        assert width(found) >= 0.85 * min(width(one), own), path
    assert compared >= least
