"""A local server of the chat-completion protocol that answers, fails, stalls and lies on demand.

    python -m tests.llm.server [--port 0] [--latency 0]

prints its base URL and serves until it is interrupted. In a test: `with serving() as server: server.url`.
Over HTTP: POST /control (see `Server.control`), GET /control for the counts, GET /control/requests, and
DELETE /control to forget script, counts and requests.
"""

import argparse
import asyncio
import hashlib
import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tests.llm.double import Rule, answer_by_hash
from tests.llm.moods import MOODS, Exchange, answer, send_json

MAX_BODY = 32 * 1024 * 1024


class Server:
    """Answers by `rule`; `script` (consumed one per call) and `mood` (when the script is empty) change that.

    A mood is `{"kind": one of MOODS, ...parameters}`. With `every=n` the standing mood strikes only each nth
    call. `requests` holds all bodies in order, `headers` their headers, `keys` counts calls by
    Idempotency-Key or, without one, by the SHA-256 of the messages; `peak` is the most calls in flight.
    """

    def __init__(
        self, rule: Rule = answer_by_hash, *, latency: float = 0.0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.rule = rule
        self.keyed: Callable[[Mapping[str, Any], str], str] | None = (
            None  # a rule that sees the Idempotency-Key
        )
        self.latency = latency
        self.tls = tls
        self.url = ""
        self.reset()

    def reset(self) -> None:
        self.script: list[dict[str, Any]] = []
        self.mood: dict[str, Any] | None = None
        self.every = 1
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.keys: Counter[str] = Counter()
        self.in_flight = self.peak = self.other_requests = 0

    @property
    def calls(self) -> int:
        return len(self.requests)

    def control(self, order: Mapping[str, Any]) -> None:
        """Sets any of `script`, `mood`, `every`, `latency` (seconds) and `text` (a fixed answer)."""
        for mood in [*order.get("script", []), order.get("mood") or {"kind": "answer"}]:
            if mood["kind"] not in MOODS:
                raise ValueError(f"no mood {mood['kind']!r}; there are {', '.join(MOODS)}")
        for name in ("script", "mood", "every", "latency"):
            if name in order:
                setattr(self, name, order[name])
        if "text" in order:
            self.rule = lambda _: order["text"]

    def counts(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "distinct": len(self.keys),
            "peak": self.peak,
            "most_per_key": max(self.keys.values(), default=0),
            "other_requests": self.other_requests,
        }

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listens on the loopback interface, with TLS if `tls` was given; sets `url`."""
        listener = await asyncio.start_server(
            self._connection, "127.0.0.1", port, backlog=1024, limit=2**20, ssl=self.tls
        )
        scheme = "https" if self.tls else "http"
        self.url = f"{scheme}://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        return listener

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while exchange := await self._read(reader, writer):
                if not await self._respond(exchange):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Exchange | None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        pairs = (line.split(":", 1) for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        length = int(headers.get("content-length", "0"))
        body = await reader.readexactly(length) if length <= MAX_BODY else b""
        return Exchange(method, path, headers, body, writer)

    async def _respond(self, exchange: Exchange) -> bool:
        """Answers one request; False when the connection is to be closed."""
        if exchange.path in ("/v1/chat/completions", "/v1/embeddings") and exchange.method == "POST":
            return await self._chat(exchange)
        if exchange.path == "/control/requests":
            return await send_json(exchange, 200, self.requests)
        if exchange.path == "/control":
            return await self._control(exchange)
        self.other_requests += 1
        return await send_json(exchange, 404, {"error": {"message": f"nothing at {exchange.path}"}})

    async def _control(self, exchange: Exchange) -> bool:
        if exchange.method == "DELETE":
            self.reset()
        elif exchange.method == "POST":
            try:
                self.control(json.loads(exchange.body))
            except (ValueError, KeyError) as error:
                return await send_json(exchange, 400, {"error": {"message": str(error)}})
        return await send_json(exchange, 200, self.counts())

    async def _chat(self, exchange: Exchange) -> bool:
        try:
            request = json.loads(exchange.body)
        except ValueError:
            return await send_json(exchange, 400, {"error": {"message": "the body is not JSON"}})
        self.requests.append(request)
        self.headers.append(exchange.headers)
        self.keys[exchange.headers.get("idempotency-key") or messages_sha256(request)] += 1
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            mood = self._next_mood()
            if self.latency:
                await asyncio.sleep(self.latency)
            if mood is None and "input" in request:
                return await send_json(exchange, 200, embeddings_reply(request))
            if mood is None:
                key = exchange.headers.get("idempotency-key", "")
                text = self.keyed(request, key) if self.keyed else self.rule(request)
                return await answer(exchange, request, text)
            return await MOODS[mood["kind"]](exchange, request, mood)
        finally:
            self.in_flight -= 1

    def _next_mood(self) -> dict[str, Any] | None:
        mood = self.script.pop(0) if self.script else self.mood if self.calls % self.every == 0 else None
        return None if mood is None or mood["kind"] == "answer" else mood


def embeddings_reply(request: Mapping[str, Any]) -> dict[str, Any]:
    """A vector of 32 numbers for each text: how often it has each letter, so that like texts are near."""
    rows = []
    for index, text in enumerate(request["input"]):
        counts = [0.0] * 32
        for letter in text.lower():
            counts[ord(letter) % 32] += 1.0
        rows.append({"object": "embedding", "index": index, "embedding": counts})
    return {
        "object": "list",
        "model": request["model"],
        "data": rows[::-1],
    }  # servers need not keep the order


def messages_sha256(request: Mapping[str, Any]) -> str:
    said = request.get("messages", request.get("input"))
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


async def serve(server: Server, port: int, stop: asyncio.Event, started: threading.Event) -> None:
    listener = await server.start(port)
    started.set()
    await stop.wait()
    listener.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@contextmanager
def serving(
    rule: Rule = answer_by_hash, *, latency: float = 0.0, tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """A server in a thread of its own, at a free port of the loopback interface."""
    server, started, stop, loop = (
        Server(rule, latency=latency, tls=tls),
        threading.Event(),
        asyncio.Event(),
        [],
    )

    async def run() -> None:
        loop.append(asyncio.get_running_loop())
        await serve(server, 0, stop, started)

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    if not started.wait(10):
        raise RuntimeError("the local server did not start")
    try:
        yield server
    finally:
        loop[0].call_soon_threadsafe(stop.set)
        thread.join()


async def _main(port: int, latency: float) -> None:
    server = Server(latency=latency)
    listener = await server.start(port)
    print(server.url, flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A local chat-completion server for tests and measurements.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    arguments = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_main(arguments.port, arguments.latency))
