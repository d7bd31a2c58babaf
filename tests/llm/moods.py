"""What the local server does instead of answering: one coroutine per kind of failure, stall or lie."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Exchange:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    writer: asyncio.StreamWriter


Mood = Callable[[Exchange, Mapping[str, Any], Mapping[str, Any]], Awaitable[bool]]


def chat_reply(request: Mapping[str, Any], text: Any) -> dict[str, Any]:
    words = sum(len(str(message["content"]).split()) for message in request["messages"])
    return {
        "id": "local",
        "object": "chat.completion",
        "model": request["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": words, "completion_tokens": 9, "total_tokens": words + 9},
    }


async def send(
    exchange: Exchange, status: int, body: bytes, *headers: str, length: int | None = None
) -> None:
    head = [f"HTTP/1.1 {status} -", f"Content-Length: {len(body) if length is None else length}", *headers]
    exchange.writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await exchange.writer.drain()


async def send_json(exchange: Exchange, status: int, document: Any, *headers: str) -> bool:
    await send(exchange, status, json.dumps(document).encode(), "Content-Type: application/json", *headers)
    return True


def chat_events(request: Mapping[str, Any], text: str) -> list[str]:
    """The same reply as the events of a stream: the role, the text in pieces, the end, the usage."""
    whole = chat_reply(request, text)
    common = {"id": whole["id"], "object": "chat.completion.chunk", "model": whole["model"]}

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        return {
            **common,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
            "usage": None,
        }

    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    chunks = [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": piece}) for piece in pieces),
        chunk({}, "stop"),
        {**common, "choices": [], "usage": whole["usage"]},
    ]
    return [f"data: {json.dumps(one)}\n\n" for one in chunks] + ["data: [DONE]\n\n"]


async def send_events(
    exchange: Exchange, pieces: Sequence[bytes], seconds: float = 0.0, *, whole: bool = True
) -> bool:
    """A stream of these pieces, each a chunk of its own; cut off after the last one unless it is `whole`."""
    head = ["HTTP/1.1 200 -", "Content-Type: text/event-stream; charset=utf-8", "Transfer-Encoding: chunked"]
    exchange.writer.write("\r\n".join([*head, "", ""]).encode())
    for piece in pieces:
        exchange.writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await exchange.writer.drain()
        await asyncio.sleep(seconds)
    if whole:
        exchange.writer.write(b"0\r\n\r\n")
        await exchange.writer.drain()
    return whole


async def answer(exchange: Exchange, request: Mapping[str, Any], text: Any) -> bool:
    """A proper completion, whole or as a stream, as it was asked for."""
    if request.get("stream"):
        return await send_events(exchange, [event.encode() for event in chat_events(request, text)])
    return await send_json(exchange, 200, chat_reply(request, text))


async def _events(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """A stream of `pieces`, `seconds` apart; `cut` leaves it without an end."""
    pieces = [piece.encode("latin-1") for piece in mood["pieces"]]
    return await send_events(exchange, pieces, mood.get("seconds", 0.0), whole=not mood.get("cut"))


async def _keep_alive(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """A stream of comments that never stops, one each `seconds`."""
    return await send_events(exchange, [b": keep-alive\n\n"] * 10_000, mood.get("seconds", 0.02))


async def _error(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """`status`, and `retry_after` (seconds) if given."""
    headers = [f"Retry-After: {mood['retry_after']}"] if "retry_after" in mood else []
    message = mood.get("message", "asked to fail")
    return await send_json(exchange, mood["status"], {"error": {"message": message}}, *headers)


async def _stall(exchange: Exchange, request: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """Says nothing for `seconds`, then answers."""
    await asyncio.sleep(mood["seconds"])
    return await send_json(exchange, 200, chat_reply(request, "late"))


async def _body(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """Success with the bytes of `body`, whatever they are."""
    await send(exchange, 200, mood["body"].encode(), "Content-Type: application/json")
    return True


async def _text(exchange: Exchange, request: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """A proper completion whose message is `text` (any JSON value)."""
    return await answer(exchange, request, mood["text"])


async def _truncated(exchange: Exchange, request: Mapping[str, Any], _: Mapping[str, Any]) -> bool:
    """Announces more bytes than it sends."""
    await send(exchange, 200, json.dumps(chat_reply(request, "cut"))[:40].encode(), length=4096)
    return False


async def _hang_up(exchange: Exchange, _: Mapping[str, Any], __: Mapping[str, Any]) -> bool:
    """Closes without a byte."""
    return False


async def _endless(exchange: Exchange, _: Mapping[str, Any], __: Mapping[str, Any]) -> bool:
    """A body that never stops, as fast as it is read."""
    await send(exchange, 200, b"{", length=10**12)
    while True:
        exchange.writer.write(b" " * 65_536)
        await exchange.writer.drain()


async def _drip(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """A body that never stops, one byte each `seconds`."""
    await send(exchange, 200, b"{", length=10**12)
    while True:
        exchange.writer.write(b" ")
        await exchange.writer.drain()
        await asyncio.sleep(mood.get("seconds", 0.02))


async def _redirect(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """Sends the caller to `location` with `status` (307 unless given)."""
    await send(exchange, mood.get("status", 307), b"", f"Location: {mood['location']}")
    return True


async def _bomb(exchange: Exchange, _: Mapping[str, Any], mood: Mapping[str, Any]) -> bool:
    """A small body that unpacks to `megabytes` of blanks."""
    body = gzip.compress(b" " * (mood.get("megabytes", 100) * 1024 * 1024), compresslevel=1)
    await send(exchange, 200, body, "Content-Type: application/json", "Content-Encoding: gzip")
    return True


MOODS: dict[str, Mood] = {
    "answer": _text,
    "bomb": _bomb,
    "body": _body,
    "drip": _drip,
    "endless": _endless,
    "error": _error,
    "events": _events,
    "hang_up": _hang_up,
    "keep_alive": _keep_alive,
    "redirect": _redirect,
    "stall": _stall,
    "text": _text,
    "truncated": _truncated,
}
