"""An index without some documents answers as one that was built without them: the same scores, counts and order."""

import json
from pathlib import Path

import numpy as np
import pytest

from retrieval.filters import Filters
from retrieval.index import FORMAT, MANIFEST, OLD, BadIndex, Entry, Index, build
from retrieval.recipes import NAMED, Recipe
from tests.retrieval.test_vectors import MODEL, made_up, vector

WORDS = ["ring", "ideal", "module", "field", "compact", "open", "cover", "prime", "$x$", "$n$"]
FORMULAS = [r"$x^2 + y^2$", r"$\sum_{n=1}^\infty a_n$", r"$f(x) \leq M$", r"$G/H$", r"$a \in A$"]
QUERIES = [
    ("ring ideal", ""),
    ("compact open cover $x$", ""),
    (r"prime $\sum_{k=1}^\infty b_k$", ""),
    ("module", r"y^2 + z^2"),
    ("only0 only1 only2 ring", ""),  # words of one document alone
]
FILTERS = [
    Filters(),
    Filters(kinds=("lemma",)),
    Filters(not_documents=("d1", "d4")),
    Filters(documents=("d0", "d1", "d2")),
    Filters(year_from=2003, include_unknown_years=True),
    Filters(authors=("Noether",), licences=("MIT",)),
    Filters(citations_max=3, include_unknown_citations=True),
]
HIDDEN = [(), ("d0",), ("d0", "d3", "nowhere"), tuple(f"d{n}" for n in range(7))]


def some(seed: int, count: int = 120) -> list[Entry]:
    """Statements of different lengths of seven documents, each of which has words of its own."""
    chance = np.random.default_rng(seed)
    made = []
    for number in range(count):
        document = number % 7
        words = list(chance.choice(WORDS, chance.integers(1, 30))) + list(chance.choice(FORMULAS, 2))
        words += [f"only{document}"] * int(chance.integers(3))
        made.append(
            Entry(
                f"s{number:03}", " ".join(words), context=f"Title of {document}",
                document=f"d{document}", kind=("lemma", "theorem")[number % 2],
                authors=("Noether",) if document % 2 else ("Artin",), licence=("MIT", "")[number % 3 > 0],
                year=2000 + document if document % 3 else None, citations=document if document % 4 else None,
            )
        )  # fmt: skip
    return made


def opened(folder: Path, entries: list[Entry], recipe: Recipe) -> Index:
    build(folder, entries, corpus_digest="c", recipe=recipe, embed=made_up if recipe.model else None)
    return Index.open(folder)


def everything(index: Index, recipe: Recipe) -> list[object]:
    """All that can be seen of an index: hits with scores and ranks, and how many statements were ranked."""
    modes = ["words", "formula", "hybrid"] + ["meaning"] * (recipe.model is not None)
    return [
        (
            index.considered(mask),
            index.search(text, formula=formula, mode=mode, k=k, accept=mask, vector=asked),
        )
        for filters in FILTERS
        for mask in [index.accept(filters)]
        for text, formula in QUERIES
        for mode in modes
        for k in (3, 200)
        for asked in [vector(text) if recipe.model else None]
    ] + [index.considered(None), index.search("ring", mode="words")]


@pytest.mark.slow
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "recipe",
    [
        NAMED["words"],
        Recipe("r", model=MODEL),
        Recipe(
            "r", model=MODEL, exact_below=60, bits_pool=10, pool=5
        ),  # the signs choose, by how many remain
        Recipe("r", k1=0.0, b=1.0),
    ],
    ids=["words", "hybrid", "signs", "k1 of 0"],
)
def test_an_index_without_documents_answers_as_one_that_was_built_without_them(tmp_path, recipe, hidden):
    for seed in (1, 2):
        entries = some(seed)
        remaining = [entry for entry in entries if entry.document not in hidden]
        whole = opened(tmp_path / f"whole{seed}", entries, recipe)
        without = opened(tmp_path / f"without{seed}", remaining, recipe)
        assert everything(whole.without(hidden), recipe) == everything(without, recipe)
        assert (everything(whole, recipe) == everything(without, recipe)) == (remaining == entries)


def test_what_is_left_out_changes_nothing_in_the_index_itself(tmp_path):
    index = opened(tmp_path, some(3), Recipe("r", model=MODEL))
    before = everything(index, index.manifest.recipe)
    left = index.without(["d0"])
    assert left.search("only0", mode="words") == []
    assert everything(index, index.manifest.recipe) == before
    with pytest.raises(ValueError, match="at once"):
        left.without(["d1"])


def test_how_often_a_term_comes_is_kept_beyond_a_byte(tmp_path):
    entries = [
        Entry("a", "ring " * 300, document="d"),
        Entry("b", "ring", document="e"),
        Entry("c", "ring group"),
    ]
    left = opened(tmp_path / "whole", entries, NAMED["words"]).without(["e"])
    without = opened(tmp_path / "without", [entries[0], entries[2]], NAMED["words"])
    assert left.search("ring group", mode="words") == without.search("ring group", mode="words")


def in_the_format_before(folder: Path) -> Path:
    """The folder with an index, made one of the format that did not keep how often terms come."""
    content = json.loads((folder / MANIFEST).read_bytes())
    content["format"] = OLD
    for name in ("words.times", "words.lengths", "formulas.times", "formulas.lengths"):
        del content["files"][name]
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    (folder / MANIFEST).write_text(written, "utf-8")
    return folder


def test_an_index_of_the_format_before_is_refused_but_to_verify_what_was_frozen_on_it(tmp_path):
    index = opened(tmp_path, some(4), NAMED["words"])
    in_the_format_before(tmp_path)
    with pytest.raises(
        BadIndex, match=f"format is {OLD}, and this version searches {FORMAT}: build it again"
    ):
        Index.open(tmp_path)
    old = Index.open(tmp_path, also_old=True)
    old.verify()
    assert old.search("ring ideal") == index.search("ring ideal")
    with pytest.raises(BadIndex, match="build it again"):
        old.without(())
