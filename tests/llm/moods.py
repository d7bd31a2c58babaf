"""What the local server does instead of answering: one coroutine per kind of failure, stall or lie."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping
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
    return await send_json(exchange, 200, chat_reply(request, mood["text"]))


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
    "hang_up": _hang_up,
    "redirect": _redirect,
    "stall": _stall,
    "text": _text,
    "truncated": _truncated,
}
