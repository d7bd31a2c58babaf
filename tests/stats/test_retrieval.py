"""Retrieval (STATISTICS.md 1.3, 2A table S, 2B 13)."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.analyses.options import Options
from stats.analyses.retrieval import read_ranks, retrieval_document
from stats.core.estimate import Caution, Reason
from stats.scores.retrieval import hit_at, mrr_at, mrr_bounds, precision_at
from stats.tables.raw_rows import TableError

# 2A, S: theorem-level counts of P@1, Hit@10, Hit@20 among 111 queries, and Wilson of Hit@20 in percent.
COUNTS = {"Qwen-8B": (19, 43, 50), "Google": (18, 42, 42), "GPT": (13, 20, 22)}
WILSON = {"Qwen-8B": (36.11, 54.31), "Google": (29.37, 47.12), "GPT": (13.47, 28.19)}


def ranks(first, ten, twenty, n=111):
    return [1] * first + [10] * (ten - first) + [20] * (twenty - ten) + [0] * (n - twenty)


@pytest.mark.parametrize("system", COUNTS)
def test_theorem_search_rates_are_counts_of_111(system):
    first, ten, twenty = COUNTS[system]
    listed = ranks(*COUNTS[system])
    assert precision_at(listed, 1).value == first / 111
    assert hit_at(listed, 10).value == ten / 111
    low, high = hit_at(listed, 20).ci
    assert (100 * low, 100 * high) == pytest.approx(WILSON[system], abs=5.1e-3)
    assert hit_at(listed, 20).k == twenty


def test_precision_divides_by_k_and_reciprocal_ranks_stop_at_k():
    listed = [1, 2, 4, 11, 0]
    assert precision_at(listed, 10).value == pytest.approx(3 / 5 / 10)
    # 1 + 1/2 + 1/4 over five queries.
    assert mrr_at(listed, 10).value == pytest.approx(1.75 / 5)


@pytest.mark.parametrize(
    ("ranks", "ends"),
    [
        ([1] * 5, (0.025**0.2, 1)),  # of queries that fail, at most 1 - .025^(1/5) could have gone unseen
        ([0] * 5, (0, 1 - 0.025**0.2)),
        ([3], (0.025 / 3, 1 / 3 + 2 / 3 * 0.975)),
    ],
)
def test_queries_that_all_gain_the_same_leave_room_for_others(ranks, ends):
    found = mrr_at(ranks, 5)
    assert found.ci == pytest.approx(ends)
    assert found.warnings == (Caution.NO_SPREAD,)


def test_the_published_mrr_that_is_impossible_is_outside_its_bounds():
    # 2B 13: P@1 .316, Hit@10 .645, Hit@20 .737 cannot have MRR@20 .496.
    low, high = mrr_bounds(0.316, 0.645, 0.737)
    assert low <= 0.429 <= high < 0.496


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_every_mrr_at_20_lies_within_its_bounds(listed):
    rates = (precision_at(listed, 1).value, hit_at(listed, 10).value, hit_at(listed, 20).value)
    low, high = mrr_bounds(*rates)
    assert low - 1e-12 <= mrr_at(listed, 20).value <= high + 1e-12


def test_no_queries_are_undefined():
    assert hit_at([], 10).reason == Reason.NO_ITEMS
    assert mrr_at([], 10).reason == Reason.NO_ITEMS


@pytest.mark.parametrize(("listed", "k"), [([1], 0), ([-1], 1)])
def test_impossible_ranks_are_refused(listed, k):
    with pytest.raises(ValueError, match=r"rank|k must"):
        hit_at(listed, k)


def read(text):
    return read_ranks(io.BytesIO(text.encode()))


def test_a_rank_file_gives_every_system_at_every_k():
    table = read("system,query,rank\nA,q1,1\nA,q2,\nB,q1,3\nB,q2,12\nB,q3,\n")
    document = retrieval_document(table, ks=(1, 10), options=Options(seed=1))
    assert document["queries"] == 3
    found = {(row["system"], row["k"]): row for row in document["systems"]}
    assert list(found) == [("A", 1), ("A", 10), ("B", 1), ("B", 10)]
    assert found["A", 1]["hit_at_k"]["value"] == 0.5
    assert found["B", 10]["mrr_at_k"]["value"] == pytest.approx(1 / 9)
    assert (found["A", 1]["unranked_queries"], found["B", 1]["unranked_queries"]) == (1, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,query\nA,q\n", "lacks the column rank"),
        ("system,query,rank\nA,q,0\n", "line 2, column rank"),
        ("system,query,rank\nA,,1\n", "line 2, column query"),
        ("system,query,rank\nA,q,1\nA,q,2\n", "line 3, column query"),
    ],
)
def test_bad_rank_files_are_refused_with_the_place(text, message):
    with pytest.raises(TableError, match=message):
        retrieval_document(read(text), options=Options(seed=1))


def test_more_systems_than_other_analyses_resample_are_refused():
    rows = "".join(f"s{number},q,1\n" for number in range(201))
    with pytest.raises(TableError, match="names 201, and at most 200"):
        retrieval_document(read(f"system,query,rank\n{rows}"), options=Options(seed=1))
