"""The client against the local server and the double without one: the same assertions hold for both."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from llm import Client, Completer, Completion, Malformed, RefusedByServer, Unavailable, parse_reply
from llm.errors import CallFailed
from tests.llm.double import Double
from tests.llm.local import client
from tests.llm.server import Server

MESSAGES = [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Is 2 even?"}]
ANSWER = '{"label": "yes", "reason": "2 = 2 * 1.", "confidence": 0.9}'

# What each failure is for the server (a mood) and for the double (the error it must raise).
FAILURES = [
    ({"kind": "error", "status": 503}, Unavailable),
    ({"kind": "error", "status": 401}, RefusedByServer),
    ({"kind": "body", "body": "<html>"}, Malformed),
]

Stage = Callable[[list[str | int]], tuple[Client | Double, Callable[[], list[dict[str, Any]]]]]


@pytest.fixture(params=["client", "double"])
def stage(request: pytest.FixtureRequest, server: Server) -> Stage:
    """Sets up a completer that meets the script: a text is answered, a number means FAILURES[number]."""

    def with_server(script: list[str | int]) -> tuple[Client, Callable[[], list[dict[str, Any]]]]:
        moods = [
            FAILURES[step][0] if isinstance(step, int) else {"kind": "text", "text": step} for step in script
        ]
        server.control({"script": moods})
        return client(server.url, max_attempts=1), lambda: server.requests

    def with_double(script: list[str | int]) -> tuple[Double, Callable[[], list[dict[str, Any]]]]:
        double = Double([FAILURES[step][1]("scripted") if isinstance(step, int) else step for step in script])
        return double, lambda: double.requests

    return with_server if request.param == "client" else with_double


def ask(completer: Completer, prompt: Any = MESSAGES, **options: Any) -> Completion:
    async def run() -> Completion:
        async with completer as opened:
            return await opened.complete(prompt, model="judge-1", **options)

    return asyncio.run(run())


def test_a_completion_carries_text_model_and_both_documents(stage: Stage) -> None:
    completer, requests = stage([ANSWER])
    completion = ask(completer, decoding={"temperature": 0})
    assert completion.text == ANSWER
    assert completion.model == "judge-1"
    assert completion.finish_reason == "stop"
    assert completion.attempts == 1
    assert completion.latency >= 0
    assert completion.request == {"model": "judge-1", "messages": MESSAGES, "temperature": 0}
    assert completion.request == requests()[0]
    assert completion.reply["choices"][0]["message"]["content"] == ANSWER
    assert completion.prompt_tokens is not None
    assert completion.completion_tokens is not None


def test_a_bare_string_is_one_user_message(stage: Stage) -> None:
    completer, requests = stage([ANSWER])
    ask(completer, "Is 2 even?")
    assert requests()[0]["messages"] == [{"role": "user", "content": "Is 2 even?"}]


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_failure_is_raised_as_its_own_type(stage: Stage, number: int) -> None:
    completer, requests = stage([number])
    with pytest.raises(CallFailed) as raised:
        ask(completer)
    assert type(raised.value) is FAILURES[number][1]
    assert len(requests()) == 1


def test_answers_come_in_the_order_of_the_script(stage: Stage) -> None:
    completer, _ = stage(["first", "second"])

    async def run() -> list[str]:
        async with completer as opened:
            return [(await opened.complete("q", model="m")).text for _ in range(2)]

    assert asyncio.run(run()) == ["first", "second"]


def test_an_unknown_decoding_parameter_never_leaves(stage: Stage) -> None:
    completer, requests = stage([ANSWER])
    with pytest.raises(ValueError, match="unknown decoding parameter: n, tools"):
        ask(completer, decoding={"tools": [], "n": 3})
    assert requests() == []


def test_nul_and_lone_surrogates_become_storable(stage: Stage) -> None:
    completer, _ = stage(["a\0b\ud800c"])
    completion = ask(completer)
    assert completion.text == "a\ufffdb\ufffdc"
    assert completion.reply["choices"][0]["message"]["content"] == "a\ufffdb\ufffdc"


def test_the_double_and_the_server_give_the_same_answer_by_hash(server: Server) -> None:
    by_double, by_server = ask(Double()), ask(client(server.url))
    assert by_double.text == by_server.text
    assert parse_reply(by_double.text).label in ("yes", "no", "uncertain")


def test_an_exhausted_double_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="no further answer"):
        ask(Double([]))
