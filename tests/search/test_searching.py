"""Searching: by words and formulas, among what the filters leave, with the licence's limits; and what is kept of it."""

import datetime as dt
import json

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.holding import held
from accounts.people.erasure import erase_person
from accounts.profile.personal_data import personal_data
from accounts.refusal import Refused
from retrieval.filters import Filters
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes import actions
from search.indexes import entries as indexed
from search.indexes.actions import GIVEN_UP_AFTER, ask_for_index, build_index, build_waiting
from search.indexes.opened import index_of, index_with, opened
from search.models import Corpus, Feedback, Index, Purpose, Query, SearchesOfADay, Statement
from search.searching.actions import forget_searches, say_relevant, search, similar
from search.searching.request import Asked
from search.searching.results import cut
from search.slogans.queries import newest_slogans
from tests.search.conftest import LINES

pytestmark = pytest.mark.django_db


def find(corpus, user=None, **asked):
    user = user or AnonymousUser()
    return search(user=user, corpus=corpus, asked=Asked(**asked), purpose=Purpose.PAGE)


def keys(found):
    return [result.key for result in found.results]


def test_words_are_found_in_other_forms_and_said_to_be_why(corpus):
    found = find(corpus, text="compactness of closed bounded subsets")
    assert keys(found)[0] == "compact"
    assert found.results[0].why.startswith("words 1")
    assert (found.considered, found.ranks_meaning) == (4, False)
    assert found.results[0].citation == "[A. Author, B. Writer, Spaces, 1999, Theorem 3.1 (Heine and Borel)]"
    assert "katex" in found.results[0].html or "math" in found.results[0].html


@pytest.mark.parametrize("mark", ["\u00ad", "\u200b", "\u2060", "\ufeff"])
def test_marks_that_nobody_sees_do_not_part_the_words_of_a_query(corpus, mark):
    found = find(corpus, text=f"com{mark}pactness of closed bounded subsets")
    assert keys(found) == keys(find(corpus, text="compactness of closed bounded subsets"))
    assert found.results[0].why.startswith("words 1")
    with pytest.raises(Refused, match="Type what you look for"):
        find(corpus, text=mark)


def test_a_formula_finds_its_like_with_other_letters(corpus):
    found = find(corpus, formula=r"q \equiv 1 \pmod{4}", mode="formula")
    assert keys(found)[0] == "primes"


def test_filters_leave_only_what_fits_and_say_what_emptied_the_result(corpus):
    assert keys(find(corpus, text="set", filters=Filters(kinds=("lemma",)))) == ["uniform"]
    found = find(corpus, text="set", filters=Filters(kinds=("corollary",), year_from=1990))
    assert (found.results, found.considered) == ([], 0)
    assert dict(found.emptying) == {"kinds": 3, "year_from": 0}  # three statements have a year from 1990 on


def test_a_text_that_is_not_open_is_cut_for_everybody_but_the_staff(corpus, algebraist, coordinator):
    for user, is_cut in ((algebraist, True), (coordinator, False)):
        shown = find(corpus, user=user, text="ring with unity").results[0]
        assert shown.key == "secret"
        assert shown.is_cut == is_cut
        assert ("maximal ideal" in shown.body) != is_cut
        assert (len(shown.body) <= 302) == is_cut


def test_a_text_is_not_cut_inside_a_formula():
    assert cut("for all $a + b$ in the ring", 12) == "for all …"
    assert cut("for all $a$ and b", 14) == "for all $a$ …"


def test_a_search_for_nothing_or_without_an_index_is_refused(corpus, write):
    with pytest.raises(Refused, match="Type what you look for"):
        find(corpus, text="  ")
    import_corpus(actor=None, path=write(LINES), slug="bare")
    with pytest.raises(Refused, match="no index yet"):
        find(corpus_named("bare"), text="set")
    with pytest.raises(Refused, match="does not rank by meaning"):
        find(corpus, text="set", mode="meaning")


def test_an_index_of_the_same_statements_is_the_same_index(corpus):
    first = index_of(corpus)
    assert build_index(actor=None, corpus=corpus, recipe="words").pk == first.pk
    assert Index.objects.count() == 1
    opened(first).verify()


def test_a_corpus_that_has_grown_gets_a_new_index_and_the_old_one_is_retired(corpus, write):
    first = index_of(corpus)
    import_corpus(
        actor=None, path=write([{"key": "new", "document": "d", "body": "Zorn's lemma."}]), slug="library"
    )
    second = build_index(actor=None, corpus=corpus, recipe="words")
    first.refresh_from_db()
    assert (first.state, second.state, second.n_statements) == ("retired", "ready", 5)
    assert keys(find(corpus, text="Zorn")) == ["new"]


def test_one_index_of_a_corpus_is_built_at_a_time_and_a_dead_build_gives_way(corpus):
    asked = ask_for_index(actor=None, corpus=corpus, recipe="words")
    with pytest.raises(Refused, match="being built right now"):
        build_index(actor=None, corpus=corpus, recipe="words")
    with time_machine.travel(timezone.now() + GIVEN_UP_AFTER + dt.timedelta(minutes=1)):
        build_index(actor=None, corpus=corpus, recipe="words")
    asked.refresh_from_db()
    assert (asked.state, "did not end" in asked.problem) == ("failed", True)


def test_a_build_whose_process_died_has_failed_and_leaves_nothing(corpus, settings):
    asked = ask_for_index(actor=None, corpus=corpus, recipe="words")
    Index.objects.filter(pk=asked.pk).update(
        state="building", asked_at=timezone.now() - dt.timedelta(hours=1)
    )
    folder = settings.INDEX_DIR / f"building-{asked.pk}"
    folder.mkdir(parents=True)
    with held(settings.INDEX_DIR / f"building-{asked.pk}.held"):
        assert build_waiting() == 0
        asked.refresh_from_db()
        assert asked.state == "building"
    assert build_waiting() == 0
    asked.refresh_from_db()
    assert (asked.state, "did not end" in asked.problem, folder.exists()) == ("failed", True, False)
    assert build_index(actor=None, corpus=corpus, recipe="words").state == "ready"


def test_a_build_is_held_while_it_goes_on(corpus, monkeypatch):
    ask_for_index(actor=None, corpus=corpus, recipe="words")
    Index.objects.update(asked_at=timezone.now() - dt.timedelta(hours=1))
    entries = actions.entries_of
    monkeypatch.setattr(actions, "entries_of", lambda corpus: (build_waiting(), entries(corpus))[1])
    assert build_waiting() == 1
    assert Index.objects.get().state == "ready"


def test_a_build_that_takes_a_day_is_not_given_up_while_it_goes_on(corpus, monkeypatch):
    """The vectors of a large corpus take that long. Somebody who asked for another index made it fail at its end."""
    entries = actions.entries_of

    def slow(corpus):
        with (
            time_machine.travel(timezone.now() + dt.timedelta(days=1)),
            pytest.raises(Refused, match="being built right now"),
        ):
            ask_for_index(actor=None, corpus=corpus, recipe="words")
        return entries(corpus)

    monkeypatch.setattr(actions, "entries_of", slow)
    assert build_index(actor=None, corpus=corpus, recipe="formula").state == "ready"


def test_what_is_imported_from_a_new_source_while_an_index_is_built_is_left_for_the_next_one(
    corpus, write, monkeypatch
):
    line = {"key": "new", "document": "d", "source": "another", "body": "Zorn's lemma."}

    def meanwhile(statements):
        import_corpus(actor=None, path=write([line]), slug="library")
        return newest_slogans(statements)

    monkeypatch.setattr(indexed, "newest_slogans", meanwhile)
    assert build_index(actor=None, corpus=corpus, recipe="formula").n_statements == 4


def test_a_worker_builds_what_was_asked_for_in_the_browser(corpus, write):
    import_corpus(
        actor=None, path=write([{"key": "new", "document": "d", "body": "Zorn's lemma."}]), slug="library"
    )
    ask_for_index(actor=None, corpus=corpus, recipe="words")
    assert build_waiting() == 1
    assert index_of(corpus).n_statements == 5
    assert build_waiting() == 0


def test_a_build_that_fails_says_why_and_leaves_the_old_index(corpus, write, monkeypatch):
    def fails(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr("search.indexes.actions.build", fails)
    import_corpus(
        actor=None, path=write([{"key": "new", "document": "d", "body": "Zorn's lemma."}]), slug="library"
    )
    with pytest.raises(OSError, match="disk is full"):
        build_index(actor=None, corpus=corpus, recipe="words")
    assert Index.objects.get(state="failed").problem == "the disk is full"
    assert keys(find(corpus, text="compact set"))


def test_missing_files_of_an_index_are_named_and_made_again(corpus, settings):
    import shutil

    from search.indexes import opened as opening

    index = index_of(corpus)
    opening._opened.cache_clear()
    shutil.rmtree(settings.INDEX_DIR / index.digest)
    with pytest.raises(Refused, match="Build it again"):
        find(corpus, text="set")
    build_index(actor=None, corpus=corpus, recipe="words")
    assert keys(find(corpus, text="closed"))


def test_a_retired_index_is_not_searched(corpus):
    corpus.indexes.update(state="retired")
    with pytest.raises(Refused, match="no index yet"):
        find(corpus, text="set")


def test_a_file_of_queries_is_answered_by_digest(corpus, tmp_path, capsys):
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "q1", "text": "uniformly continuous"}\n{"id": "q2", "text": "infinitely many primes"}\n'
    )
    digest = index_of(corpus).digest
    call_command("search_file", str(queries), index=digest[:12], k=1, mode="words", json=True)
    assert json.loads(capsys.readouterr().out) == {
        "index": digest,
        "results": [{"id": "q1", "keys": ["uniform"]}, {"id": "q2", "keys": ["primes"]}],
    }
    queries.write_text('{"id": "q1"}\n')
    with pytest.raises(CommandError, match="line 1, field text"):
        call_command("search_file", str(queries), index=digest)
    with pytest.raises(Refused, match="no index 'ffffffff'"):
        index_with("ffffffff")


def test_searches_are_exported_with_a_person_s_data_and_erased_with_them(corpus, algebraist):
    found = find(corpus, user=algebraist, text="compact set")
    say_relevant(user=algebraist, statement=Statement.objects.get(key="compact"), value=1, query=found.query)
    data = personal_data(algebraist)
    assert [row["text"] for row in data["searches"]] == ["compact set"]
    assert [row["value"] for row in data["said_of_search_results"]] == [1]
    erase_person(actor=algebraist, member=algebraist)
    assert not Query.objects.exists()
    assert not Feedback.objects.exists()


def test_after_thirty_days_only_numbers_are_left(corpus, algebraist):
    find(corpus, user=algebraist, text="one")
    find(corpus, text="two")
    with time_machine.travel(timezone.now() + dt.timedelta(days=31)):
        find(corpus, text="three")
        assert forget_searches() == 2
        assert forget_searches() == 0
    assert [query.text for query in Query.objects.all()] == ["three"]
    assert [(day.searches, day.purpose) for day in SearchesOfADay.objects.all()] == [(2, "page")]


def test_a_vote_belongs_to_a_search_of_one_s_own(corpus, algebraist, analyst):
    found = find(corpus, user=analyst, text="compact set")
    with pytest.raises(Refused, match="not yours"):
        say_relevant(
            user=algebraist, statement=Statement.objects.get(key="compact"), value=1, query=found.query
        )


@pytest.mark.parametrize(
    "row",
    [
        lambda corpus, user: Query(index=index_of(corpus), purpose="page", mode="words", n_results=0),
        lambda corpus, user: Query(index=index_of(corpus), purpose="other", mode="words", n_results=0, text="a"),
        lambda corpus, user: Feedback(user=user, statement=Statement.objects.get(key="compact"), value=2),
        lambda corpus, user: Feedback(
            user=user, statement=Statement.objects.get(key="compact"), value=1, reason="latex"
        ),
        lambda corpus, user: Index(corpus=corpus, recipe={"name": "words"}, state="ready"),
        lambda corpus, user: Index(corpus=corpus, recipe={"name": "words"}, state="failed"),
        lambda corpus, user: SearchesOfADay(corpus=corpus, day=dt.date(2026, 1, 1), purpose="page", searches=-1),
    ],
)  # fmt: skip
def test_the_database_refuses_what_cannot_be(corpus, algebraist, row):
    with pytest.raises(IntegrityError), transaction.atomic():
        row(corpus, algebraist).save()


def test_an_index_that_was_built_never_changes_its_name(corpus):
    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        Index.objects.update(digest="0" * 64)


def test_the_visibility_of_a_bound_corpus_cannot_be_widened(corpus):
    from tests.factories import ReleaseFactory

    import_corpus(actor=None, path=_lines(corpus), slug="bound", about=About(release=ReleaseFactory()))
    with pytest.raises(IntegrityError), transaction.atomic():
        type(corpus).objects.filter(slug="bound").update(visibility="anyone")


def _lines(corpus):
    from django.conf import settings

    path = settings.INDEX_DIR / "lines.jsonl"
    path.write_text(json.dumps(LINES[0]) + "\n")
    return path


@pytest.fixture
def small_model(monkeypatch):
    """A model of meaning with made-up weights: it counts letters."""
    import numpy as np

    from retrieval import local

    class Letters:
        model, asked, last = local.MODEL, 0, ""

        def __call__(self, texts):
            Letters.asked += len(texts)
            Letters.last = texts[-1]
            rows = np.zeros((len(texts), self.model.dimensions), np.float32)
            for row, text in zip(rows, texts, strict=True):
                for letter in text.lower():
                    row[ord(letter) % self.model.dimensions] += 1
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    monkeypatch.setattr("search.indexes.embedding.model", Letters)
    return Letters


def test_a_recipe_of_meaning_is_refused_where_its_model_is_missing(corpus, monkeypatch):
    from retrieval import local
    from search.indexes import embedding

    def missing():
        raise local.NotInstalled("all-MiniLM-L6-v2 is not installed")

    monkeypatch.setattr(local, "opened", missing)
    embedding.model.cache_clear()
    with pytest.raises(Refused, match=r"model is missing.*not installed.*use the recipe words"):
        build_index(actor=None, corpus=corpus, recipe="hybrid")
    assert keys(find(corpus, text="compact set"))


def test_an_index_of_meaning_ranks_by_it_and_computes_vectors_of_new_statements_only(
    corpus, write, small_model
):
    build_index(actor=None, corpus=corpus, recipe="hybrid")
    assert small_model.asked == 4
    found = find(corpus, text="uniformly continuous", mode="meaning")
    assert (found.ranks_meaning, small_model.asked, len(found.results)) == (True, 5, 4)
    assert "meaning" in find(corpus, text="uniformly continuous").results[0].parts
    import_corpus(
        actor=None, path=write([{"key": "new", "document": "d", "body": "Zorn's lemma."}]), slug="library"
    )
    asked = small_model.asked
    build_index(actor=None, corpus=corpus, recipe="hybrid")
    assert small_model.asked == asked + 1


def test_a_damaged_index_is_replaced_by_building_it_again(corpus, settings):
    from search.indexes import opened as opening

    index = index_of(corpus)
    damaged = next((settings.INDEX_DIR / index.digest).glob("words.impacts*"))
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    opening._opened.cache_clear()
    with pytest.raises(Refused, match="Build it again"):
        find(corpus, text="set")
    assert build_index(actor=None, corpus=corpus, recipe="words").digest == index.digest
    assert keys(find(corpus, text="closed"))


BOUNDED = r"continuous function $f$ on a compact set $K$ is bounded and attains its bounds on $K$."
SIMILAR = [
    {"key": "as-it-was", "document": "a", "body": f"Every {BOUNDED}"},
    {"key": "other-letters", "document": "b", "body": f"Every {BOUNDED}".replace("$f$", "$g$").replace("$K$", "$X$")},
    {"key": "markup", "document": "c", "body": rf"\emph{{Every}} {BOUNDED}"},
    {
        "key": "about",
        "document": "d",
        "body": "Every continuous function $f$ on a compact set $K$ is uniformly continuous, by a theorem of Heine.",
    },
    {"key": "far", "document": "e", "body": "A set is countable if it is in bijection with a set of numbers."},
]  # fmt: skip


@pytest.fixture
def alike(db, write) -> Corpus:
    import_corpus(actor=None, path=write(SIMILAR), slug="alike", about=About(visibility="anyone"))
    build_index(actor=None, corpus=corpus_named("alike"), recipe="words")
    return corpus_named("alike")


def kinds(found):
    return [(result.key, result.likeness.kind) for result in found.results]


def test_what_is_like_a_statement_is_named_by_how_like_it_is(alike, algebraist):
    found = similar(user=algebraist, corpus=alike, key="as-it-was", purpose=Purpose.REST)
    # "markup" says the same letter by letter; "other-letters" has the same words in order; "about" shares its
    # beginning, "far" the word "set".
    assert kinds(found) == [
        ("markup", "identical"),
        ("other-letters", "near"),
        ("about", "related"),
        ("far", "different"),
    ]
    assert [result.rank for result in found.results] == [1, 2, 3, 4]
    assert found.considered == 4
    by_text = similar(user=algebraist, corpus=alike, text=SIMILAR[0]["body"], k=2, purpose=Purpose.REST)
    assert kinds(by_text) == [("as-it-was", "identical"), ("markup", "identical")]
    assert [query.text for query in Query.objects.order_by("pk")] == [SIMILAR[0]["body"]] * 2


def test_a_search_for_what_is_like_nothing_is_refused(alike, algebraist):
    with pytest.raises(Refused, match="no statement 'none' in alike"):
        similar(user=algebraist, corpus=alike, key="none", purpose=Purpose.REST)
    with pytest.raises(Refused, match="Give a statement"):
        similar(user=algebraist, corpus=alike, text=" ", purpose=Purpose.REST)


@pytest.mark.parametrize(
    ("recipe", "text", "read"),
    [
        ("paper-002", "prime ideals", "prime ideals prime ideals"),
        ("paper-002", "every ideal is a product", "every ideal is a product"),  # five words
        ("hybrid", "prime ideals", "prime ideals"),
    ],
)
def test_a_short_query_is_said_twice_in_the_recipe_of_the_paper_alone(
    corpus, small_model, recipe, text, read
):
    build_index(actor=None, corpus=corpus, recipe=recipe)
    find(corpus, text=text, mode="meaning")
    assert small_model.last == read
