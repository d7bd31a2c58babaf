"""The search on the grading page: who gets it, what a reviewer must not find, and what their grade says of it."""

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import close_campaign, draw_items, open_campaign
from annotation.core.own_data import own_data
from annotation.grading.actions import save_draft
from annotation.models import Assignment, Campaign, Grade
from benchmark.models import Instance, Paper
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.models import Purpose, Query
from search.searching.actions import search
from search.searching.request import Asked
from tests.accounts.test_tokens import bearer
from tests.annotation.campaigns import drafted, rubric
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.search.conftest import hidden_from

__all__ = ["drafted", "rubric"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def place(drafted, coordinator, algebraist) -> Assignment:
    Campaign.objects.filter(pk=drafted.pk).update(with_search=True)
    draw_items(actor=coordinator, campaign=drafted)
    opened = open_campaign(actor=coordinator, campaign=Campaign.objects.get(pk=drafted.pk))
    return take_next(reviewer=algebraist, campaign=opened)


def address(place, **asked):
    return reverse("search-panel", args=[place.handle], query=asked or None)


def hidden(place, corpus):
    return hidden_from(place.reviewer, corpus)


def say(place, payload=(), **paper):
    """Give the problem of a place these fields and this paper, before anything was looked up for it."""
    problem = place.item.instance
    if paper:
        kept = Paper.objects.create(release=problem.release, **paper)
        Instance.objects.filter(pk=problem.pk).update(paper=kept)
    if payload:
        Instance.objects.filter(pk=problem.pk).update(payload={**problem.payload, **payload})


def test_the_panel_finds_statements_and_gives_each_as_a_citation(client, corpus, place, algebraist):
    client.force_login(algebraist)
    assert "panel-results" not in client.get(address(place)).content.decode()
    page = client.get(address(place, q="compact sets", corpus="library")).content.decode()
    assert 'data-insert="[A. Author, B. Writer, Spaces, 1999, Theorem 3.1 (Heine and Borel)]"' in page
    kept = Query.objects.get()
    assert (kept.purpose, kept.user, kept.text) == (Purpose.PANEL, algebraist, "compact sets")


def test_the_panel_says_what_it_does_not_understand(client, corpus, place, algebraist):
    client.force_login(algebraist)
    for asked in ({"q": " ", "corpus": "library"}, {"q": "x", "corpus": "other"}, {"q": "x" * 1001}):
        reply = client.get(address(place, **asked))
        assert reply.status_code == 400
        assert 'role="alert"' in reply.content.decode()
    assert not Query.objects.exists()


def test_only_the_holder_of_an_open_place_has_the_panel(
    client, corpus, place, algebraist, analyst, coordinator
):
    for person in (analyst, coordinator):
        client.force_login(person)
        assert client.get(address(place)).status_code == 404
    client.force_login(algebraist)
    assert client.get(address(place)).status_code == 200
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content=COMPLETE,
        idempotency_key="k",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )
    assert client.get(address(place)).status_code == 404
    client.logout()
    assert client.get(address(place)).status_code == 302


def test_a_campaign_without_the_search_has_no_panel(client, corpus, drafted, coordinator, algebraist):
    draw_items(actor=coordinator, campaign=drafted)
    opened = open_campaign(actor=coordinator, campaign=drafted)
    place = take_next(reviewer=algebraist, campaign=opened)
    client.force_login(algebraist)
    assert client.get(address(place)).status_code == 404
    assert "search-panel" not in client.get(reverse("grade", args=[place.handle])).content.decode()


def test_a_closed_campaign_has_no_panel(client, corpus, place, coordinator, algebraist):
    close_campaign(actor=coordinator, campaign=place.item.campaign, reason="enough")
    client.force_login(algebraist)
    assert client.get(address(place)).status_code == 404


@pytest.mark.parametrize(
    "paper",
    [
        {"key": "p", "title": "{Spaces}"},
        {"key": "arXiv:2401.00005v3"},
        {"key": "p", "identifiers": {"doi": "https://doi.org/10.1000/XYZ.5"}},
    ],
)
def test_the_problem_s_own_paper_and_its_versions_are_not_found(write_corpus, place, paper):
    corpus = write_corpus("2401.00005v1", "10.1000/xyz.5")
    assert hidden(place, corpus) == ()
    say(place, **paper)
    Instance.objects.filter(pk=place.item.instance_id).update(sha256="0" * 64)
    found = hidden(place, corpus)
    assert len(found) == 1
    results = search(
        user=place.reviewer, corpus=corpus, asked=Asked("compact"), purpose=Purpose.PANEL
    ).results
    assert found[0] not in {result.document for result in results}


@pytest.fixture
def write_corpus(write):
    """A corpus with the document "topology" (Spaces) and one document under each of these keys."""
    from tests.search.conftest import LINES

    def written(*documents):
        more = [
            {"key": f"more-{number}", "document": key, "body": f"Compact spaces of sort {number} are normal."}
            for number, key in enumerate(documents)
        ]
        import_corpus(actor=None, path=write([*LINES, *more]), slug="versions", about=About(title="Versions"))
        made = corpus_named("versions")
        build_index(actor=None, corpus=made, recipe="words")
        return made

    return written


@pytest.mark.parametrize(
    "reference",
    [
        # the statement as it is, with other names, and inside a longer solution
        r"A subset of $\mathbb{R}^n$ is compact if and only if it is closed and bounded.",
        r"A subset of $\mathbb{R}^m$ is compact if and only if it is closed and bounded.",
        r"We know: \emph{a subset of $\mathbb{R}^n$ is compact if and only if it is closed and bounded.} We are done "
        "by what was said in the second part of the proof, and nothing else is needed.",
    ],
)
@pytest.mark.parametrize("field", ["reference_solution", "y", "targets"])
def test_what_is_close_to_a_reference_is_hidden_with_its_whole_document(corpus, place, reference, field):
    nested = {"reference_solution": reference, "y": {"tool": reference}, "targets": [{"text": reference}]}
    say(place, payload={field: nested[field]})
    assert hidden(place, corpus) == ("topology",)


def test_the_problem_s_own_paper_is_known_by_the_address_of_a_statement(write, place):
    lines = [
        {"key": "t", "document": "d17", "body": "It is.", "url": "https://arxiv.org/abs/2401.00005v2#lemma-3"}
    ]
    import_corpus(actor=None, path=write(lines), slug="addresses", about=About(title="Addresses"))
    corpus = corpus_named("addresses")
    build_index(actor=None, corpus=corpus, recipe="words")
    say(place, key="2401.00005v1")
    assert hidden(place, corpus) == ("d17",)


HEINE_BOREL = r"A subset of $\mathbb{R}^n$ is compact if and only if it is closed and bounded."


def test_what_is_close_to_a_reference_behind_many_other_texts_is_hidden(corpus, place):
    blocks = [f"In step {number} of the proof the map is continuous." for number in range(80)]
    say(place, payload={"context": blocks, "tool": HEINE_BOREL})
    assert hidden(place, corpus) == ("topology",)


def test_a_statement_at_the_end_of_a_long_solution_is_hidden(write_corpus, place):
    corpus = write_corpus(*(f"other-{number}" for number in range(25)))
    say(place, payload={"reference_solution": "Compact spaces of this sort are normal. " * 30 + HEINE_BOREL})
    assert hidden(place, corpus) == ("topology",)


def test_a_work_that_a_field_of_the_problem_cites_or_names_is_hidden(write_corpus, place):
    corpus = write_corpus("2401.00005v1", "10.1000/xyz.5", "2401.00006")
    cited = "B. Writer, On something else, J. Math. 3 (1999), 1-20, doi:10.1000/xyz.5"
    say(place, payload={"z": {"citation_content": cited}, "targets": [{"paper": "2401.00006v2"}]})
    assert hidden(place, corpus) == ("10.1000/xyz.5", "2401.00006")


def test_other_problems_hide_nothing(corpus, place):
    say(
        place,
        payload={"reference_solution": "Every even number above two is a sum of two primes, as is known."},
    )
    say(place, payload={"domain": "numbers", "topic": "Spaces"})
    assert hidden(place, corpus) == ()


@pytest.mark.slow
def test_what_is_hidden_is_hidden_on_every_way_that_the_reviewer_searches(
    client, corpus, place, algebraist, analyst
):
    """Else the difference between two of them would be the reference."""
    say(place, key="p", title="Spaces")
    ways = [
        address(place, q="compact", corpus="library"),
        reverse("search", query={"q": "compact", "corpus": "library"}),
        "/api/v1/search/?corpus=library&q=compact",
        "/api/v1/corpora/library/documents/?q=Spa",
    ]
    client.force_login(algebraist)
    for way in ways:
        reply = client.get(way)
        assert reply.status_code == 200
        assert "Spaces" not in reply.content.decode()
    direct = [
        reverse("statement", args=["library", "compact"]),
        "/api/v1/corpora/library/statements/compact/",
    ]
    asked = {"name": "theorem_search", "arguments": {"corpus": "library", "query": "compact"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    similar = {"corpus": "library", "text": "A subset is compact if and only if it is closed and bounded."}

    def finds(person):
        """What is found by what is not an address: similar statements by REST, and by MCP with a token."""
        headers = {"Accept": "application/json, text/event-stream", **bearer(person, "read")}
        return [
            client.post("/api/v1/search/similar/", similar, "application/json"),
            client.post("/mcp", message, "application/json", headers=headers),
        ]

    assert ["Spaces" in reply.content.decode() for reply in finds(algebraist)] == [False, False]
    votes = [
        lambda: client.post(reverse("search-vote"), {"corpus": "library", "key": "compact", "value": "1"}),
        lambda: client.post(
            "/api/v1/search/feedback/",
            {"corpus": "library", "key": "compact", "value": 1},
            "application/json",
        ),
    ]
    assert [client.get(way).status_code for way in direct] == [404, 404]
    assert [vote().status_code for vote in votes] == [404, 404]
    client.force_login(analyst)
    assert all("Spaces" in client.get(way).content.decode() for way in ways[1:])
    assert [client.get(way).status_code for way in direct] == [200, 200]
    assert ["Spaces" in reply.content.decode() for reply in finds(analyst)] == [True, True]


def test_a_grade_says_how_often_its_reviewer_searched_and_not_what_for(place, algebraist):
    grading = {"reviewer": algebraist, "assignment": place}
    for wrong in (-1, 1001, True, "3"):
        with pytest.raises(Refused, match="searches must be"):
            save_draft(**grading, version=0, content={"searches": wrong})
    save_draft(**grading, version=0, content={"searches": 2})
    submit_grade(
        **grading,
        content={**COMPLETE, "searches": 3},
        idempotency_key="k",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )
    assert Grade.objects.get().searches == 3
    assert own_data(algebraist)["places"][0]["grades"][0]["searches"] == 3


def test_a_campaign_without_the_search_counts_none(opened_without, algebraist):
    place = take_next(reviewer=algebraist, campaign=opened_without)
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={**COMPLETE, "searches": 3},
        idempotency_key="k",
        rubric_sha256=opened_without.rubric.sha256,
    )
    assert Grade.objects.get().searches is None


@pytest.fixture
def opened_without(drafted, coordinator):
    draw_items(actor=coordinator, campaign=drafted)
    return open_campaign(actor=coordinator, campaign=drafted)
