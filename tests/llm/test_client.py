"""The client against a server that fails, stalls and lies."""

import asyncio
import json
import logging
from typing import Any

import openai
import pytest

from llm import AddressRefused, Client, Completion, Malformed, RefusedByServer, Unavailable
from llm.prompts import parse_prompt
from tests.llm.local import KEY, QUICK, client, endpoint
from tests.llm.server import Server, serving

OK = {"kind": "text", "text": "fine"}


def ask(url: str, *, key: str = "", options: dict[str, Any] | None = None, **settings: Any) -> Completion:
    async def run() -> Completion:
        async with client(url, **settings) as opened:
            return await opened.complete("question", model="m", idempotency_key=key, **(options or {}))

    return asyncio.run(run())


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_a_transient_status_is_asked_again(server: Server, status: int) -> None:
    server.control({"script": [{"kind": "error", "status": status}, OK]})
    completion = ask(server.url, key="task-7")
    assert (completion.text, completion.attempts) == ("fine", 2)
    assert server.counts()["most_per_key"] == 2
    assert set(server.keys) == {"task-7"}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_permanent_status_is_not_asked_again(server: Server, status: int) -> None:
    server.control({"mood": {"kind": "error", "status": status, "message": "no such model"}})
    with pytest.raises(RefusedByServer, match="no such model") as raised:
        ask(server.url)
    assert raised.value.status == status
    assert raised.value.request["model"] == "m"
    assert server.calls == 1


def test_transient_faults_through_all_attempts_are_unavailable(server: Server) -> None:
    server.control({"mood": {"kind": "error", "status": 500}})
    with pytest.raises(Unavailable) as raised:
        ask(server.url, max_attempts=4)
    assert raised.value.attempts == 4
    assert server.calls == 4


def test_the_wait_asked_for_is_kept(server: Server) -> None:
    server.control({"script": [{"kind": "error", "status": 429, "retry_after": 0.3}, OK]})

    async def run() -> float:
        begun = asyncio.get_running_loop().time()
        async with client(server.url) as opened:
            await opened.complete("question", model="m")
        return asyncio.get_running_loop().time() - begun

    assert asyncio.run(run()) >= 0.3


def test_a_wait_beyond_patience_ends_the_call_and_is_reported(server: Server) -> None:
    server.control({"mood": {"kind": "error", "status": 429, "retry_after": 3600}})
    with pytest.raises(Unavailable) as raised:
        ask(server.url)
    assert raised.value.retry_after == 3600
    assert server.calls == 1


@pytest.mark.parametrize("kind", ["truncated", "hang_up"])
def test_a_broken_connection_is_asked_again(server: Server, kind: str) -> None:
    server.control({"script": [{"kind": kind}, OK]})
    assert ask(server.url).attempts == 2


@pytest.mark.parametrize("mood", [{"kind": "stall", "seconds": 30}, {"kind": "drip"}])
def test_silence_and_dripping_end_at_the_time_limit(server: Server, mood: dict[str, Any]) -> None:
    server.control({"mood": mood})
    with pytest.raises(Unavailable, match=r"within 0\.2 s"):
        ask(server.url, timeout=0.2, max_attempts=1)


def test_an_endless_body_is_cut_off_at_the_size_limit(server: Server) -> None:
    server.control({"mood": {"kind": "endless"}})
    with pytest.raises(Malformed, match="larger than 100000 bytes"):
        ask(server.url, max_reply_bytes=100_000)


def test_a_compressed_body_is_not_unpacked(server: Server) -> None:
    server.control({"mood": {"kind": "bomb", "megabytes": 20}})
    with pytest.raises(Malformed, match="compressed"):
        ask(server.url)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>busy</html>",
        "[]",
        "null",
        '{"choices": []}',
        '{"choices": [{"message": {"content": 5}}]}',
        '{"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}',
        '{"choices": [{"message": {"content": "a"}}], "choices": [{"message": {"content": "b"}}]}',
        '{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": -1}}',
        '{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": true}}',
        '{"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": "12"}}',
        '{"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": 1.0}}',
        '{"choices": NaN}',
        '{"choices": [{"message": {"content": "a"}}], "more": [-1e999]}',
        "[" * 100_000,
        '{"choices": ' + "[" * 900 + "]" * 900 + "}",
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": 2147483648}}',
        '{"error": {"message": "overloaded"}}',
    ],
)
def test_success_with_a_wrong_body_is_malformed_and_not_repeated(server: Server, body: str) -> None:
    server.control({"mood": {"kind": "body", "body": body}})
    with pytest.raises(Malformed) as raised:
        ask(server.url)
    assert raised.value.request["model"] == "m"
    assert server.calls == 1


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": None, "refusal": "I will not do that."},
        {"role": "assistant", "content": None, "reasoning_content": "First, let us see."},
        {"role": "assistant"},
        {"content": ""},
    ],
)
def test_a_message_without_words_is_an_answer_with_an_empty_text(
    server: Server, message: dict[str, Any]
) -> None:
    """It was paid for, so its tokens are known, and it is not asked again; a refusal is not an answer's text."""
    usage = {"prompt_tokens": 20, "completion_tokens": 900}
    reply = {"choices": [{"message": message, "finish_reason": "length"}], "usage": usage}
    server.control({"mood": {"kind": "body", "body": json.dumps(reply)}})
    completion = ask(server.url)
    assert (completion.text, completion.finish_reason) == ("", "length")
    assert (completion.prompt_tokens, completion.completion_tokens) == (20, 900)
    assert completion.reply["choices"][0]["message"] == message
    assert server.calls == 1


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        # (sent, cached of them, received, reasoning of them)
        ({"prompt_tokens": 125, "completion_tokens": 48}, (125, None, 48, None)),
        (
            {
                "prompt_tokens": 1486,
                "completion_tokens": 651,
                "total_tokens": 2137,
                "prompt_tokens_details": {"cached_tokens": 1408, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 512},
            },
            (1486, 1408, 651, 512),
        ),
        (  # Grok counts reasoning apart from completion_tokens, and bills it: 20 + 9 + 94 = 123
            {
                "prompt_tokens": 20,
                "completion_tokens": 9,
                "total_tokens": 123,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            (20, None, 103, 94),
        ),
        # Gemini says so in the total only: 1725 - 758 = 967
        ({"prompt_tokens": 758, "completion_tokens": 102, "total_tokens": 1725}, (758, None, 967, None)),
        # What cannot be is passed over: more cached than sent, more reasoning than received, and no counts.
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 2**40,
                "prompt_tokens_details": {"cached_tokens": 11},
                "completion_tokens_details": {"reasoning_tokens": 6},
            },
            (10, None, 5, None),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": "many",
                "prompt_tokens_details": {"cached_tokens": -1},
                "completion_tokens_details": {"reasoning_tokens": True},
            },
            (10, None, 5, None),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": [3],
                "completion_tokens_details": {"reasoning_tokens": 2.5},
            },
            (10, None, 5, None),
        ),
        ({"prompt_tokens_details": {"cached_tokens": 3}}, (None, None, None, None)),
        (None, (None, None, None, None)),
    ],
)
def test_tokens_from_a_cache_and_of_reasoning_are_parts_of_the_counts(
    server: Server, usage: dict[str, Any] | None, expected: tuple[int | None, ...]
) -> None:
    reply = {"choices": [{"message": {"content": "fine"}}], "usage": usage}
    server.control({"mood": {"kind": "body", "body": json.dumps(reply)}})
    said = ask(server.url)
    found = (said.prompt_tokens, said.cached_tokens, said.completion_tokens, said.reasoning_tokens)
    assert found == expected


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused_and_the_other_host_hears_nothing(server: Server, status: int) -> None:
    with serving() as other:
        server.control({"mood": {"kind": "redirect", "status": status, "location": other.url}})
        with pytest.raises(RefusedByServer, match="redirects are not followed"):
            ask(server.url)
        assert (other.calls, other.other_requests) == (0, 0)


def test_the_proxies_of_the_environment_are_ignored(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert ask(server.url).attempts == 1


def test_the_name_is_resolved_once_and_the_address_kept(server: Server) -> None:
    """A second look at the name would find the forbidden address: DNS rebinding."""
    answers = [["127.0.0.1"], ["169.254.169.254"]]
    url = server.url.replace("127.0.0.1", "models.test")

    async def run() -> None:
        settings = endpoint(url)
        async with Client(settings, backoff=QUICK, resolver=lambda host, port: answers.pop(0)) as opened:
            for number in range(3):
                await opened.complete(f"question {number}", model="m")

    asyncio.run(run())
    assert server.calls == 3
    assert server.headers[0]["host"] == url.removeprefix("http://").removesuffix("/v1")
    assert answers == [["169.254.169.254"]]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::1", "::ffff:127.0.0.1", "fe80::1%eth0"],
)
def test_a_public_endpoint_that_resolves_inwards_is_never_called(server: Server, address: str) -> None:
    async def run() -> None:
        settings = endpoint(server.url.replace("127.0.0.1", "models.test"), private=False, api_key="")
        async with Client(settings, resolver=lambda host, port: ["93.184.216.34", address]):
            pytest.fail("the client opened")

    with pytest.raises(AddressRefused):
        asyncio.run(run())
    assert (server.calls, server.other_requests) == (0, 0)


def test_another_address_is_tried_when_the_first_does_not_connect(server: Server) -> None:
    async def run() -> Completion:
        settings = endpoint(server.url.replace("127.0.0.1", "models.test"))
        async with Client(settings, resolver=lambda host, port: ["127.0.0.9", "127.0.0.1"]) as opened:
            return await opened.complete("question", model="m")

    assert asyncio.run(run()).attempts == 1


def test_a_name_that_does_not_resolve_is_unavailable() -> None:
    def nothing(host: str, port: int) -> list[str]:
        raise OSError("unknown name")

    async def run() -> None:
        async with Client(endpoint("http://models.test/v1"), resolver=nothing):
            pytest.fail("the client opened")

    with pytest.raises(Unavailable, match=r"models\.test does not resolve"):
        asyncio.run(run())


def test_the_key_goes_to_the_endpoint_and_nowhere_else(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"kind": "text", "text": f"your key is {KEY}"}
    server.control({"script": [echo, {"kind": "error", "status": 403, "message": f"bad key {KEY}"}]})
    completion = ask(server.url)
    with pytest.raises(RefusedByServer) as raised:
        ask(server.url)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    seen = [repr(endpoint(server.url)), caplog.text, str(raised.value), repr(vars(raised.value))]
    assert all(KEY not in text for text in [*seen, repr(completion)])
    assert completion.text == "your key is [key]"
    assert "bad key [key]" in str(raised.value)


@pytest.mark.parametrize(
    "echo",
    [
        r"sk\/a+b",  # some encoders escape every slash
        r"\u0073k/a+b",
        r"sk/a\u002bb",
    ],
)
def test_a_key_that_the_server_echoes_with_escapes_is_not_kept_either(server: Server, echo: str) -> None:
    reply = f'{{"choices": [{{"message": {{"content": "{echo}"}}}}], "{echo}": 1}}'
    server.control({"mood": {"kind": "body", "body": reply}})
    completion = ask(server.url, api_key="sk/a+b")
    assert completion.text == "[key]"
    assert "sk/a+b" not in repr(completion)


def test_a_key_at_the_edge_of_an_excerpt_is_not_cut_into_view(server: Server) -> None:
    """An error page is kept up to 500 characters; here the key would cross that edge."""
    server.control({"mood": {"kind": "error", "status": 403, "message": "x" * 465 + KEY}})
    with pytest.raises(RefusedByServer) as raised:
        ask(server.url)
    assert KEY[:8] not in str(raised.value)


def test_an_endpoint_without_a_key_gets_none_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    ask(server.url, api_key="")
    assert "authorization" not in server.headers[0]
    assert "sk-of-somebody-else" not in json.dumps(server.headers)


def test_no_more_calls_are_in_flight_than_declared(server: Server) -> None:
    server.latency = 0.02

    async def run() -> None:
        async with client(server.url, max_concurrency=7) as opened:
            await asyncio.gather(*(opened.complete(f"question {n}", model="m") for n in range(40)))

    asyncio.run(run())
    assert server.calls == len(server.keys) == 40
    assert server.peak == 7


def test_a_rate_bound_spreads_the_calls(server: Server) -> None:
    async def run() -> float:
        begun = asyncio.get_running_loop().time()
        async with client(server.url, requests_per_minute=1200) as opened:  # one each 50 ms
            await asyncio.gather(*(opened.complete(f"question {n}", model="m") for n in range(5)))
        return asyncio.get_running_loop().time() - begun

    assert asyncio.run(run()) >= 4 * 0.05


def test_a_cancelled_call_leaves_the_client_usable(server: Server) -> None:
    server.control({"script": [{"kind": "stall", "seconds": 30}, OK]})

    async def run() -> str:
        async with client(server.url, max_concurrency=1) as opened:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await opened.complete("question", model="m")
            return (await opened.complete("question", model="m")).text

    assert asyncio.run(run()) == "fine"


def test_a_schema_is_sent_only_where_it_is_offered(server: Server) -> None:
    front = b'+++\nrole = "r"\npredicate = "P"\noutput = ["label", "reason", "confidence"]\n+++\nbody'
    wanted = {"response_format": parse_prompt("p.v1.md", front).response_format}
    ask(server.url, options=wanted, structured_output=True)
    ask(server.url, options=wanted, structured_output=False)
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is True
    assert "response_format" not in server.requests[1]


def test_a_client_that_is_not_open_says_so(server: Server) -> None:
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(client(server.url).complete("question", model="m"))


def test_the_request_is_what_the_published_client_of_the_protocol_sends(server: Server) -> None:
    messages = [{"role": "user", "content": "question"}]
    decoding = {"temperature": 0.5, "max_tokens": 10, "seed": 3}
    with openai.OpenAI(api_key="x", base_url=server.url, max_retries=0) as published:
        answer = published.chat.completions.create(model="m", messages=messages, **decoding)
    ours = ask(server.url, options={"decoding": decoding})
    assert server.requests[0] == server.requests[1]
    assert answer.choices[0].message.content == ours.text
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == ours.prompt_tokens
