"""Two hundred hostile texts as a question and as a published statement, by page, REST and MCP: nothing but texts."""

import json
import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser
from mcp.client import Client as McpClient

from benchmark.importing.survey import BadFile
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.mcp.tools import server_for
from search.models import Corpus
from tests.growing import takes_less_than
from tests.search.hostile import TEXTS
from tests.search.test_mcp import called, message

pytestmark = pytest.mark.django_db
ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "data"}


class Active(HTMLParser):
    """What of a page acts: scripts but those of the site, handlers, and addresses that are not on the site."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        if tag in {"iframe", "object", "embed", "base", "style"} or (
            tag == "script" and not (said.get("src") or "").startswith("/static/")
        ):
            self.found.append(tag)
        for name, value in attrs:
            scheme = re.match(r"\s*([a-z]+):", value or "", re.I)
            if name.startswith("on") or name in {"style", "srcdoc"} or (name in ADDRESSES and scheme):
                self.found.append(f"{name}={value}")


def active(html: str) -> list[str]:
    parser = Active()
    parser.feed(html)
    return parser.found


def server():
    return server_for(AnonymousUser(), before_call=lambda: None, too_many=lambda: False)


@pytest.fixture(autouse=True)
def _without_limits(monkeypatch):
    monkeypatch.setattr("search.searching.limits._Limit.allow_request", lambda *_: True)


@pytest.fixture
def hostile(write) -> Corpus:
    """Every text that the import takes as the body, title, note and author of a statement, each of its own document."""
    lines = [
        {"key": f"h{n}", "document": f"of-h{n}", "body": f"compact {text}"}
        | {"authors": [text[:300]], "title": text[:1000]}
        for n, text in enumerate(TEXTS)
        if text.strip() and text.isprintable()
    ]
    # What is not printable is refused in a name, but a body may have most of it.
    lines += [
        {"key": f"b{n}", "document": f"of-b{n}", "body": f"compact {text}"}
        for n, text in enumerate(TEXTS)
        if not text.isprintable() and "\0" not in text and not re.search("[\ud800-\udfff]", text)
    ]
    assert len(lines) > 200
    import_corpus(
        actor=None, path=write(lines), slug="hostile", about=About(visibility="anyone", licence="MIT")
    )
    build_index(actor=None, corpus=corpus_named("hostile"), recipe="words")
    return corpus_named("hostile")


def test_there_are_two_hundred_texts_and_the_search_for_what_acts_finds_it():
    assert len(set(TEXTS)) >= 200
    page = "<script>x</script><a href=javascript:x><img src=x onerror=y><script src=/static/a.js></script>"
    assert active(page) == ["script", "href=javascript:x", "onerror=y"]


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_what_no_database_can_store_is_refused_by_the_import(write, text):
    with pytest.raises(BadFile):
        import_corpus(actor=None, path=write([{"key": "a", "document": "d", "body": text}]), slug="refused")


@pytest.mark.slow
def test_a_hostile_question_is_only_a_question(client, hostile):
    """As words and as a formula at once; each way answers, or refuses with a reason."""
    whole = [text for text in TEXTS if not re.search("[\ud800-\udfff]", text)]
    for text in TEXTS:
        given = {"q": text, "formula": text, "corpus": "hostile", "k": 1}
        query = urlencode(given, errors="surrogatepass")
        page = client.get(f"/search/?{query}")
        assert page.status_code in (200, 400, 409), text
        assert active(page.content.decode()) == [], text
        assert client.get(f"/api/v1/search/?{query}").status_code in (200, 400, 409), text
        body = json.dumps({"text": text, "corpus": "hostile", "k": 1})
        reply = client.post("/api/v1/search/similar/", body, content_type="application/json")
        assert reply.status_code in (200, 400), text

    async def replies():
        async with McpClient(server()) as mcp:
            return [
                (
                    text,
                    await mcp.call_tool(
                        "theorem_search", {"query": text, "formula": text, "corpus": "hostile"}
                    ),
                )
                for text in whole
            ]

    for text, reply in async_to_sync(replies)():
        assert reply.structured_content or reply.content[0].text != "Error executing tool theorem_search", (
            text
        )
    for text in set(TEXTS) - set(whole):  # half a character is not a text in JSON
        assert message(client, name="theorem_search", arguments={"query": text}).status_code == 400


@pytest.mark.slow
def test_a_hostile_statement_is_only_a_text(client, hostile):
    bodies = dict(hostile.statements.values_list("key", "body"))
    for key, body in bodies.items():
        asked = {"q": "compact", "corpus": "hostile", "documents": f"of-{key}"}
        (found,) = client.get("/api/v1/search/", asked).json()["results"]
        assert (found["key"], found["body"]) == (key, body)
        assert active(found["html"]) == [], key
        assert active(client.get(f"/search/corpora/hostile/statements/{key}/").content.decode()) == [], key
    pages = [
        client.get("/search/", {"q": f"compact {word}", "corpus": "hostile", "k": 50}) for word in ("a", "x")
    ]
    pages.append(client.get("/search/", {"similar": min(bodies), "corpus": "hostile", "k": 50}))
    for page in pages:
        html = page.content.decode()
        assert html.count('class="card result"') == 50
        assert active(html) == []

    async def fetched():
        async with McpClient(server()) as mcp:
            return {
                key: await mcp.call_tool("get_statement", {"corpus": "hostile", "key": key}) for key in bodies
            }

    for key, reply in async_to_sync(fetched)().items():
        first, *_, last = reply.structured_content["found"]["statement"].split("\n")
        assert not reply.is_error
        assert re.fullmatch("<<statement [0-9a-f]{16}>>", first), key
        assert last == first.replace("statement", "end"), key


@pytest.mark.parametrize("way", ["page", "rest", "mcp"])
def test_a_question_of_a_hundred_thousand_characters_is_refused_at_once(client, hostile, way):
    """In less than 50 ms of the processor: it is refused for its length, before anything reads it."""
    text = "compact $x^2$ " * 7_200
    assert len(text) > 100_000
    ask = {
        "page": lambda: client.get("/search/", {"q": text, "corpus": "hostile"}),
        "rest": lambda: client.post(
            "/api/v1/search/", json.dumps({"q": text, "corpus": "hostile"}), content_type="application/json"
        ),
        "mcp": lambda: called(client, "theorem_search", corpus="hostile", query=text),
    }[way]
    ask()  # templates and modules are loaded
    assert takes_less_than(0.05, ask)
    reply = ask()
    assert reply[0] if way == "mcp" else reply.status_code == 400
