"""The search page and REST: for everybody a corpus is for, with limits, and with hostile questions."""

import datetime as dt
import json
import re

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.models import Corpus, Feedback, Index, Query
from search.searching.actions import forget_searches
from tests.search.conftest import LINES

pytestmark = pytest.mark.django_db
HOSTILE = [
    "<script>alert(1)</script>", "'; DROP TABLE search_query; --", "\\input{/etc/passwd}", "$" * 500, "{" * 900,
    "\\" * 900, "\u202e\u0000x", "\U0001f600", "${7*7} {{7*7}} <%= 7*7 %>", "\x1b[31m", "%00", "a" * 1000,
    "\\def\\x{\\x}\\x", "\\begin{equation}", "$\\frac{$", "NULL", "-1", "1e309", "../../etc/passwd", "🏳️‍🌈", "Ω≈ç√∫",
    "، ؛ ؟", "''", '"', "`", "&lt;b&gt;", "\\href{javascript:alert(1)}{x}", "\t\n\r", "\ufeff", "\u2028",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_limits_before():
    cache.clear()


@pytest.fixture
def everywhere(write) -> Corpus:
    import_corpus(
        actor=None, path=write(LINES), slug="library", about=About(title="The library", visibility="anyone")
    )
    build_index(actor=None, corpus=corpus_named("library"), recipe="words")
    return corpus_named("library")


def test_strangers_search_what_is_open_to_anyone_and_nothing_else(client, everywhere):
    page = client.get("/search/", {"q": "compact set"})
    assert page.status_code == 200
    assert "Theorem 3.1 (Heine and Borel)" in page.content.decode()
    everywhere.visibility = "members"
    everywhere.save()
    page = client.get("/search/", {"q": "compact set"})
    assert "Heine" not in page.content.decode()
    assert "to search." in page.content.decode()
    assert client.get("/api/v1/search/", {"corpus": "library", "q": "compact"}).status_code == 404
    assert client.get(reverse("statement", args=["library", "compact"])).status_code == 404


def test_the_page_shows_who_wrote_it_where_it_is_and_under_which_licence(client, corpus, algebraist):
    client.force_login(algebraist)
    text = client.get("/search/", {"q": "compact set", "corpus": "library"}).content.decode()
    for words in (
        "Spaces, A. Author, B. Writer, 1999; Compact sets",
        "CC-BY-4.0",
        "https://example.org/spaces#3.1",
    ):
        assert words in text
    assert "kept for 30 days" in text
    assert client.get(reverse("statement", args=["library", "compact"])).status_code == 200


def test_an_empty_result_says_which_filter_empties_it(client, corpus, algebraist):
    client.force_login(algebraist)
    text = client.get("/search/", {"q": "set", "corpus": "library", "kinds": "corollary"}).content.decode()
    assert "Nothing was found" in text
    assert "Without “Kind”" in text
    assert "4 statements would be searched" in text


def test_a_filter_in_use_is_a_link_that_removes_it(client, corpus, algebraist):
    client.force_login(algebraist)
    asked = {
        "q": "set",
        "corpus": "library",
        "kinds": "lemma",
        "mode": "words",
        "include_unknown_years": "on",
    }
    page = client.get("/search/", asked)
    chosen = page.context["form"].choices_made
    assert [(label, value) for label, value, _ in chosen] == [
        ("Rank by", "Words alone"),
        ("Kind", "lemma"),
        ("Unknown years too", ""),
    ]
    assert chosen[1][2] == "q=set&corpus=library&mode=words&include_unknown_years=on"
    assert 'aria-label="Remove Kind: lemma"' in page.content.decode()


def test_matched_words_are_marked_on_the_page(client, corpus, algebraist):
    client.force_login(algebraist)
    text = client.get("/search/", {"q": "compact R", "corpus": "library"}).content.decode()
    assert "is <mark>compact</mark> if and only if" in text
    assert "<mark>R" not in text


def test_a_result_leads_to_what_is_like_it(client, corpus, algebraist):
    client.force_login(algebraist)
    page = client.get("/search/", {"q": "closed and bounded", "corpus": "library"}).content.decode()
    assert 'href="/search/?corpus=library&amp;similar=compact" aria-label="Similar to Theorem 3.1' in page
    text = client.get("/search/?corpus=library&similar=compact").content.decode()
    assert (
        'like <a href="/search/corpora/library/statements/compact/">Theorem 3.1 (Heine and Borel)</a>' in text
    )
    assert 'id="result-1"' in text
    unknown = client.get("/search/?corpus=library&similar=none")
    assert (unknown.status_code, "no statement" in unknown.content.decode()) == (409, True)


def test_faults_of_a_form_are_shown_next_to_their_fields(client, corpus, algebraist):
    client.force_login(algebraist)
    page = client.get("/search/", {"q": "set", "corpus": "library", "year_from": "soon"})
    assert page.status_code == 400
    assert "Enter a whole number" in page.content.decode()
    assert client.get("/search/", {"q": "set", "corpus": "none"}).status_code == 400


def test_a_vote_is_kept_once_given_and_can_be_taken_back(client, corpus, algebraist):
    client.force_login(algebraist)
    client.get("/search/", {"q": "compact set", "corpus": "library"})
    vote = {
        "corpus": "library",
        "key": "compact",
        "value": "1",
        "query": Query.objects.get().pk,
        "back": "/search/?q=a",
    }
    assert client.post("/search/vote/", vote).headers["Location"] == "/search/?q=a"
    assert (
        client.post("/search/vote/", {**vote, "back": "https://evil.test/"}).headers["Location"] == "/search/"
    )
    client.post("/search/vote/", {**vote, "value": "7"})
    client.post("/search/vote/", {**vote, "value": "0"})
    assert list(Feedback.objects.order_by("pk").values_list("value", flat=True)) == [1, 1, 0]


def test_a_reader_reports_what_is_wrong_and_staff_see_how_many_do(
    client, corpus, algebraist, analyst, coordinator
):
    for person, pressed in (
        (algebraist, "The LaTeX is broken"),
        (analyst, "The LaTeX is broken"),
        (analyst, "Relevant"),
    ):
        client.force_login(person)
        page = client.get("/search/", {"q": "compact set", "corpus": "library"}).content.decode()
        (form,) = [
            one for one in page.split("<form")[1:] if f">{pressed}<" in one and 'value="compact"' in one
        ]
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        fields |= re.findall(r'<button[^>]* name="(\w+)" value="([^"]*)"[^>]*>' + pressed, form)
        assert client.post("/search/vote/", fields).status_code == 302
    client.force_login(coordinator)
    page = client.get("/search/corpora/library/")
    assert [vars(one) for one in page.context["said"]] == [
        {"key": "compact", "relevant": 1, "irrelevant": 1, "reports": [("The LaTeX is broken", 1)]}
    ]  # the newest word of the second reader counts
    assert "The LaTeX is broken" in page.content.decode()


def test_staff_see_how_often_a_corpus_was_searched_also_before_what_is_kept(
    client, corpus, algebraist, coordinator
):
    client.force_login(algebraist)
    for _ in range(3):
        client.get("/search/", {"q": "compact set", "corpus": "library"})
    Query.objects.filter(pk=Query.objects.earliest("pk").pk).update(
        asked_at=timezone.now() - dt.timedelta(31)
    )
    forget_searches()
    client.get("/api/v1/search/", {"q": "compact set", "corpus": "library"})
    client.force_login(coordinator)
    page = client.get("/search/corpora/library/")
    assert [vars(one) for one in page.context["searches"]] == [
        {"where": "Search page", "lately": 2, "in_all": 3},
        {"where": "REST", "lately": 1, "in_all": 1},
    ]
    assert "compact set" not in page.content.decode()


def test_staff_see_corpora_and_an_owner_has_an_index_built(client, corpus, coordinator, owner, monkeypatch):
    monkeypatch.setattr("search.indexes.actions.call_worker", lambda task: None)
    client.force_login(coordinator)
    assert "The library" in client.get("/search/corpora/").content.decode()
    assert "example.org" not in client.get("/search/corpora/library/").content.decode()
    assert client.post("/search/corpora/library/index/").status_code == 403
    client.force_login(owner)
    assert client.post("/search/corpora/library/index/").status_code == 302
    assert "waiting for a worker" in client.get("/search/corpora/library/").content.decode()
    assert Index.objects.filter(state="waiting", asked_by=owner).exists()


def test_rest_finds_the_same_as_the_page_and_says_when_nothing_changed(client, corpus, algebraist):
    client.force_login(algebraist)
    asked = {"corpus": "library", "q": "compact set", "k": "2", "kinds": "lemma"}
    reply = client.get("/api/v1/search/", asked)
    assert [row["key"] for row in reply.json()["results"]] == ["uniform"]
    assert reply.json()["considered"] == 1
    etag = reply.headers["ETag"]
    assert client.get("/api/v1/search/", asked, headers={"If-None-Match": etag}).status_code == 304
    body = {**asked, "k": 2, "kinds": ["lemma"]}
    posted = client.post("/api/v1/search/", json.dumps(body), content_type="application/json")
    assert [row["key"] for row in posted.json()["results"]] == ["uniform"]
    assert Query.objects.count() == 2  # not the one that was answered with 304


def test_rest_lists_corpora_indexes_documents_and_statements(client, corpus, algebraist):
    client.force_login(algebraist)
    assert [row["statements"] for row in client.get("/api/v1/corpora/").json()] == [4]
    assert client.get("/api/v1/corpora/library/indexes/").json()[0]["digest"] == Index.objects.get().digest
    found = client.get("/api/v1/corpora/library/documents/", {"q": "num"}).json()
    assert [row["key"] for row in found] == ["numbers"]
    assert client.get("/api/v1/corpora/library/statements/primes/").json()["licence"] == "CC-BY-SA-4.0"
    vote = {"corpus": "library", "key": "primes", "value": -1, "reason": "kind"}
    reply = client.post("/api/v1/search/feedback/", json.dumps(vote), content_type="application/json")
    assert (reply.status_code, reply.json()) == (201, {"value": -1, "reason": "kind", "note": ""})
    wrong = client.post(
        "/api/v1/search/feedback/", json.dumps({**vote, "value": 1}), content_type="application/json"
    )
    assert wrong.status_code == 400


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"q": "a"}, "corpus"),
        ({"corpus": "library", "q": "a", "k": "51"}, "k"),
        ({"corpus": "library", "q": "a", "mode": "magic"}, "mode"),
        ({"corpus": "library", "q": "a" * 1001}, "q"),
        ({"corpus": "library", "q": "a", "colour": "red"}, "colour"),
    ],
)
def test_rest_refuses_what_it_does_not_understand_by_field(client, corpus, algebraist, asked, field):
    client.force_login(algebraist)
    reply = client.get("/api/v1/search/", asked)
    assert (reply.status_code, reply.json()["field"]) == (400, field)


def test_nothing_asked_is_refused_with_a_reason(client, corpus, algebraist):
    client.force_login(algebraist)
    reply = client.get("/api/v1/search/", {"corpus": "library"})
    assert (reply.status_code, reply.json()["code"]) == (409, "empty_query")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["q", "formula"])
def test_a_hostile_question_is_only_a_question(client, everywhere, text, field):
    page = client.get("/search/", {field: text, "corpus": "library"})
    assert page.status_code < 500
    assert "<script>alert" not in page.content.decode()
    assert client.get("/api/v1/search/", {field: text, "corpus": "library"}).status_code < 500


def test_hostile_statements_are_shown_as_text(client, write, coordinator):
    clean = [text.replace("\x00", "") for text in HOSTILE]
    lines = [
        {"key": f"h{n}", "document": f"d{n}", "title": text, "body": f"compact {text}"}
        for n, text in enumerate(clean)
    ]
    import_corpus(actor=None, path=write(lines), slug="hostile")
    build_index(actor=None, corpus=corpus_named("hostile"), recipe="words")
    client.force_login(coordinator)
    page = client.get("/search/", {"q": "compact", "corpus": "hostile", "k": "50"}).content.decode()
    assert page.count('class="card result"') == len(lines)
    assert "<script>alert" not in page
    assert "javascript:" not in page.replace("\\href{javascript:alert(1)}", "")


def test_strangers_search_thirty_times_a_minute_whatever_address_they_claim(client, everywhere):
    for number in range(30):
        asked = {"corpus": "library", "q": "compact"}
        reply = client.get("/api/v1/search/", asked, headers={"X-Forwarded-For": f"10.0.0.{number}"})
        assert reply.status_code == 200
    assert client.get("/api/v1/search/", asked, headers={"X-Forwarded-For": "10.0.0.99"}).status_code == 429
    assert client.get("/search/", asked).status_code == 429
    assert "Wait a minute" in client.get("/search/", asked).content.decode()


def test_rest_finds_what_is_like_a_text_or_a_statement(client, corpus, algebraist):
    client.force_login(algebraist)

    def ask(**said):
        body = json.dumps({"corpus": "library", **said})
        return client.post("/api/v1/search/similar/", body, content_type="application/json")

    text = r"A subset of $\mathbb{R}^n$ is \emph{compact} if and only if it is closed and bounded."
    reply = ask(text=text, k=1).json()
    assert reply["index"] == Index.objects.get(corpus=corpus).digest
    found = [(row["key"], row["likeness"], row["overlap"]) for row in reply["results"]]
    assert found == [("compact", "identical", 1.0)]
    assert "compact" not in [row["key"] for row in ask(key="compact").json()["results"]]
    for wrong, status, field in (
        ({}, 400, "text"),
        ({"text": text, "key": "compact"}, 400, "text"),
        ({"text": "a" * 20_001}, 400, "text"),
        ({"text": text, "k": 51}, 400, "k"),
        ({"key": "none"}, 409, "key"),
    ):
        refused = ask(**wrong)
        assert (refused.status_code, refused.json()["field"]) == (status, field)
