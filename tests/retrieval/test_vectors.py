"""Vectors of integers: exact, the same on every processor, filtered before they are ranked."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.filters import Filters
from retrieval.index import BadIndex, Entry, Index, NoVectors, build
from retrieval.recipes import Model, Recipe
from retrieval.vectors import Vectors, quantised, signs

DIMENSIONS = 48
MODEL = Model("made up", "0" * 64, DIMENSIONS)
ROOT = Path(__file__).resolve().parents[2]


def made_up(texts) -> np.ndarray:
    """A direction for each text, from its hash: equal texts are equal, others are far apart."""
    rows = [
        np.random.default_rng(list(hashlib.sha256(text.encode()).digest())).normal(size=DIMENSIONS)
        for text in texts
    ]
    return np.array(rows)


def vector(text: str) -> bytes:
    return quantised(made_up([text]), DIMENSIONS).tobytes()


ENTRIES = [
    Entry(f"s{n:03}", f"statement number {n}", document=f"d{n % 7}", year=2000 + n % 10 if n % 3 else None)
    for n in range(300)
]
VECTORS = {entry.key: vector(entry.text_for_meaning()) for entry in ENTRIES}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Index:
    folder = tmp_path_factory.mktemp("index")
    build(folder, ENTRIES, corpus_digest="c", recipe=Recipe("r", model=MODEL), embed=made_up)
    return Index.open(folder)


def test_a_vector_is_rounded_at_a_length_of_508_for_384_dimensions():
    row = np.zeros(384)
    row[0], row[1] = 3, 4
    # 3/5 and 4/5 of 508 are beyond 127; a vector that is even in all coordinates has 508/sqrt(384) = 25.92 each.
    assert quantised(row, 384)[0, :3].tolist() == [127, 127, 0]
    assert set(quantised(np.ones(384), 384)[0].tolist()) == {26}
    assert quantised(np.zeros(384), 384).tolist() == [[0] * 384]


@pytest.mark.parametrize("bad", [np.ones((1, 5)), np.full((1, 384), np.nan), np.full((1, 384), np.inf)])
def test_what_is_no_vector_of_the_model_is_refused(bad):
    with pytest.raises(ValueError, match="vector"):
        quantised(bad, 384)


def test_products_are_exact_integers_up_to_the_longest_vectors():
    table = np.array([[127] * 384, [-127] * 384], np.int8)
    numbers, scores = Vectors(table, signs(table)).nearest(table[0].tobytes(), 2, None, bits_pool=None)
    assert scores[numbers].tolist() == [384 * 127**2, -384 * 127**2]


def test_a_statement_is_nearest_to_its_own_text(index):
    entry = ENTRIES[42]
    found = index.search("", mode="meaning", vector=vector(entry.text_for_meaning()), k=3)
    assert (found[0].key, found[0].ranks) == ("s042", {"meaning": 1})
    assert index.search("statement number 42", vector=vector(entry.text_for_meaning()))[0].ranks == {
        "words": 1,
        "meaning": 1,
    }


def test_a_query_without_a_vector_is_refused_where_meaning_counts(index):
    for mode in ("meaning", "hybrid"):
        with pytest.raises(NoVectors, match="the query has no vector"):
            index.search("statement", mode=mode)
    assert index.search("statement", mode="words")
    with pytest.raises(ValueError, match="5 bytes"):
        index.search("x", mode="meaning", vector=b"12345")


def test_vectors_that_are_given_make_the_same_index(index, tmp_path):
    digest = build(tmp_path, ENTRIES, corpus_digest="c", recipe=Recipe("r", model=MODEL), vectors=VECTORS)
    assert digest == index.digest
    with pytest.raises(ValueError, match="no vector for 's000'"):
        build(tmp_path, ENTRIES, corpus_digest="c", recipe=Recipe("r", model=MODEL), vectors={})
    with pytest.raises(ValueError, match="need each other"):
        build(tmp_path, ENTRIES, corpus_digest="c", recipe=Recipe("r"), vectors=VECTORS)
    with pytest.raises(ValueError, match="need each other"):
        build(tmp_path, ENTRIES, corpus_digest="c", recipe=Recipe("r", model=MODEL))
    assert Index.open(tmp_path).digest == digest


rows = st.lists(st.lists(st.integers(-127, 127), min_size=8, max_size=8), min_size=1, max_size=40)


@given(rows, st.lists(st.integers(-127, 127), min_size=8, max_size=8), st.integers(1, 50), st.data())
@settings(deadline=None)
def test_the_nearest_of_the_accepted_are_those_of_brute_force(table, query, k, data):
    accept = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    vectors = np.array(table, np.int8)
    numbers, _ = Vectors(vectors, signs(vectors)).nearest(
        np.array(query, np.int8).tobytes(), k, accept, bits_pool=None
    )
    product = [sum(a * b for a, b in zip(row, query, strict=True)) for row in table]
    expected = sorted((n for n in range(len(table)) if accept[n]), key=lambda n: (-product[n], n))[:k]
    assert numbers.tolist() == expected


@given(rows, st.lists(st.integers(-127, 127), min_size=8, max_size=8), st.integers(1, 20))
@settings(deadline=None)
def test_candidates_by_signs_are_all_that_agree_as_much_as_the_last_one(table, query, pool):
    vectors = np.array(table, np.int8)
    _, scores = Vectors(vectors, signs(vectors)).nearest(
        np.array(query, np.int8).tobytes(), len(table), None, bits_pool=pool
    )
    different = [sum((a > 0) != (b > 0) for a, b in zip(row, query, strict=True)) for row in table]
    bound = sorted(different)[min(pool, len(table)) - 1]
    product = [sum(a * b for a, b in zip(row, query, strict=True)) for row in table]
    assert scores.tolist() == [p if d <= bound else 0 for p, d in zip(product, different, strict=True)]


filters = st.builds(
    Filters,
    documents=st.lists(st.sampled_from([f"d{n}" for n in range(8)]), max_size=3).map(tuple),
    not_documents=st.lists(st.sampled_from([f"d{n}" for n in range(8)]), max_size=3).map(tuple),
    year_from=st.none() | st.integers(1998, 2012),
    year_to=st.none() | st.integers(1998, 2012),
    include_unknown_years=st.booleans(),
)


def passes(entry: Entry, chosen: Filters) -> bool:
    if chosen.documents and entry.document not in chosen.documents:
        return False
    if entry.document in chosen.not_documents:
        return False
    if chosen.year_from is None and chosen.year_to is None:
        return True
    if entry.year is None:
        return chosen.include_unknown_years
    return (chosen.year_from or 0) <= entry.year <= (chosen.year_to or 9999)


@given(filters, st.sampled_from(["words", "meaning", "hybrid"]), st.integers(1, 60))
@settings(deadline=None)
def test_every_filter_finds_k_results_whenever_k_exist(index, chosen, mode, k):
    mask = index.accept(chosen)
    right = {entry.key for entry in ENTRIES if passes(entry, chosen)}
    assert index.considered(mask) == len(right)
    found = [
        hit.key for hit in index.search("statement", mode=mode, k=k, accept=mask, vector=vector("anything"))
    ]
    # All 300 statements have the word, so nothing but the filters limits what is found.
    assert len(found) == min(k, len(right))
    assert set(found) <= right
    everything = [hit.key for hit in index.search("statement", mode=mode, k=300, vector=vector("anything"))]
    if mode != "hybrid":
        assert found == [key for key in everything if key in right][:k]


def test_a_flipped_byte_of_the_vectors_is_found(index, tmp_path):
    build(tmp_path, ENTRIES, corpus_digest="c", recipe=Recipe("r", model=MODEL), embed=made_up)
    path = tmp_path / index.manifest.files["vectors"].name
    content = bytearray(path.read_bytes())
    content[-5] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(BadIndex, match="vectors"):
        Index.open(tmp_path)


FREEZE = """
import base64, hashlib, sys, numpy as np
from pathlib import Path
from retrieval.artifact import Row, Terms, frozen, packed
from retrieval.index import Index
index = Index.open(Path(sys.argv[1]))
chance = np.random.default_rng(5)
rows = []
for number in range(1000):
    vector = chance.integers(-127, 128, 48, dtype=np.int8).tobytes()
    rows.append(Row(f"i{number % 50}", f"statement {number}", query_vector=base64.b64encode(vector).decode()))
terms = Terms("r", index=index.digest, recipe=index.manifest.recipe)
print(hashlib.sha256(packed(frozen(index, terms, rows, lambda key: {"title": key}))).hexdigest())
"""


@pytest.mark.slow
def test_an_artifact_of_1000_queries_is_the_same_bytes_under_three_kernels_of_blas_and_after_a_rebuild(
    index, tmp_path
):
    build(tmp_path, ENTRIES[::-1], corpus_digest="c", recipe=index.manifest.recipe, vectors=VECTORS)
    runs = [(index.folder, kernel) for kernel in ("Haswell", "SkylakeX", "Prescott")] + [
        (tmp_path, "Haswell")
    ]
    printed = {
        subprocess.run(
            [sys.executable, "-c", FREEZE, str(folder)],
            cwd=ROOT,
            env=os.environ | {"OPENBLAS_CORETYPE": kernel, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for folder, kernel in runs
    }
    assert len(printed) == 1
    assert len(printed.pop()) == 65
