"""Building, opening and searching an index."""

import os
import random
import resource
from pathlib import Path

import numpy as np
import pytest

from retrieval.filters import Filters
from retrieval.index import MANIFEST, BadIndex, Entry, Index, Manifest, NoVectors, build
from retrieval.recipes import NAMED, BadRecipe, Model, Recipe

HAUSDORFF = Entry(
    "hausdorff",
    r"Every compact Hausdorff space $X$ is normal.",
    context="Topology. Separation",
    document="munkres",
    authors=("Munkres",),
    year=1975,
    kind="theorem",
)
EXTREME = Entry(
    "extreme",
    r"A continuous function on a compact set is bounded: $|f(x)| \leq M$.",
    label="Extreme value theorem",
    document="rudin",
    authors=("Rudin", "Someone Else"),
    year=1953,
    citations=900,
    kind="theorem",
)
BASEL = Entry(
    "basel", r"$$\sum_{n=1}^\infty \frac{1}{n^2} = \frac{\pi^2}{6}$$", document="euler", licence="CC0-1.0"
)
ENTRIES = [HAUSDORFF, EXTREME, BASEL]


def built(folder: Path, entries=ENTRIES, recipe: Recipe = NAMED["words"], **kwargs) -> Index:
    build(folder, entries, corpus_digest="c" * 64, recipe=recipe, **kwargs)
    return Index.open(folder)


@pytest.fixture
def index(tmp_path) -> Index:
    return built(tmp_path / "index")


def keys(hits) -> list[str]:
    return [hit.key for hit in hits]


def test_words_find_the_statement_that_has_them_by_its_body_context_or_label(index):
    assert keys(index.search("bounded functions", mode="words")) == ["extreme"]
    assert keys(index.search("separation", mode="words")) == ["hausdorff"]
    assert keys(index.search("extreme values", mode="words")) == ["extreme"]
    assert index.search("elephant", mode="words") == []


def test_a_formula_finds_the_statement_with_other_names_of_variables(index):
    found = index.search("", formula=r"\sum_{k=1}^{\infty} \dfrac{1}{k^{2}}", mode="formula")
    assert keys(found)[0] == "basel"
    assert index.search(r"\sum_{k=1}^{\infty} \dfrac{1}{k^{2}}", mode="formula") == found


def test_hybrid_fuses_the_ranks_of_words_and_formula_in_integers(index):
    found = index.search("compact set", formula="|g(y)|")
    best = found[0]
    assert (best.key, best.position, best.ranks) == ("extreme", 1, {"words": 1, "formula": 1})
    assert best.score == 2 * (10**9 // (10 + 1))


def test_formulas_within_the_text_of_a_hybrid_query_count(index):
    assert index.search(r"value of $\sum_{n=1}^\infty \frac{1}{n^2}$")[0].key == "basel"


def test_equal_scores_are_ordered_by_key(tmp_path):
    twins = [Entry(key, "a compact space") for key in ("c", "a", "b")]
    found = built(tmp_path, twins).search("compact", mode="words", k=2)
    assert keys(found) == ["a", "b"]
    assert found[0].score == found[1].score


def test_the_impact_is_that_of_bm25(tmp_path):
    """Two statements of two terms; "ring" in one: idf log(1 + 1.5/1.5) = .6931, tf part 2.2/(1 + 1.2) = 1."""
    index = built(tmp_path, [Entry("a", "ring module"), Entry("b", "group module")])
    assert [hit.score for hit in index.search("ring", mode="words")] == [693]
    # "module" is in both: idf log(1 + .5/2.5) = .1823. Asked twice it counts once.
    assert [hit.score for hit in index.search("module module", mode="words")] == [182, 182]


def test_impacts_are_rounded_to_the_nearest_thousandth(tmp_path):
    # One term in one of three statements of one word: log(1 + 2.5/1.5) = .98083.
    index = built(tmp_path, [Entry("a", "ring"), Entry("b", "group"), Entry("c", "field")])
    assert [hit.score for hit in index.search("ring", mode="words")] == [981]


def test_a_letter_counts_once_in_a_statement_however_often_it_comes(tmp_path):
    index = built(tmp_path, [Entry("a", "$x$ $x$ $x$ ring"), Entry("b", "$x$ ring")])
    assert len({hit.score for hit in index.search("$x$", mode="words")}) == 1


def test_meaning_of_an_index_without_vectors_is_refused(index):
    with pytest.raises(NoVectors, match="no vectors"):
        index.search("compact", mode="meaning")


def test_an_unknown_mode_and_a_k_of_zero_are_refused(index):
    with pytest.raises(ValueError, match="mode"):
        index.search("compact", mode="magic")
    with pytest.raises(ValueError, match="k must"):
        index.search("compact", k=0)


@pytest.mark.parametrize(
    ("filters", "accepted"),
    [
        (Filters(authors=("Rudin",)), ["extreme"]),
        (Filters(authors=("Rudin", "Munkres")), ["extreme", "hausdorff"]),
        (Filters(authors=("Rudin",), documents=("munkres",)), []),
        (Filters(not_documents=("rudin",)), ["basel", "hausdorff"]),
        (Filters(licences=("CC0-1.0",)), ["basel"]),
        (Filters(kinds=("theorem",), year_from=1960), ["hausdorff"]),
        (Filters(year_to=1960), ["extreme"]),
        (Filters(year_to=1960, include_unknown_years=True), ["basel", "extreme"]),
        (Filters(citations_min=0), ["extreme"]),
        (Filters(citations_max=10, include_unknown_citations=True), ["basel", "hausdorff"]),
        (Filters(sources=("nowhere",)), []),
    ],
)
def test_filters_accept_what_they_name(index, filters, accepted):
    mask = index.accept(filters)
    assert [key for key, passes in zip(index.keys, mask, strict=True) if passes] == accepted
    assert index.considered(mask) == len(accepted)
    found = index.search("compact function series", formula="n^2", accept=mask)
    assert set(keys(found)) <= set(accepted)


def test_no_filter_accepts_everything(index):
    assert index.accept(Filters()) is None
    assert index.considered(None) == 3


def test_equal_entries_give_an_equal_index_in_whatever_order_they_come(tmp_path):
    one, other = built(tmp_path / "one"), built(tmp_path / "other", ENTRIES[::-1])
    assert one.digest == other.digest
    assert {file.name for file in one.folder.iterdir()} == {file.name for file in other.folder.iterdir()}


def test_another_recipe_is_another_index(tmp_path):
    other = built(tmp_path / "other", recipe=Recipe("words", b=0.5))
    assert other.digest != built(tmp_path / "index").digest


def test_a_second_build_replaces_the_first_and_an_open_index_goes_on(tmp_path):
    first = built(tmp_path)
    second = built(tmp_path, [BASEL])
    assert set(keys(first.search("compact", mode="words"))) == {"extreme", "hausdorff"}
    assert second.keys == ["basel"]
    named = {file.name for file in second.manifest.files.values()}
    assert {path.name for path in tmp_path.iterdir()} == named | {MANIFEST}


def test_an_index_of_nothing_finds_nothing(tmp_path):
    index = built(tmp_path, [])
    assert index.search("compact", formula="x") == []
    assert index.considered(index.accept(Filters(year_to=2000))) == 0


def test_an_empty_query_finds_nothing(index):
    assert index.search("") == index.search("the of", mode="words") == index.search(" ", mode="formula") == []


@pytest.mark.parametrize("bad", ["", "two\nlines", "two\rlines"])
def test_keys_that_cannot_be_written_are_refused(tmp_path, bad):
    with pytest.raises(ValueError, match="key"):
        built(tmp_path, [Entry(bad, "x")])


def test_a_key_twice_is_refused_and_leaves_the_old_index(tmp_path):
    before = built(tmp_path).digest
    with pytest.raises(ValueError, match="'basel'"):
        built(tmp_path, [BASEL, BASEL])
    assert Index.open(tmp_path).digest == before


def test_a_flipped_byte_is_found_in_every_file(tmp_path):
    index = built(tmp_path)
    for file in index.manifest.files.values():
        path = tmp_path / file.name
        content = bytearray(path.read_bytes())
        if not content:
            continue
        content[len(content) // 2] ^= 1
        good = path.read_bytes()
        path.write_bytes(bytes(content))
        with pytest.raises(BadIndex, match=path.stem):
            Index.open(tmp_path)
        path.write_bytes(good)
    Index.open(tmp_path).verify()


def test_large_files_are_hashed_by_verify_and_their_size_is_checked_at_opening(tmp_path, monkeypatch):
    index = built(tmp_path)
    path = tmp_path / index.manifest.files["words.rows"].name
    monkeypatch.setattr("retrieval.index._SMALL", 0)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(BadIndex, match=r"words\.rows"):
        Index.open(tmp_path).verify()
    path.write_bytes(bytes(content[:-1]))
    with pytest.raises(BadIndex, match=r"words\.rows"):
        Index.open(tmp_path)


def test_a_folder_without_an_index_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(BadIndex, match=MANIFEST):
        Index.open(tmp_path)
    index = built(tmp_path)
    (tmp_path / index.manifest.files["keys"].name).unlink()
    with pytest.raises(BadIndex, match="keys"):
        Index.open(tmp_path)


def test_an_index_of_other_rules_for_words_must_be_built_again(tmp_path, monkeypatch):
    built(tmp_path)
    monkeypatch.setattr("retrieval.words.VERSION", "0")
    with pytest.raises(BadIndex, match="words"):
        Index.open(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"format":"touchstone.index/1"}', b'{"format":"x"}', b"\xff"]
)
def test_a_manifest_that_is_none_is_refused(tmp_path, content):
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(BadIndex, match="manifest"):
        Index.open(tmp_path)


def test_a_manifest_cannot_name_a_file_elsewhere(tmp_path):
    index = built(tmp_path / "index")
    content = (index.folder / MANIFEST).read_bytes().replace(b'"name":"keys-', b'"name":"../keys-')
    (index.folder / MANIFEST).write_bytes(content)
    with pytest.raises(BadIndex, match="outside"):
        Index.open(index.folder)


def test_a_manifest_is_read_as_it_was_written(index):
    assert Manifest.from_bytes(index.manifest.as_bytes()) == index.manifest


def test_recipes_survive_json_and_refuse_what_they_do_not_know():
    recipe = Recipe("mine", model=Model("m", "d" * 64, 384))
    assert Recipe.from_json(recipe.as_json()) == recipe
    for bad in (
        {},
        {"name": "x", "speed": 1},
        {"name": "x", "pool": "many"},
        {"name": "x", "b": 7},
        {"name": 3},
    ):
        with pytest.raises(BadRecipe):
            Recipe.from_json(bad)


def killed_while_building(folder: Path, entries: list[Entry], *, step: int, size: int) -> bool:
    """Build in a child that dies at the step-th synchronisation or renaming, or at byte `size` of any file."""
    child = os.fork()
    if child == 0:
        left = step

        def counted(call):
            def wrapper(*args, **kwargs):
                nonlocal left
                left -= 1
                if left == 0:
                    os._exit(1)
                return call(*args, **kwargs)

            return wrapper

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        os.fsync, Path.replace, Path.unlink = map(counted, (os.fsync, Path.replace, Path.unlink))
        status = 1
        try:
            build(folder, entries, corpus_digest="new", recipe=NAMED["words"])
            status = 0
        finally:
            os._exit(
                status
            )  # Python turns the signal of the limit into an error; nothing may clean up after it
    return os.waitpid(child, 0)[1] != 0


@pytest.mark.slow
def test_a_build_that_is_killed_anywhere_leaves_the_old_index_or_the_new_one(tmp_path):
    old = built(tmp_path / "index").digest
    more = [*ENTRIES, *(Entry(f"more{n}", f"compact space number {n} $x^{n}$") for n in range(50))]
    new = built(tmp_path / "other", more, recipe=NAMED["words"]).manifest
    largest = max(file.size for file in new.files.values())
    steps = 3 * len(new.files)
    chance = random.Random(18)
    killed = 0
    for attempt in range(50):
        by_step = attempt % 2
        step, size = (chance.randint(1, steps), 2**30) if by_step else (0, chance.randrange(largest))
        before = Index.open(tmp_path / "index").digest
        died = killed_while_building(tmp_path / "index", more, step=step, size=size)
        killed += died
        index = Index.open(tmp_path / "index")
        index.verify()
        assert index.digest == before or index.manifest.corpus == "new"
        if index.digest != before:
            assert index.keys == sorted(entry.key for entry in more)
            assert built(tmp_path / "index").digest == old
    assert killed > 25


def test_a_build_that_dies_within_the_manifest_leaves_the_old_index(tmp_path):
    # Every other file of an index of one short statement has less than 700 bytes, the manifest more than 2,000.
    old = built(tmp_path, [BASEL]).digest
    files = Index.open(tmp_path).manifest.files.values()
    assert max(file.size for file in files) < 1_500 < (tmp_path / MANIFEST).stat().st_size
    assert killed_while_building(tmp_path, [Entry("other", "ring")], step=0, size=1_500)
    assert Index.open(tmp_path).digest == old


def test_a_search_is_the_same_in_an_index_that_was_built_again(tmp_path):
    chance = np.random.default_rng(1)
    vocabulary = [f"word{n}" for n in range(300)]
    entries = [Entry(f"s{n:04}", " ".join(chance.choice(vocabulary, 12))) for n in range(500)]
    one, other = built(tmp_path / "one", entries), built(tmp_path / "other", entries)
    for _ in range(20):
        query = " ".join(chance.choice(vocabulary, 3))
        assert one.search(query, k=50) == other.search(query, k=50)
