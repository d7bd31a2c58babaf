"""Corpora: read strictly, imported whole or not at all, written as they were read, frozen for good."""

import hashlib
import json
import random

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.refusal import Refused
from benchmark.describing.licences import class_of
from benchmark.importing.survey import BadFile
from search.corpora import lines
from search.corpora.actions import About, freeze_corpus, import_corpus
from search.corpora.queries import corpora_for, corpus_lines, corpus_named
from search.models import Corpus, Document, Source, Statement, Visibility
from tests.factories import ReleaseFactory
from tests.search.conftest import LINES

pytestmark = pytest.mark.django_db


def bring(path, **more):
    return import_corpus(actor=None, path=path, slug="library", **more)


def test_a_file_becomes_statements_documents_and_a_source(write):
    done = bring(write(LINES), about=About(licence="CC-BY-4.0", attribution="The authors"))
    assert (done.statements, done.new, done.documents, done.sources) == (4, 4, 3, 1)
    shown = Statement.objects.select_related("document__source").get(key="compact")
    assert shown.name == "Theorem 3.1 (Heine and Borel)"
    assert (shown.document.title, shown.document.authors, shown.document.year) == (
        "Spaces",
        ["A. Author", "B. Writer"],
        1999,
    )
    assert (shown.document.source.licence, shown.document.source.attribution) == ("CC-BY-4.0", "The authors")


def test_a_dry_run_writes_nothing(write):
    assert bring(write(LINES), dry_run=True).new == 4
    assert not Corpus.objects.exists()


def test_the_same_file_again_changes_nothing_and_a_longer_one_adds_what_is_new(write):
    bring(write(LINES[:2]))
    again = bring(write(LINES[:2]))
    assert not again.changed
    assert bring(write(LINES)).new == 2
    assert Statement.objects.count() == 4
    assert Document.objects.count() == 3


@pytest.mark.parametrize("seed", range(5))
def test_the_lines_of_a_corpus_are_the_same_bytes_in_whatever_order_they_came(write, seed):
    shuffled = random.Random(seed).sample(LINES, len(LINES))
    bring(write(shuffled[:2]))
    bring(write(shuffled))
    lines = b"".join(corpus_lines(corpus_named("library")))
    expected = [{**line, "authors": line["authors"]} if "authors" in line else line for line in LINES]
    assert [json.loads(line) for line in lines.splitlines()] == sorted(expected, key=lambda line: line["key"])
    import_corpus(actor=None, path=write([json.loads(line) for line in lines.splitlines()]), slug="copy")
    assert b"".join(corpus_lines(corpus_named("copy"))) == lines


def test_several_sources_stay_apart(write):
    lines = [{**LINES[0], "source": "A book"}, {**LINES[2], "source": "A site"}]
    bring(write(lines))
    assert set(Source.objects.values_list("name", flat=True)) == {"A book", "A site"}
    assert [json.loads(line)["source"] for line in corpus_lines(corpus_named("library"))] == [
        "A book",
        "A site",
    ]


@pytest.mark.parametrize(
    ("lines", "line", "field", "words"),
    [
        ([{"key": "a", "document": "d"}], 1, "body", "missing"),
        ([{"key": "a", "document": "d", "body": "  "}], 1, "body", "must not be blank"),
        ([LINES[0], {**LINES[1], "boddy": ""}], 2, "boddy", "no such field"),
        ([LINES[0], {**LINES[1], "key": "compact"}], 2, "key", "already on line 1"),
        ([LINES[0], {**LINES[1], "year": 2000}], 2, "document", "described differently on line 1"),
        ([{**LINES[0], "url": "javascript:alert(1)"}], 1, "url", "pattern"),
        ([{**LINES[0], "key": "a\nb"}], 1, "key", "must be one line"),
        ([{**LINES[0], "year": "1999"}], 1, "year", "integer"),
        ([{**LINES[0], "body": "x" * 100_001}], 1, "body", "100000"),
        (["text"], 1, "", "JSON object"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line_and_nothing_is_written(write, lines, line, field, words):
    with pytest.raises(BadFile, match=words) as refused:
        bring(write(lines))
    assert (refused.value.line, refused.value.field) == (line, field)
    assert not Corpus.objects.exists()


def test_a_stored_statement_never_changes(write):
    bring(write(LINES))
    with pytest.raises(BadFile, match="statements never change"):
        bring(write([{**LINES[2], "body": "There are many primes."}]))
    with pytest.raises(BadFile, match="stored with another title"):
        bring(write([{**LINES[2], "key": "new", "title": "Other numbers"}]))


def test_a_frozen_corpus_is_named_by_the_hash_of_its_file_and_takes_nothing_more(write):
    bring(write(LINES))
    corpus = corpus_named("library")
    sha256 = freeze_corpus(actor=None, corpus=corpus)
    assert sha256 == hashlib.sha256(b"".join(corpus_lines(corpus))).hexdigest()
    assert freeze_corpus(actor=None, corpus=corpus) == sha256
    with pytest.raises(Refused, match="frozen"):
        bring(write([{"key": "more", "document": "d", "body": "b"}]))


def test_an_empty_corpus_cannot_be_frozen(db):
    with pytest.raises(Refused, match="no statements"):
        freeze_corpus(actor=None, corpus=Corpus.objects.create(slug="empty", title="Empty"))


@pytest.mark.parametrize(
    "change",
    [
        lambda: Statement.objects.filter(key="compact").update(body="other"),
        lambda: Statement.objects.filter(key="compact").delete(),
        lambda: Document.objects.filter(key="numbers").update(title="other"),
        lambda: Document.objects.create(corpus=corpus_named("library"), source=Source.objects.get(), key="new"),
        lambda: Corpus.objects.update(frozen_at=None, sha256=""),
    ],
)  # fmt: skip
def test_the_database_refuses_every_change_of_a_frozen_corpus(write, change):
    bring(write(LINES))
    freeze_corpus(actor=None, corpus=corpus_named("library"))
    with pytest.raises(IntegrityError, match=r"never changes|append-only"), transaction.atomic():
        change()


def test_a_statement_is_not_changed_in_a_corpus_that_grows_either(write):
    bring(write(LINES))
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Statement.objects.filter(key="compact").update(body="other")


def test_each_person_finds_the_corpora_that_are_for_them(write, algebraist, coordinator):
    from django.contrib.auth.models import AnonymousUser

    for slug, visibility in (("open", "anyone"), ("members", "members"), ("staff", "staff")):
        import_corpus(actor=None, path=write(LINES), slug=slug, about=About(visibility=visibility))
    bound = About(release=ReleaseFactory(), visibility=Visibility.ANYONE)
    import_corpus(actor=None, path=write(LINES), slug="bound", about=bound)

    def seen(user):
        return set(corpora_for(user).values_list("slug", flat=True))

    assert seen(AnonymousUser()) == {"open"}
    assert seen(algebraist) == {"open", "members"}
    assert seen(coordinator) == {"open", "members", "staff", "bound"}


@pytest.mark.parametrize(
    ("licence", "found"),
    [
        ("CC-BY-4.0", "open"), ("CC-BY-SA-4.0", "open"), ("GFDL-1.3-or-later", "open"), ("MIT", "open"),
        ("", "unstated"), ("unstated", "unstated"), ("CC-BY-ND-4.0", "closed"), ("CC-BY-NC-ND-4.0", "closed"),
        ("arXiv-nonexclusive", "closed"), ("All rights reserved", "closed"), ("MIT-like, ask us", "closed"),
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_open_is_closed(licence, found):
    assert class_of(licence) == found


def test_the_commands_say_what_they_did(write, capsys):
    path = write(LINES)
    call_command("import_corpus", str(path), corpus="library", licence="CC-BY-4.0", freeze=True)
    assert "Imported library: 4 statements (4 new) of 3 documents\nfrozen, sha256" in capsys.readouterr().out
    with pytest.raises(CommandError, match="frozen"):
        call_command("import_corpus", str(path), corpus="library")
    with pytest.raises(CommandError, match=r"no corpus 'other'\. Corpora: library"):
        call_command("build_index", corpus="other")


def test_a_file_that_changes_between_its_two_readings_is_refused_whole(write, monkeypatch):
    path, read = write(LINES), lines.read_statements

    def changes_afterwards(file):
        yield from read(file)
        write([*LINES[:3], {**LINES[3], "body": "Something else."}])

    monkeypatch.setattr("search.corpora.actions.read_statements", changes_afterwards)
    with pytest.raises(Refused, match="changed while it was read"):
        bring(path)
    assert not Corpus.objects.exists()
