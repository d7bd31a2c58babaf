"""Replies that come as a stream: put together whole, or not taken at all."""

import asyncio
import json
import random
from typing import Any

import openai
import pytest

from llm import Completion, Malformed, Unavailable
from llm.events import Assembler, NotAStream, StreamBroken
from tests.llm.local import KEY, client
from tests.llm.moods import chat_events
from tests.llm.server import Server

TEXT = "Let $ε > 0$. Then 𝔽₂ ≅ ℤ/2, and “so on”."
ASKED = {"model": "m", "messages": [{"role": "user", "content": "question"}]}


def ask(url: str, **settings: Any) -> Completion:
    async def run() -> Completion:
        async with client(url, **{"stream": True, **settings}) as opened:
            return await opened.complete("question", model="m", idempotency_key="k")

    return asyncio.run(run())


def chunk(delta: Any = None, finish_reason: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish_reason}
    return f"data: {json.dumps({'choices': [choice], **more})}\n\n"


def put_together(*pieces: bytes) -> dict[str, Any]:
    assembler = Assembler()
    for piece in pieces:
        assembler.feed(piece)
    whole: dict[str, Any] = json.loads(assembler.document())
    return whole


END = chunk(finish_reason="stop") + "data: [DONE]\n\n"


def test_a_stream_gives_what_the_whole_reply_would(server: Server) -> None:
    server.control({"mood": {"kind": "text", "text": TEXT}})
    streamed, whole = ask(server.url), ask(server.url, stream=False)
    assert streamed.text == whole.text == TEXT
    told = [
        (one.model, one.finish_reason, one.prompt_tokens, one.completion_tokens) for one in (streamed, whole)
    ]
    assert told[0] == told[1] == ("m", "stop", 1, 9)
    assert streamed.reply == whole.reply
    assert streamed.request == {**ASKED, "stream": True, "stream_options": {"include_usage": True}}
    assert whole.request == ASKED


def test_the_request_is_what_the_published_client_of_the_protocol_sends(server: Server) -> None:
    with openai.OpenAI(api_key="x", base_url=server.url, max_retries=0) as published:
        chunks = published.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "question"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    ours = ask(server.url)
    assert server.requests[0] == server.requests[1]
    assert ours.text == text


def test_a_connection_is_kept_after_a_stream(server: Server) -> None:
    async def run() -> set[object]:
        async with client(server.url, stream=True) as opened:
            for _ in range(3):
                await opened.complete("question", model="m")
            assert opened._transport is not None
            return set(opened._transport._idle)

    assert len(asyncio.run(run())) == 1


def test_an_endpoint_that_does_not_stream_after_all_is_read_as_it_answers(server: Server) -> None:
    reply = {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}
    server.control({"mood": {"kind": "body", "body": json.dumps(reply)}})
    assert ask(server.url).text == "whole"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_split_of_the_bytes_gives_the_same_document(end: str) -> None:
    """Also within a character of several bytes, within CR LF, and between the two of a blank line."""
    events = [*chat_text(TEXT), ": a comment", "", "event: message", "id: 7", "retry: 10", ""]
    sent = ("\ufeff" + end.join(events)).encode()
    whole = put_together(sent)
    assert whole["choices"][0]["message"]["content"] == TEXT
    assert put_together(*(sent[place : place + 1] for place in range(len(sent)))) == whole
    draw = random.Random(7)
    for _ in range(50):
        cuts = sorted(draw.sample(range(len(sent)), 9))
        pieces = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
        assert put_together(*pieces) == whole


def chat_text(text: str) -> list[str]:
    return "".join(chat_events(ASKED, text)).split("\n")


def test_data_of_several_lines_are_one_event() -> None:
    sent = b'data: {"choices": [{"delta":\r\ndata:  {"content": "a"}, "finish_reason": "stop"}]}\r\n\r\n'
    whole = put_together(*(bytes([byte]) for byte in sent), b"data: [DONE]\r\n")
    assert whole["choices"][0]["message"]["content"] == "a"


def test_a_byte_order_mark_does_not_hide_the_first_event() -> None:
    sent = "\ufeff" + chunk({"content": "a"}) + END
    assert put_together(sent.encode())["choices"][0]["message"]["content"] == "a"


def test_refusals_and_reasoning_are_put_together_too() -> None:
    deltas = [
        {"role": "assistant", "content": None},
        {"reasoning_content": "First"},
        {"reasoning_content": ", so"},
    ]
    deltas += [{"refusal": "I will"}, {"refusal": " not."}]
    sent = "".join(chunk(delta) for delta in deltas) + END
    message = {"content": None, "reasoning_content": "First, so", "refusal": "I will not."}
    assert put_together(sent.encode())["choices"][0]["message"] == {"role": "assistant", **message}


@pytest.mark.parametrize(
    "pieces",
    [
        [chunk({"content": "half"})],  # no finish_reason, no [DONE]
        [chunk({"content": "half"}), "data: [DONE]\n\n"],
        [chunk({"content": "half"}), chunk(finish_reason="stop")],
        [],
        [": keep-alive\n\n"],
        [chunk({"content": "half"}), 'data: {"error": {"message": "overloaded", "code": 502}}\n\n', END],
        [chunk({"content": "half"}), 'event: error\ndata: {"error": "overloaded"}\n\n', END],
    ],
)
def test_half_a_reply_is_no_reply_and_may_have_been_paid(server: Server, pieces: list[str]) -> None:
    server.control({"mood": {"kind": "events", "pieces": pieces}})
    with pytest.raises(Unavailable) as raised:
        ask(server.url, max_attempts=2)
    assert (raised.value.attempts, raised.value.unanswered) == (2, 2)
    assert server.calls == 2


def test_a_stream_that_is_cut_off_is_asked_again(server: Server) -> None:
    half = {
        "kind": "events",
        "pieces": [chunk({"content": "half"}), chunk(finish_reason="stop")],
        "cut": True,
    }
    server.control({"script": [half, {"kind": "text", "text": "whole"}]})
    completion = ask(server.url)
    assert (completion.text, completion.attempts, completion.unanswered) == ("whole", 2, 1)


@pytest.mark.parametrize(
    "event",
    [
        "data: {\n\n",
        "data: [1]\n\n",
        "data: NaN\n\n",
        'data: {"choices": [], "choices": []}\n\n',
        'data: {"choices": {"delta": {}}}\n\n',
        'data: {"choices": [{"delta": {}}, {"delta": {}}]}\n\n',
        'data: {"choices": [{"index": 1, "delta": {"content": "other"}}]}\n\n',
        'data: {"choices": [{"delta": [1]}]}\n\n',
        'data: {"choices": [5]}\n\n',
        'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
        "data: " + "[" * 100_000 + "\n\n",
        'data: {"usage": ' + "[" * 960 + "]" * 960 + "}\n\n",
        'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n',  # no UTF-8
        "data: [DONE]\n\n" + chunk({"content": "more"}),
    ],
)
def test_events_that_are_no_chunks_of_one_reply_are_malformed(server: Server, event: str) -> None:
    pieces = [chunk({"content": "fine"}), event, END]
    server.control({"mood": {"kind": "events", "pieces": pieces}})
    with pytest.raises(Malformed) as raised:
        ask(server.url)
    assert raised.value.unanswered == 1
    assert server.calls == 1


def test_a_line_without_an_end_stops_at_the_bound(server: Server) -> None:
    server.control({"mood": {"kind": "events", "pieces": ["data: " + "x" * 50_000] * 10}})
    with pytest.raises(Malformed, match="larger than 200000 bytes"):
        ask(server.url, max_reply_bytes=200_000)


def test_tiny_events_without_number_leave_nothing_behind() -> None:
    assembler = Assembler()
    for _ in range(10):
        assembler.feed(b"data: {}\n\n" * 10_000)
    assembler.feed(END.encode())
    whole = json.loads(assembler.document())
    assert whole["choices"][0]["message"] == {"role": "assistant", "content": None}
    assert len(assembler.document()) < 200


@pytest.mark.parametrize(
    ("mood", "limits", "said"),
    [
        ({"kind": "stall", "seconds": 30}, {"stall_seconds": 0.2}, r"nothing more of the reply for 0\.2 s"),
        (
            {"kind": "events", "pieces": [chunk({"content": "half"})] * 2, "seconds": 5},
            {"stall_seconds": 0.2},
            r"nothing more of the reply for 0\.2 s",
        ),
        ({"kind": "keep_alive"}, {"stall_seconds": 5, "timeout": 0.4}, r"no complete reply within 0\.4 s"),
    ],
)
def test_silence_ends_a_stream_and_so_does_its_limit(
    server: Server, mood: dict[str, Any], limits: dict[str, float], said: str
) -> None:
    server.control({"mood": mood})
    with pytest.raises(Unavailable, match=said) as raised:
        ask(server.url, max_attempts=1, **limits)
    assert raised.value.unanswered == 1


def test_a_stream_may_take_longer_than_its_longest_silence(server: Server) -> None:
    pieces = [chunk({"content": letter}) for letter in "slowly"]
    pieces.insert(3, ": keep-alive\n\n")
    server.control({"mood": {"kind": "events", "pieces": [*pieces, END], "seconds": 0.1}})
    completion = ask(server.url, stall_seconds=0.4, max_attempts=1)
    assert completion.text == "slowly"
    assert completion.latency >= 0.7


def test_the_key_is_kept_out_of_streams_and_of_their_errors(server: Server) -> None:
    half = len(KEY) // 2
    pieces = [chunk({"content": f"your key is {KEY[:half]}"}), chunk({"content": KEY[half:]}), END]
    error = json.dumps({"error": {"message": "x" * 460 + KEY}})
    events = {"kind": "events", "pieces": pieces}
    server.control({"script": [events, {"kind": "events", "pieces": [f"data: {error}\n\n"]}]})
    completion = ask(server.url)
    assert completion.text == "your key is [key]"
    assert KEY not in repr(completion)
    with pytest.raises(Unavailable) as raised:
        ask(server.url, max_attempts=1)
    assert KEY[:8] not in str(raised.value)


def test_broken_streams_are_told_from_nonsense() -> None:
    with pytest.raises(StreamBroken, match="without a finish_reason"):
        put_together(b"data: [DONE]\n\n")
    with pytest.raises(NotAStream, match="not JSON"):
        put_together(b"data: {\n\n")
