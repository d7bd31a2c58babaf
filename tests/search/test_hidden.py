"""A reviewer searches as if the paper, the reference and what is close to it were not in the corpus: on every way, with
every number, as long as the campaign of one of their places is not closed."""

import json
import re

import pytest
from django.core.cache import cache
from django.urls import reverse

from annotation.assigning.actions import release_assignment
from annotation.campaigns.actions import close_campaign
from annotation.grading.actions import reopen_grade
from annotation.models import Assignment, Campaign
from canonical import sha256_of
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.searching import hidden as hiding
from search.searching.actions import search
from search.searching.hidden import found_by, problems_of, statements_for
from search.searching.request import Asked, filters_from
from tests.accounts.test_tokens import bearer
from tests.annotation.campaigns import drafted, rubric
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.factories import AssignmentFactory, CampaignFactory, ItemFactory
from tests.search.conftest import hidden_from
from tests.search.test_panel import hidden, place, say
from tests.search.test_searching import small_model

__all__ = ["drafted", "place", "rubric", "small_model"]
pytestmark = pytest.mark.django_db

REFERENCE = (
    r"Every bounded sequence $a_n$ of real numbers has a convergent subsequence by bisections of intervals."
)
NEAR = REFERENCE.replace("$a_n$", "$b_k$").replace("intervals", "segments")
OPEN = {"licence": "CC-BY-4.0"}
FOUND = [
    {"key": "a1", "document": "a", "title": "Sequences", "authors": ["A. Author"], "year": 1990, "kind": "theorem",
     "body": r"A monotone bounded sequence $a_n$ is convergent: $\lim a_n \leq M$.", **OPEN},
    {"key": "a2", "document": "a", "title": "Sequences", "authors": ["A. Author"], "year": 1990, "kind": "lemma",
     "body": r"A convergent sequence $x_n$ is bounded, and so is each subsequence.", **OPEN},
    {"key": "b1", "document": "b", "title": "Compact sets", "kind": "theorem", "citations": 3,
     "body": r"A compact set of real numbers is closed and bounded.", **OPEN},
    {"key": "c1", "document": "c", "title": "Numbers", "authors": ["C. Clerk"], "year": 2005, "kind": "theorem",
     "body": r"There are infinitely many primes $p \equiv 1 \pmod{4}$ among the numbers.", **OPEN},
    {"key": "c2", "document": "c", "title": "Numbers", "authors": ["C. Clerk"], "year": 2005, "kind": "remark",
     "body": r"Intervals of real numbers are connected; $\sum_{k=1}^n k = \frac{n(n+1)}{2}$."},
]  # fmt: skip
HIDDEN = [
    {"key": "own1", "document": "own", "title": "Spaces of sequences", "kind": "corollary", "year": 1999,
     "authors": ["A. Author"], "body": r"A compact set of sequences $a_n$ is bounded. Telescoping bisection.", **OPEN},
    {"key": "ref1", "document": "ref", "title": "Analysis", "kind": "theorem", "year": 1990, "body": REFERENCE, **OPEN},
    {"key": "ref2", "document": "ref", "title": "Analysis", "kind": "lemma", "year": 1990,
     "body": r"Real numbers have $\lim a_n \leq M$ for telescoping bounded sequences, see Numbers.", **OPEN},
    {"key": "dup1", "document": "dup", "title": "A script", "kind": "theorem", "citations": 2, "body": NEAR},
    {"key": "aim1", "document": "2401.00006", "kind": "lemma",
     "body": r"Telescoping sums: $\sum_{k=1}^n (x_k - x_{k-1}) = x_n - x_0$ for real numbers.", **OPEN},
]  # fmt: skip
KEYS = [line["key"] for line in FOUND + HIDDEN]
ASKED = [
    {"q": "bounded sequence of real numbers"},
    {"q": "telescoping bisection"},  # only hidden documents have these words
    {"q": r"convergent $\lim a_n \leq M$", "mode": "words"},
    {"q": r"$\sum_{j=1}^m j$", "mode": "formula"},
    {"formula": r"a_n \leq M", "q": "numbers"},
]
FILTERS = [
    {},
    {"kinds": ["theorem"]},
    {"kinds": ["corollary"], "year_from": "1980"},  # nothing is left: "emptying" counts
    {"not_documents": ["b", "own"]},
    {"not_documents": ["a", "b", "c"], "kinds": ["lemma"]},
    {"documents": ["own", "ref"]},
    {"authors": ["A. Author"], "year_to": "2000", "include_unknown_years": "true"},
    {"licences": ["open"], "citations_max": "3", "include_unknown_citations": "true"},
]


@pytest.fixture
def unlimited(monkeypatch):
    monkeypatch.setattr("search.searching.limits._Limit.allow_request", lambda *_: True)


@pytest.fixture
def build(write):
    """A corpus of these lines with an index; all have one title, so that only their short names differ."""

    def built(slug, lines, recipe="words", visibility="members"):
        import_corpus(
            actor=None, path=write(lines), slug=slug, about=About(title="It", visibility=visibility)
        )
        build_index(actor=None, corpus=corpus_named(slug), recipe=recipe)
        return corpus_named(slug)

    return built


@pytest.fixture
def problem(place):
    """The problem of the reviewer's place has a paper, a reference solution and a target."""
    say(
        place,
        payload={"reference_solution": REFERENCE, "targets": [{"paper": "2401.00006v2"}]},
        key="p",
        title="Spaces of sequences",
    )
    return place


def heard(reply, slug):
    """The status and all of a reply, but for digests, the number of the query, tokens of forms, and times."""
    text = reply.content.decode()
    if "json" in reply["Content-Type"]:
        return reply.status_code, _plain(json.loads(text), slug)
    text = re.sub(r"[0-9a-f]{16,64}|built [^<.]*|searched in \d+ ms|name=\"query\" value=\"\d+\"", "", text)
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w*"|nonce="[^"]*"|<option[^>]*>It</option>', "", text)
    return reply.status_code, text.replace(slug, "SLUG")


def _plain(value, slug):
    if isinstance(value, dict):
        left_out = {"digest", "index", "query", "took_ms", "built_at", "corpus_sha256", "sha256", "text"}
        return {key: _plain(of, slug) for key, of in value.items() if key not in left_out}
    if isinstance(value, list):
        return [_plain(of, slug) for of in value]
    return value.replace(slug, "SLUG") if isinstance(value, str) else value


class Ways:
    """Every way by which somebody searches a corpus, by what it answers."""

    def __init__(self, client, person, slug, handle=""):
        self.client, self.slug, self.handle = client, slug, handle
        self.head = {"Accept": "application/json, text/event-stream", **bearer(person, "read")}
        client.force_login(person)

    def mcp(self, tool, **arguments):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        return self.client.post("/mcp", message, "application/json", headers=self.head)

    def searches(self, asked, filters):
        """REST, by address and by body, the page, and MCP with the filters that it has."""
        given = {"corpus": self.slug, **asked, **filters}
        yield self.client.get("/api/v1/search/", given)
        yield self.client.post("/api/v1/search/", given, "application/json")
        yield self.client.get(reverse("search"), given)
        named = {"kinds", "sources", "authors", "documents"} & filters.keys()
        by_mcp = {"corpus": self.slug, **{name: filters[name] for name in named}}
        by_mcp |= {"query" if name == "q" else name: of for name, of in asked.items()}
        yield self.mcp("theorem_search", **by_mcp)

    def others(self):
        """The panel, similar statements, statements by key, documents, corpora and indexes."""
        if self.handle:
            for q in ("bounded sequence", "telescoping"):
                yield self.client.get(
                    reverse("search-panel", args=[self.handle]), {"q": q, "corpus": self.slug}
                )
        for said in [{"text": REFERENCE}, {"text": "Every set is compact."}, *({"key": key} for key in KEYS)]:
            yield self.client.post(
                "/api/v1/search/similar/", {"corpus": self.slug, **said}, "application/json"
            )
            yield self.mcp("similar_statements", corpus=self.slug, **said)
        for key in KEYS:
            yield self.client.get(reverse("search"), {"corpus": self.slug, "similar": key})
            yield self.client.get(reverse("statement", args=[self.slug, key]))
            yield self.client.get(f"/api/v1/corpora/{self.slug}/statements/{key}/")
            yield self.mcp("get_statement", corpus=self.slug, key=key)
        for q in ("", "s", "Analysis", "own"):
            yield self.client.get(f"/api/v1/corpora/{self.slug}/documents/", {"q": q})
        yield self.client.get(f"/api/v1/corpora/{self.slug}/indexes/")

    def votes(self, keys=("own1",)):
        for key in keys:
            vote = {"corpus": self.slug, "key": key, "value": 1}
            yield self.client.post(reverse("search-vote"), vote)
            yield self.client.post("/api/v1/search/feedback/", vote, "application/json")

    def listed(self):
        """How many statements the corpus has, by REST and by MCP."""
        rows = self.client.get("/api/v1/corpora/").json()
        by_mcp = self.mcp("list_corpora").json()["result"]["structuredContent"]["corpora"]
        return [
            *(row["statements"] for row in rows if row["slug"] == self.slug),
            *(row["statements"] for row in by_mcp if row["corpus"] == self.slug),
        ]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["words", "hybrid"])
def test_a_reviewer_searches_as_if_what_is_hidden_were_not_in_the_corpus(
    build, client, problem, algebraist, analyst, small_model, unlimited, recipe
):
    whole, small = build("full-one", FOUND + HIDDEN, recipe), build("less-one", FOUND, recipe)
    assert hidden_from(algebraist, whole) == ("2401.00006", "dup", "own", "ref")
    assert hidden_from(algebraist, small) == ()
    meaning = [{"q": "bounded real numbers", "mode": "meaning"}] if recipe == "hybrid" else []

    def all_of(slug, person, handle=""):
        ways, told = Ways(client, person, slug, handle), []
        for asked in ASKED + meaning:
            for filters in FILTERS:
                told += [heard(reply, slug) for reply in ways.searches(asked, filters)]
        told += [heard(reply, slug) for reply in ways.others()]
        told += [heard(reply, slug) for reply in ways.votes()]
        return [*told, ways.listed()]

    of_whole, of_small = (all_of(slug, algebraist, problem.handle) for slug in ("full-one", "less-one"))
    assert len(of_whole) == len(of_small) > 150
    for one, other in zip(of_whole, of_small, strict=True):
        assert str(one).split("\\n") == str(other).split("\\n")
    assert of_whole[-1] == [5, 5]
    assert {status for status, _ in of_whole[:-1]} == {200, 404, 409}
    # For somebody with nothing to answer the two corpora are as different as they are.
    whole_for, less_for = (Ways(client, analyst, slug) for slug in ("full-one", "less-one"))
    assert whole_for.listed() == [10, 10]
    one, other = (
        heard(next(ways.searches(ASKED[0], FILTERS[0])), ways.slug) for ways in (whole_for, less_for)
    )
    assert one != other


def test_what_is_found_page_by_page_is_found_at_once(build, client, problem, algebraist, unlimited):
    """More results have the fewer ones as their beginning, and none is missing for what is hidden."""
    build("full-one", FOUND + HIDDEN)
    client.force_login(algebraist)

    def keys(k):
        found = client.get(
            "/api/v1/search/", {"corpus": "full-one", "q": "real numbers bounded", "k": k}
        ).json()
        return [result["key"] for result in found["results"]]

    assert len(keys(50)) == 5
    assert all(keys(k) == keys(50)[:k] for k in range(1, 6))


def test_filters_that_leave_nothing_count_without_what_is_hidden(build, client, problem, algebraist):
    """The count for the filter that excludes documents counted the hidden ones too."""
    build("full-one", FOUND + HIDDEN)
    client.force_login(algebraist)
    asked = {"corpus": "full-one", "q": "numbers", "authors": "C. Clerk", "documents": "own"}
    page = client.get(reverse("search"), asked).content.decode()
    # Of "own" there is no statement; two are by C. Clerk.
    assert "0 statements would be searched" in page
    assert "2 statements would be searched" in page
    filters = filters_from({"not_documents": ["a", "b", "c"]})
    found = search(
        user=algebraist,
        corpus=corpus_named("full-one"),
        asked=Asked("numbers", filters=filters),
        purpose="rest",
    )
    assert (found.considered, found.emptying) == (0, (("not_documents", 5),))


def test_what_is_hidden_stays_so_until_the_campaign_is_closed(corpus, place, coordinator):
    """A submitted answer can be reopened and discussed, and the problem may come again with another item."""
    say(place, key="p", title="Spaces")
    assert hidden(place, corpus) == ("topology",)
    assert hidden_from(coordinator, corpus) == ()
    grading = {"reviewer": place.reviewer, "assignment": place}
    sha256 = place.item.campaign.rubric.sha256
    submit_grade(**grading, content=COMPLETE, idempotency_key="k", rubric_sha256=sha256)
    assert hidden(place, corpus) == ("topology",)
    reopen_grade(**grading)
    assert hidden(place, corpus) == ("topology",)
    submit_grade(**grading, content=COMPLETE, idempotency_key="l", rubric_sha256=sha256)
    close_campaign(actor=coordinator, campaign=place.item.campaign, reason="enough")
    assert hidden(place, corpus) == ()
    assert problems_of(place.reviewer) == {}


def test_a_place_that_was_given_up_hides_too(corpus, place, coordinator):
    say(place, key="p", title="Spaces")
    release_assignment(actor=coordinator, assignment=place, reason="withdrawn")
    assert Assignment.objects.get().state == "released"
    assert hidden(place, corpus) == ("topology",)


def test_another_place_of_the_same_problem_hides_also_in_a_campaign_that_is_a_draft(
    corpus, place, coordinator
):
    say(place, key="p", title="Spaces")
    item = place.item
    other = CampaignFactory(release=item.campaign.release, rubric=item.campaign.rubric)
    again = ItemFactory(campaign=other, output=item.output, instance=item.instance)
    AssignmentFactory(item=again, reviewer=place.reviewer)
    close_campaign(actor=coordinator, campaign=item.campaign, reason="enough")
    assert set(Campaign.objects.values_list("phase", flat=True)) == {"closed", "draft"}
    assert hidden(place, corpus) == ("topology",)


def refused(client, person, handle, code):
    """Each way to a corpus refuses this person with this code."""
    ways = Ways(client, person, "full-one", handle)
    replies = [*ways.searches({"q": "numbers"}, {}), *ways.others(), *ways.votes()]
    for reply in replies:
        text = reply.content.decode()
        if reply.request["PATH_INFO"] == "/mcp":
            assert reply.json()["result"]["isError"], text
            assert "staff can build" in text
        elif reply.request["PATH_INFO"] == reverse("search-vote"):
            assert reply.status_code == 302  # with the reason as a message
        elif "json" in reply["Content-Type"]:
            assert (reply.status_code, reply.json()["code"]) == (409, code), reply.request
        elif reply.request["PATH_INFO"].startswith("/search/panel/") and code == "no_index":
            assert reply.status_code == 400  # the panel offers corpora with an index only
        else:
            assert reply.status_code == 409, reply.request
            assert "Somebody of the staff can build" in text
    assert ways.listed() == [None, None]
    assert len(replies) > 40


@pytest.mark.slow
def test_statements_that_are_not_in_the_index_are_no_way_to_what_is_hidden(
    build, client, write, problem, algebraist, analyst, unlimited
):
    corpus = build("full-one", FOUND)
    import_corpus(actor=None, path=write(HIDDEN), slug="full-one")
    refused(client, algebraist, problem.handle, "index_behind")
    client.force_login(analyst)
    assert client.get("/api/v1/corpora/full-one/statements/ref1/").status_code == 200
    assert client.get("/api/v1/search/?corpus=full-one&q=numbers").status_code == 200
    build_index(actor=None, corpus=corpus, recipe="words")
    client.force_login(algebraist)
    assert client.get("/api/v1/search/?corpus=full-one&q=numbers").json()["considered"] == 5
    assert client.get("/api/v1/corpora/full-one/statements/ref1/").status_code == 404


@pytest.mark.parametrize("way", [found_by, statements_for])
def test_what_is_imported_during_the_search_for_what_to_hide_is_not_shown(
    build, write, problem, algebraist, monkeypatch, way
):
    """To compare the texts of a problem with a large corpus takes seconds, after the index was seen to be whole."""
    corpus = build("growing", FOUND)
    before = set(way(algebraist, corpus).values_list("key", flat=True))
    ours = hiding._hidden

    def meanwhile(problems, index):
        hidden = ours(problems, index)
        near = {**FOUND[0], "key": "a3", "body": NEAR}  # in a document that may be found
        import_corpus(actor=None, path=write([*HIDDEN, near]), slug="growing")
        return hidden

    monkeypatch.setattr(hiding, "_hidden", meanwhile)
    assert set(way(algebraist, corpus).values_list("key", flat=True)) == before


@pytest.mark.slow
def test_a_corpus_without_an_index_is_no_way_to_what_is_hidden(
    build, client, problem, algebraist, analyst, unlimited
):
    corpus = build("full-one", FOUND + HIDDEN)
    corpus.indexes.update(state="retired")
    refused(client, algebraist, problem.handle, "no_index")
    client.force_login(analyst)
    assert client.get("/api/v1/corpora/full-one/statements/ref1/").status_code == 200
    assert len(client.get("/api/v1/corpora/full-one/documents/?q=").json()) == 7
    assert found_by(analyst, corpus).count() == 7


def test_the_tag_of_a_reply_is_no_way_to_try_which_documents_are_hidden(
    build, client, problem, algebraist, unlimited
):
    """It was the hash of what anybody knows and of the hidden documents, so a guess could be compared."""
    corpus = build("full-one", FOUND + HIDDEN)
    client.force_login(algebraist)
    address = "/api/v1/search/?corpus=full-one&q=numbers"
    tag = client.get(address)["ETag"]
    index = corpus.indexes.get()
    guess = [index.digest, False, hidden_from(algebraist, corpus), {"corpus": "full-one", "q": "numbers"}]
    assert tag.strip('"') != sha256_of(guess)[:32]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
    cache.clear()
    assert client.get(address)["ETag"] == tag
