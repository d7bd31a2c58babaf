"""Models of meaning behind an endpoint: asked in batches, kept by text, and what happens when they do not answer."""

import json
import time

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command

from accounts.refusal import Refused
from retrieval.index import Index as OpenIndex
from retrieval.recipes import Model
from retrieval.vectors import quantised
from search.corpora.actions import import_corpus
from search.indexes import embedding
from search.indexes.actions import build_index
from search.indexes.kept import KeptVectors
from search.indexes.opened import index_of
from search.models import Corpus, IndexState, Query
from search.searching.actions import search
from search.searching.request import Asked
from tests.llm.server import Server, serving

pytestmark = pytest.mark.django_db
MODEL = {"endpoint": "local", "model": "letters", "revision": "r1", "dimensions": 32, "batch": 2}
DOWN = {"mood": {"kind": "error", "status": 500, "message": "secret of the server"}}


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def declare(server: Server, settings):
    """Declare the model "letters", with changes."""

    def declared(**changes):
        local = {"base_url": server.url, "private": True, "max_attempts": 1}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
        settings.EMBEDDING_MODELS = json.dumps({"letters": MODEL | changes})

    declared()
    embedding._of_query.cache_clear()
    embedding._not_asked_before.clear()
    return declared


def build(corpus: Corpus):
    return build_index(actor=None, corpus=corpus, recipe="hybrid", model="letters")


def texts(server: Server) -> list[str]:
    return [text for request in server.requests for text in request["input"]]


def find(corpus: Corpus, **asked):
    return search(user=AnonymousUser(), corpus=corpus, asked=Asked(**asked), purpose="page")


@pytest.fixture
def hybrid(corpus: Corpus) -> Corpus:
    build(corpus)
    return corpus


def test_statements_are_asked_for_in_batches_and_ranked_by_meaning(hybrid, server, settings):
    assert sorted(len(request["input"]) for request in server.requests) == [2, 2]
    assert {request["model"] for request in server.requests} == {"letters"}
    index = index_of(hybrid)
    assert index.recipe["model"]["name"] == "letters@r1"
    manifest = OpenIndex.open(settings.INDEX_DIR / index.digest).manifest
    assert (manifest.recipe.model.name, manifest.recipe.model.dimensions) == ("letters@r1", 32)
    found = find(hybrid, text="a continuous function on a compact set", mode="meaning")
    assert found.results[0].key == "uniform"
    assert (found.ranks_meaning, found.words_only, found.sent_to) == (True, "", "letters@r1")


def test_the_instructions_of_the_model_come_before_statements_and_queries(corpus, server, declare):
    declare(statement_instruction="Represent: ", query_instruction="Instruct: find\nQuery: ")
    build(corpus)
    assert all(text.startswith("Represent: ") for text in texts(server))
    find(corpus, text="maximal ideal")
    assert texts(server)[-1] == "Instruct: find\nQuery: maximal ideal"


def test_a_text_is_cut_to_what_the_model_surely_reads(corpus, server, declare):
    declare(max_tokens=32)
    build(corpus)
    assert max(map(len, texts(server))) == 3 * 32


def test_only_texts_that_are_new_are_asked_for_again(hybrid, server, write):
    line = {"key": "new", "document": "d", "body": "Zorn's lemma."}
    import_corpus(actor=None, path=write([line]), slug="library")
    server.reset()
    build(hybrid)
    assert texts(server) == ["Zorn's lemma."]


def test_a_query_is_asked_for_once(hybrid, server):
    server.reset()
    find(hybrid, text="ideal")
    find(hybrid, text="ideal")
    assert texts(server) == ["ideal"]


def test_another_revision_is_another_model(hybrid, server, declare):
    server.reset()
    declare(revision="r2")
    build(hybrid)
    assert len(texts(server)) == 4
    assert index_of(hybrid).recipe["model"]["name"] == "letters@r2"


def test_an_endpoint_that_fails_leaves_the_index_before_and_what_was_computed(hybrid, server, write):
    before, lines = (
        index_of(hybrid),
        [{"key": f"n{n}", "document": "d", "body": f"Body {n}"} for n in range(20)],
    )
    import_corpus(actor=None, path=write(lines), slug="library")
    server.reset()
    # The first sixteen texts (eight requests of two) are answered, the others are not.
    server.control({"script": [{"kind": "answer"}] * 8, **DOWN})
    with pytest.raises(
        Refused, match=r"vectors of 4 of 24 statements.*stays in use. Build it again"
    ) as refused:
        build(hybrid)
    assert refused.value.code == "no_vectors_made"
    failed = hybrid.indexes.get(state=IndexState.FAILED)
    assert "Build it again" in failed.problem
    assert index_of(hybrid) == before
    assert find(hybrid, text="ideal", mode="words").results
    server.reset()
    build(hybrid)
    assert len(texts(server)) == 4


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"data": []}, "0 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1.0] * 32}] * 2}, "one of them twice"),
        ({"data": [{"index": n, "embedding": [1.0] * (32 - n)} for n in (0, 1)]}, "differ in length"),
        ({"data": [{"index": n, "embedding": [1.0] * 31} for n in (0, 1)]}, "31 dimensions, the model 32"),
        ({"data": [{"index": n, "embedding": ["1"] * 32} for n in (0, 1)]}, "valid number"),
        ({"data": [{"index": n, "embedding": [1e999] * 32} for n in (0, 1)]}, "not JSON|no number|none"),
        ({"data": [{"index": n, "embedding": [0.0] * 32} for n in (0, 1)]}, "only zeros"),
        ({"data": [{"index": n, "embedding": [1e200] * 32} for n in (0, 1)]}, "too large"),
        ({"object": "list"}, "data"),
        ([], "not a list of vectors"),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_one_vector_for_each_text_is_refused(corpus, server, reply, words):
    server.control({"mood": {"kind": "body", "body": json.dumps(reply)}})
    with pytest.raises(Refused, match=words):
        build(corpus)
    assert corpus.indexes.filter(state=IndexState.READY).count() == 1


def test_a_query_without_its_vector_is_ranked_by_words_and_the_page_and_rest_say_so(
    hybrid, server, client, algebraist
):
    server.control(DOWN)
    found = find(hybrid, text="compact set")
    assert found.results
    assert (found.ranks_meaning, found.words_only) == (False, "the model letters@r1 does not answer.")
    assert all(set(result.parts) == {"words"} for result in found.results)
    client.force_login(algebraist)
    page = client.get("/search/", {"corpus": "library", "q": "compact set"})
    assert "Words only for this query: the model letters@r1 does not answer." in page.text
    assert "secret of the server" not in page.text
    reply = client.get("/api/v1/search/", {"corpus": "library", "q": "compact set"})
    assert reply.json()["words_only"] == "the model letters@r1 does not answer."
    assert "ETag" not in reply.headers


def test_a_formula_alone_is_ranked_by_formulas_without_its_vector(hybrid, server):
    server.control(DOWN)
    assert find(hybrid, formula=r"\mathbb{R}^n").results[0].key == "compact"


def test_a_search_for_meaning_alone_is_refused_without_its_vector(hybrid, server):
    server.control(DOWN)
    with pytest.raises(Refused, match="does not answer"):
        find(hybrid, text="compact set", mode="meaning")
    assert not Query.objects.exists()


def test_a_query_whose_vector_is_all_zeros_is_ranked_by_words(hybrid, server):
    server.control(
        {"mood": {"kind": "body", "body": json.dumps({"data": [{"index": 0, "embedding": [0] * 32}]})}}
    )
    assert find(hybrid, text="compact set").words_only == "the model letters@r1 does not answer."


def test_an_endpoint_that_did_not_answer_is_left_alone_for_a_while(hybrid, server, monkeypatch):
    server.reset()
    server.control(DOWN)
    assert find(hybrid, text="ideal").words_only
    server.control({"mood": None})
    assert find(hybrid, text="ideal").words_only
    assert server.calls == 1
    later = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not find(hybrid, text="ideal").words_only


def test_an_index_whose_model_is_no_longer_declared_is_refused(hybrid, settings):
    """With the words of the index, whether the model on this machine is installed or not."""
    settings.EMBEDDING_MODELS = ""
    with pytest.raises(Refused, match="letters@r1, which is neither on this machine nor declared"):
        find(hybrid, text="ideal")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("{", "neither a JSON object nor TOML"),
        ({"letters": {}}, "endpoint: Field required"),
        ({"letters": MODEL | {"endpoint": "nobody"}}, "there is no endpoint 'nobody'"),
        ({"letters": MODEL | {"dimension": 3}}, "dimension: Extra inputs"),
        ({"letters": MODEL | {"dimensions": 3}}, "greater than or equal to 8"),
        ({"letters": 3}, "expected a table of settings"),
        ({"others": MODEL}, "There is no model 'letters'.*: others"),
    ],
)
def test_a_faulty_declaration_is_named(corpus, settings, declared, words):
    settings.EMBEDDING_MODELS = declared if isinstance(declared, str) else json.dumps(declared)
    with pytest.raises(Refused, match=words):
        build(corpus)


def test_the_command_and_the_page_of_the_corpus_take_the_model(corpus, client, owner, capsys):
    call_command("build_index", corpus="library", recipe="hybrid", model="letters")
    assert "model: letters@r1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="needs no model"):
        call_command("build_index", corpus="library", recipe="words", model="letters")
    client.force_login(owner)
    assert "letters at local" in client.get("/search/corpora/library/").text
    client.post("/search/corpora/library/index/", {"recipe": "hybrid/letters"})
    assert corpus.indexes.latest("pk").recipe["model"]["name"] == "letters@r1"


def test_kept_vectors_survive_a_torn_end_and_a_damaged_record(tmp_path):
    model = Model("m", "1" * 64, 8)
    rows = quantised([[1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]], 8)
    with KeptVectors(tmp_path, model) as kept:
        kept.add(["a", "b"], rows)
    path = tmp_path / f"{model.digest}.vectors"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])  # a third record of which a process wrote the beginning
    with KeptVectors(tmp_path, model) as kept:
        assert (kept["a"], kept["b"]) == (rows[0].tobytes(), rows[1].tobytes())
        kept.add(["c"], rows[:1])
    with KeptVectors(tmp_path, model) as kept:
        assert "c" in kept
    damaged = bytearray(path.read_bytes())
    damaged[35] ^= 1  # in the vector of the first record
    path.write_bytes(damaged)
    with KeptVectors(tmp_path, model) as kept:
        assert ("a" in kept, "b" in kept, "c" in kept) == (False, True, True)
