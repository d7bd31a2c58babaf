"""Frozen retrieval artifacts: written, read, executed again."""

import random
import zipfile
from dataclasses import replace

import pytest

from retrieval.artifact import (
    EXTERNAL,
    MEMBERS,
    Artifact,
    BadArtifact,
    Limits,
    Result,
    Row,
    Terms,
    frozen,
    packed,
    read,
    verify,
    write,
)
from retrieval.index import Entry, Index, build
from retrieval.recipes import NAMED

WORDS = [f"word{n}" for n in range(60)]


@pytest.fixture
def index(tmp_path) -> Index:
    chance = random.Random(1)
    entries = [
        Entry(
            f"s{n:03}",
            " ".join(chance.choices(WORDS, k=10)),
            document=f"d{n % 30}",
            year=1990 + n % 30 if n % 7 else None,
        )
        for n in range(200)
    ]
    build(tmp_path / "index", entries, corpus_digest="c", recipe=NAMED["words"])
    return Index.open(tmp_path / "index")


def described(key: str) -> dict:
    number = int(key[1:])
    year = 1990 + number % 30 if number % 7 else None
    return {"title": f"On {key} “and more”", "authors": ("Someone",), "year": year, "snippet": "Let"}


def made(index: Index, queries: int = 40) -> Artifact:
    chance = random.Random(2)
    asked = [Row(f"i{n % 10}", " ".join(chance.choices(WORDS, k=3)) + f" {n}") for n in range(queries)]
    limits = {f"i{n}": Limits(excluded=(f"d{n}",), year_to=2000 + n) for n in range(5)}
    terms = Terms("r" * 64, index=index.digest, recipe=index.manifest.recipe, mode="words", limits=limits)
    return frozen(index, terms, asked, described, [{"time": "2026-11-23T19:00:00Z"}])


def test_what_was_frozen_is_found_again_byte_for_byte(index, tmp_path):
    artifact = made(index)
    digest = write(tmp_path / "a.zip", artifact)
    assert read(tmp_path / "a.zip") == artifact
    checked = verify(tmp_path / "a.zip", index, digest)
    assert (checked.digest, checked.rows, checked.executed_again, checked.faults) == (digest, 40, True, ())
    assert packed(made(index)) == (tmp_path / "a.zip").read_bytes()


def test_limits_of_an_instance_are_kept(index):
    artifact = made(index)
    by_number = {f"s{n:03}": n for n in range(200)}
    for row in artifact.rows:
        limits = artifact.terms.limits.get(row.instance)
        numbers = [by_number[result.key] for result in row.results]
        assert len(numbers) == 20
        if limits is not None:
            assert not [n for n in numbers if f"d{n % 30}" in limits.excluded]
            assert all(n % 7 and 1990 + n % 30 <= limits.year_to for n in numbers)


def test_rows_are_sorted_and_the_order_of_queries_does_not_matter(index):
    one = made(index)
    other = frozen(index, one.terms, reversed(one.rows), described)
    assert other.rows == one.rows
    assert other.digest == one.digest


def test_a_query_that_is_not_frozen_is_not_found(index):
    artifact = made(index)
    assert artifact.find(artifact.rows[3].instance, artifact.rows[3].query) == artifact.rows[3]
    assert artifact.find("i0", "a new query") is None


def test_a_query_twice_and_another_index_are_refused(index, tmp_path):
    artifact = made(index)
    with pytest.raises(BadArtifact, match="twice"):
        frozen(index, artifact.terms, [artifact.rows[0], artifact.rows[0]], described)
    with pytest.raises(BadArtifact, match="name the index"):
        frozen(index, replace(artifact.terms, index="0" * 64), [], described)
    build(tmp_path / "other", [Entry("a", "b")], corpus_digest="c", recipe=NAMED["words"])
    write(tmp_path / "a.zip", artifact)
    with pytest.raises(BadArtifact, match="of the index"):
        verify(tmp_path / "a.zip", Index.open(tmp_path / "other"))


def test_every_flipped_byte_fails(index, tmp_path):
    artifact = made(index, queries=1)
    artifact = replace(artifact, rows=tuple(replace(row, results=row.results[:2]) for row in artifact.rows))
    chance = random.Random(3)
    path = tmp_path / "a.zip"
    digest = write(path, artifact)
    content = path.read_bytes()
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(changed))
        with pytest.raises(BadArtifact):
            verify(path, digest=digest)
    path.write_bytes(content[:-1])
    with pytest.raises(BadArtifact):
        read(path)


def test_a_changed_result_with_right_hashes_is_named_by_its_line(index, tmp_path):
    artifact = made(index)
    row = artifact.rows[6]
    results = (row.results[1], row.results[0], *row.results[2:])
    swapped = replace(row, results=tuple(replace(of, rank=at) for at, of in enumerate(results, 1)))
    forged = replace(artifact, rows=(*artifact.rows[:6], swapped, *artifact.rows[7:]))
    write(tmp_path / "a.zip", forged)
    faults = verify(tmp_path / "a.zip", index).faults
    assert len(faults) == 1
    assert faults[0].startswith(f"rows.jsonl line 7: rank 1 is {row.results[1].key}")


def test_a_result_left_out_is_named(index, tmp_path):
    artifact = made(index)
    short = replace(artifact.rows[0], results=artifact.rows[0].results[:-1])
    write(tmp_path / "a.zip", replace(artifact, rows=(short, *artifact.rows[1:])))
    assert verify(tmp_path / "a.zip", index).faults == ("rows.jsonl line 1: 19 results, the index finds 20",)


@pytest.mark.parametrize(
    ("changed", "by_index"),
    [
        ({"title": "Another"}, False),
        ({"authors": ("Nobody",)}, False),
        ({"snippet": "1 = 2"}, False),
        ({"year": 1066}, True),
        ({"year": None}, True),
    ],
)
def test_what_is_said_of_a_result_is_compared_or_named_as_not_checked(index, tmp_path, changed, by_index):
    artifact = made(index)
    row = artifact.rows[3]
    at = next(n for n, result in enumerate(row.results) if result.year is not None)
    results = (*row.results[:at], replace(row.results[at], **changed), *row.results[at + 1 :])
    forged = replace(row, results=results)
    write(tmp_path / "a.zip", replace(artifact, rows=(*artifact.rows[:3], forged, *artifact.rows[4:])))
    (name,) = changed
    with_index = verify(tmp_path / "a.zip", index)
    with_corpus = verify(tmp_path / "a.zip", index, describe=described)
    assert [len(with_index.faults), len(with_corpus.faults)] == [int(by_index), 1]
    assert with_corpus.faults[0].startswith(f"rows.jsonl line 4: rank {at + 1}, {name}: ")
    assert by_index or {name, f"{name}s"} & set(with_index.unchecked)


def test_a_row_that_is_missing_is_named_as_not_checked_where_no_digest_is_given(index, tmp_path):
    artifact = made(index)
    write(tmp_path / "a.zip", replace(artifact, rows=artifact.rows[1:]))
    assert "whether a query is missing" in verify(tmp_path / "a.zip", index, describe=described).unchecked
    assert verify(tmp_path / "a.zip").unchecked == ("results", "whether a query is missing")
    with pytest.raises(BadArtifact, match="the digest is"):
        verify(tmp_path / "a.zip", index, artifact.digest)
    digest = write(tmp_path / "a.zip", artifact)
    assert verify(tmp_path / "a.zip", index, digest).unchecked == ()


def test_what_a_foreign_service_found_is_verified_by_its_digest_alone(tmp_path):
    terms = Terms("r" * 64, provider=EXTERNAL, settings={"service": "Google Scholar", "language": "en"})
    artifact = Artifact(terms, (Row("i1", "some query", (Result(1, "10.1/x", 0, title="A paper"),)),))
    digest = write(tmp_path / "a.zip", artifact)
    checked = verify(tmp_path / "a.zip", digest=digest)
    assert (checked.executed_again, checked.rows) == (False, 1)
    with pytest.raises(BadArtifact, match="digest"):
        verify(tmp_path / "a.zip", digest="0" * 64)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"provider": "somebody"},
        {"provider": EXTERNAL, "index": "x", "recipe": NAMED["words"]},
        {"index": "x"},
        {"provider": EXTERNAL, "n": 0},
        {"provider": EXTERNAL, "mode": "magic"},
    ],
)
def test_terms_that_contradict_themselves_are_refused(kwargs):
    with pytest.raises(BadArtifact):
        Terms("r", **kwargs)


@pytest.mark.parametrize(
    ("member", "content", "named"),
    [
        ("manifest.json", b"[]", "manifest.json"),
        ("manifest.json", b'{"format":"touchstone.retrieval/2"}', "format"),
        ("manifest.json", b"[" * 100_000, "manifest.json"),
        ("rows.jsonl", b'{"instance":1}\n', "rows.jsonl line 1"),
        ("rows.jsonl", b'{"instance":1,"query":"q","results":[]}\n', "rows.jsonl line 1: a query is text"),
        ("rows.jsonl", b"[]\n", "rows.jsonl line 1: not an object"),
        ("executed.jsonl", b"\xff\n", "executed.jsonl line 1"),
        ("executed.jsonl", b'{"at":NaN}\n', "a value that is not written"),
        ("executed.jsonl", b'{"at":"\\ud800"}\n', "a value that is not written"),
    ],
)
def test_a_member_that_cannot_be_read_is_named(index, tmp_path, member, content, named):
    artifact = made(index, queries=1)
    contents = dict(zip(MEMBERS, (artifact.manifest(), artifact.lines(), b""), strict=True)) | {
        member: content
    }
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, of in contents.items():
            archive.writestr(name, of)
    with pytest.raises(BadArtifact, match=named):
        read(tmp_path / "a.zip")


def test_other_members_and_compressed_ones_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("manifest.json", b"{}")
    with pytest.raises(BadArtifact, match="members"):
        read(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in MEMBERS:
            archive.writestr(name, b"0" * 100)
    with pytest.raises(BadArtifact, match="compressed"):
        read(tmp_path / "b.zip")
