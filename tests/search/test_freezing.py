"""Frozen retrieval: what a problem must not be given is left out, and anybody finds the same bytes again."""

import errno
import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command

from accounts.refusal import Refused
from benchmark.importing.survey import BadFile
from benchmark.models import Output, Release
from benchmark.releases.years import CITING_YEAR, PUBLICATION_YEAR
from canonical import canonical_json
from retrieval import artifact
from retrieval.index import OLD
from retrieval.index import Index as OpenIndex
from search.corpora.actions import import_corpus
from search.corpora.queries import corpus_named
from search.freezing.actions import freeze_retrieval, search_run, verify_retrieval
from search.indexes import opened as opening
from search.indexes.actions import build_index
from search.indexes.opened import index_of
from search.sample import load_library
from search.searching.actions import search
from search.searching.request import Asked
from tests.factories import InstanceFactory, PaperFactory, ReleaseFactory
from tests.retrieval.test_without import in_the_format_before

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(db) -> Release:
    """Two problems: one from a paper of the corpus, one from a paper of 1990 that is not in it."""
    release = ReleaseFactory()
    own = PaperFactory(release=release, key="topology", title="Spaces", year=1999)
    InstanceFactory(release=release, key="own", paper=own)
    old = PaperFactory(release=release, key="old", title="An old paper about something else", year=1990)
    InstanceFactory(release=release, key="old", paper=old)
    return release


def queries(tmp_path, *lines):
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


TWO = ({"instance": "own", "query": "compact sets and primes"}, {"instance": "old", "query": "compact set"})


def freeze(corpus, release, path, out, **more):
    return freeze_retrieval(release=release, index=index_of(corpus), path=path, out=out, **more)


def test_the_own_paper_is_never_found_and_nothing_younger_where_a_year_is_bounded(corpus, release, tmp_path):
    out = tmp_path / "artifact.zip"
    freeze(corpus, release, queries(tmp_path, *TWO), out, mode="words", year_policy=CITING_YEAR)
    frozen = artifact.read(out)
    found = {row.instance: [result.key for result in row.results] for row in frozen.rows}
    assert found == {"own": [], "old": []}  # "primes" has no year; "compact" is of 1999
    assert frozen.terms.limits["own"].excluded == ("topology",)
    assert frozen.terms.limits["old"].year_to == 1990
    free = tmp_path / "free.zip"
    freeze(corpus, release, queries(tmp_path, *TWO), free, mode="words")
    found = {row.instance: [result.key for result in row.results] for row in artifact.read(free).rows}
    assert {name: set(keys) for name, keys in found.items()} == {
        "own": {"primes"},
        "old": {"compact", "uniform"},
    }


def test_the_same_queries_give_the_same_digest_in_any_order_and_after_a_rebuild(corpus, release, tmp_path):
    first, _ = freeze(corpus, release, queries(tmp_path, *TWO), tmp_path / "a.zip")
    build_index(actor=None, corpus=corpus, recipe="words")
    second, rows = freeze(corpus, release, queries(tmp_path, *reversed(TWO)), tmp_path / "b.zip")
    assert (first, rows) == (second, 2)


def test_an_artifact_is_executed_again_and_one_flipped_byte_is_refused(corpus, release, tmp_path, settings):
    out = tmp_path / "artifact.zip"
    digest, _ = freeze(corpus, release, queries(tmp_path, *TWO), out)
    checked = verify_retrieval(path=out, digest=digest)
    assert (checked.rows, checked.executed_again, checked.faults) == (2, True, ())
    with pytest.raises(Refused, match="the digest is"):
        verify_retrieval(path=out, digest="0" * 64)
    content = bytearray(out.read_bytes())
    content[len(content) // 2] ^= 1
    out.write_bytes(content)
    with pytest.raises(Refused, match=r"artifact\.zip"):
        verify_retrieval(path=out)


def test_on_the_site_of_the_corpus_a_changed_title_is_found(corpus, release, tmp_path, capsys):
    out = tmp_path / "artifact.zip"
    freeze(corpus, release, queries(tmp_path, *TWO), out)
    read = artifact.read(out)
    row = next(row for row in read.rows if row.results)
    forged = replace(row, results=(replace(row.results[0], title="Another title"), *row.results[1:]))
    digest = artifact.write(out, replace(read, rows=tuple(forged if of == row else of for of in read.rows)))
    with pytest.raises(CommandError, match="title: 'Another title' where"):
        call_command("verify_retrieval", str(out), digest=digest)
    artifact.write(out, replace(read, rows=read.rows[1:]))
    call_command("verify_retrieval", str(out))
    assert "Not checked, except that the file agrees with itself: whether a query" in capsys.readouterr().out


def test_without_the_index_only_hashes_are_compared_and_the_command_says_so(
    corpus, release, tmp_path, settings, capsys
):
    out = tmp_path / "artifact.zip"
    freeze(corpus, release, queries(tmp_path, *TWO), out)
    call_command("verify_retrieval", str(out))
    assert "executed again and found the same" in capsys.readouterr().out
    (settings.INDEX_DIR / index_of(corpus).digest).rename(tmp_path / "elsewhere")
    call_command("verify_retrieval", str(out))
    assert "no query was executed again" in capsys.readouterr().out
    call_command("verify_retrieval", str(out), index=tmp_path / "elsewhere")
    assert "executed again" in capsys.readouterr().out


def test_an_index_of_the_format_before_is_refused_by_searches_and_verifies_what_was_frozen_on_it(
    corpus, tmp_path, settings
):
    place = in_the_format_before(settings.INDEX_DIR / index_of(corpus).digest)
    # An index never changes its name, so what is opened under it is the old one.
    opening._opened.cache_clear()
    with pytest.raises(Refused, match=f"its format is {OLD}.*Build it again") as refused:
        search(user=AnonymousUser(), corpus=corpus, asked=Asked("compact"), purpose="page")
    assert refused.value.code == "bad_index"
    old, out = OpenIndex.open(place, also_old=True), tmp_path / "old.zip"
    terms = artifact.Terms("r" * 64, index=old.digest, recipe=old.manifest.recipe, mode="words")
    made = artifact.frozen(
        old, terms, [artifact.Row("own", "compact set")], lambda key: {"year": old.year_of(key)}
    )
    artifact.write(out, made)
    assert len(made.rows[0].results) == 2
    checked = verify_retrieval(path=out, folder=place)
    assert (checked.executed_again, checked.faults) == (True, ())


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([{"instance": "other", "query": "a"}], 1, "no instance 'other'"),
        ([{"instance": "own", "query": ""}], 1, "must not be empty"),
        ([TWO[0], TWO[0]], 2, "same query is on line 1"),
        ([{"instance": "own", "query": "a", "k": 3}], 1, "no such field"),
    ],
)
def test_a_fault_in_a_file_of_queries_is_named_with_its_line(corpus, release, tmp_path, lines, line, words):
    with pytest.raises(BadFile, match=words) as refused:
        freeze(corpus, release, queries(tmp_path, *lines), tmp_path / "a.zip")
    assert refused.value.line == line
    assert not (tmp_path / "a.zip").exists()


def test_nothing_is_overwritten(corpus, release, tmp_path):
    (tmp_path / "a.zip").write_text("mine")
    with pytest.raises(Refused, match="exists already"):
        freeze(corpus, release, queries(tmp_path, *TWO), tmp_path / "a.zip")


def test_our_search_answers_a_release_of_theorem_search_and_is_measured_by_it(db, settings, tmp_path, capsys):
    release_file = settings.SAMPLE_DIR / "theorem_search" / "release.jsonl"
    call_command("import_release", "theorem_search", str(release_file), "--release=search-it")
    load_library(settings.SAMPLE_DIR)
    call_command("build_index", corpus="sample-library", json=True)
    release = Release.objects.get(name="search-it")
    index, out = index_of(corpus_named("sample-library")), tmp_path / "run.jsonl"
    assert search_run(release=release, index=index, out=out, mode="words", k=5) == release.instances.count()
    call_command("import_outputs", str(out), "--release=search-it", "--system=our-words", "--no-render")
    assert Output.objects.filter(run__system__slug="our-words").count() == release.instances.count()
    first = json.loads(out.read_text().splitlines()[0])
    assert first["results"][0]["paper"] == "sample-notes-groups"
    with pytest.raises(CommandError, match="exists already"):
        call_command("search_run", "--release=search-it", f"--index={index.digest}", f"--out={out}")


def test_a_query_that_finds_nothing_and_a_paper_in_two_versions_give_a_file_that_can_be_imported(
    db, write, tmp_path
):
    for query in ("compact sets", "zzzqqq"):
        payload = {"query": query, "targets": [{"paper": "2401.00001", "statement": "Theorem 1"}]}
        write([{"instance_id": query.split()[0], **payload}], f"{query.split()[0]}.jsonl")
    both = tmp_path / "release.jsonl"
    both.write_text("".join((tmp_path / f"{name}.jsonl").read_text() for name in ("compact", "zzzqqq")))
    call_command("import_release", "theorem_search", str(both), "--release=two")
    shared = {"kind": "theorem", "number": "1"}
    lines = [
        {"key": f"v{n}", "document": f"2401.00001v{n}", "body": "Compact sets are closed.", **shared}
        for n in (1, 2)
    ]
    import_corpus(actor=None, path=write(lines), slug="versions")
    index = build_index(actor=None, corpus=corpus_named("versions"), recipe="words")
    out = tmp_path / "run.jsonl"
    search_run(release=Release.objects.get(name="two"), index=index, out=out, mode="words", k=5)
    call_command("import_outputs", str(out), "--release=two", "--system=ours", "--no-render")
    states = Output.objects.order_by("instance__key").values_list("state", flat=True)
    assert list(states) == ["answered", "abstained"]


def test_a_paper_without_a_date_is_bounded_by_its_arxiv_number_unless_only_dates_count(
    corpus, release, tmp_path
):
    paper = PaperFactory(
        release=release, key="9001", title="About", year=None, identifiers={"arxiv": "9901.1"}
    )
    InstanceFactory(release=release, key="bad-number", paper=paper)
    paper = PaperFactory(
        release=release, key="9002", title="On", year=None, identifiers={"arxiv": "math/9901001v2"}
    )
    InstanceFactory(release=release, key="numbered", paper=paper)
    path = queries(tmp_path, *TWO)
    found = {}
    for policy in ("", CITING_YEAR, PUBLICATION_YEAR):
        out = tmp_path / f"{policy or 'none'}.zip"
        freeze(corpus, release, path, out, mode="words", year_policy=policy)
        terms = artifact.read(out).terms
        assert terms.year_policy == policy
        assert artifact.read_terms(out) == terms
        found[policy] = {key: limits.year_to for key, limits in terms.limits.items()}
    assert found == {
        "": {"own": None},
        CITING_YEAR: {"own": 1999, "old": 1990, "numbered": 1999},
        PUBLICATION_YEAR: {"own": 1999, "old": 1990},
    }


def test_the_command_takes_one_of_the_two_policies(corpus, release, tmp_path):
    path = queries(tmp_path, *TWO)
    common = [str(path), "--release", release.name, "--index", index_of(corpus).digest, "--mode", "words"]
    for option, policy in (
        ("--up-to-citing-year", CITING_YEAR),
        ("--up-to-publication-year", PUBLICATION_YEAR),
    ):
        out = tmp_path / f"{policy}.zip"
        call_command("freeze_retrieval", *common, "--out", str(out), option)
        assert artifact.read(out).terms.year_policy == policy
    with pytest.raises(CommandError, match="not allowed with"):
        call_command(
            "freeze_retrieval", *common, "--out", "x.zip", "--up-to-citing-year", "--up-to-publication-year"
        )


def test_the_command_says_how_many_queries_found_nothing(corpus, release, tmp_path, capsys):
    common = [str(queries(tmp_path, *TWO)), "--release", release.name, "--index", index_of(corpus).digest]
    bounded = "--up-to-citing-year"  # a corpus without years finds nothing under it
    call_command("freeze_retrieval", *common, "--mode", "words", "--out", str(tmp_path / "a.zip"), bounded)
    assert "found_nothing: 2" in capsys.readouterr().out
    call_command("freeze_retrieval", *common, "--mode", "words", "--out", str(tmp_path / "b.zip"))
    assert "found_nothing: 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        {"n": 1.0},
        {"recipe": {"k1": 0.5}},
        {"limits": {"own": {"excluded": [1], "year_to": None, "include_unknown_years": False}}},
        {"limits": {"own": {"excluded": [], "year_to": 2000, "include_unknown_years": None}}},
        {"results": {"key": []}},
        {"results": {"title": 5}},
        {"results": {"authors": [1]}},
        {"results": {"year": True}},
    ],
    ids=str,
)
def test_an_artifact_that_was_made_up_with_right_hashes_is_refused_in_words(
    corpus, release, tmp_path, change
):
    out = tmp_path / "artifact.zip"
    freeze(corpus, release, queries(tmp_path, *TWO), out)
    with zipfile.ZipFile(out) as archive:
        manifest, *rows = (json.loads(line) for name in artifact.MEMBERS[:2] for line in archive.open(name))
        executed = archive.read(artifact.MEMBERS[2])
    rows[0]["results"][0] |= change.pop("results", {})
    manifest["recipe"] |= change.pop("recipe", {})
    manifest |= change
    lines = b"".join(canonical_json(row) + b"\n" for row in rows)
    manifest["rows_sha256"] = hashlib.sha256(lines).hexdigest()
    with zipfile.ZipFile(out, "w") as archive:
        contents = (canonical_json(manifest), lines, executed)
        for name, content in zip(artifact.MEMBERS, contents, strict=True):
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
    with pytest.raises(Refused) as refused:
        verify_retrieval(path=out)
    assert "not written this way" not in refused.value.reason


def test_a_disk_that_is_full_leaves_no_half_artifact_in_the_way(corpus, release, tmp_path, monkeypatch):
    out = tmp_path / "artifact.zip"

    def full(path, content):
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space"):
            freeze(corpus, release, queries(tmp_path, *TWO), out)
    assert not list(tmp_path.glob("*.zip*"))
    assert not list(tmp_path.glob(".*"))
    freeze(corpus, release, queries(tmp_path, *TWO), out)
    assert verify_retrieval(path=out).rows == 2
