"""One connection, many calls, and servers that do not keep to the protocol."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest

from llm import Malformed, Unavailable
from llm.client import Client
from tests.llm.local import KEY, client
from tests.llm.server import Server

BODY = b'{"model": "m", "choices": [{"message": {"content": "fine"}}]}'
SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n0\r\n\r\n" % (
    len(BODY),
    BODY,
)
UNTIL_THE_END = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + BODY

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def request(reader: asyncio.StreamReader) -> int:
    """Reads one request; the number of bytes of its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    await reader.readexactly(length)
    return length


class Peer:
    """A server that plays one script per connection, by the connection's number from 0; counts connections."""

    def __init__(self, script: Callable[[int], Script]) -> None:
        self.connections = 0
        self._script = script

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number, self.connections = self.connections, self.connections + 1
        try:
            await self._script(number)(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def played(peer: Peer, use: Callable[[Client], Awaitable[list[str]]], **settings: int) -> list[str]:
    async def run() -> list[str]:
        listener = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        async with listener, client(url, **settings) as opened:
            return await use(opened)

    return asyncio.run(run())


def saying(*replies: bytes, then_close: bool = False) -> Script:
    """Each reply to one request; then silence, or the end of the connection."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await request(reader)
            writer.write(reply)
            await writer.drain()
        if not then_close:
            await reader.read()

    return play


async def one(opened: Client) -> list[str]:
    return [(await opened.complete("question", model="m")).text]


async def two(opened: Client) -> list[str]:
    first = await one(opened)
    await asyncio.sleep(0.05)  # for what the server does between the two
    return first + await one(opened)


@pytest.mark.parametrize("reply", [SIZED, CHUNKED, b"HTTP/1.1 100 Continue\r\n\r\n" + SIZED])
def test_a_connection_is_used_again(reply: bytes) -> None:
    peer = Peer(lambda _: saying(reply, reply))
    assert played(peer, two) == ["fine", "fine"]
    assert peer.connections == 1


def test_a_reply_that_comes_in_pieces_is_put_together() -> None:
    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        for place in range(0, len(CHUNKED), 7):
            writer.write(CHUNKED[place : place + 7])
            await writer.drain()
            await asyncio.sleep(0)

    assert played(Peer(lambda _: dripping), one) == ["fine"]


def test_a_body_may_end_with_its_connection() -> None:
    peer = Peer(lambda _: saying(UNTIL_THE_END, then_close=True))
    assert played(peer, two) == ["fine", "fine"]
    assert peer.connections == 2


def test_a_connection_that_the_server_closed_meanwhile_is_not_used() -> None:
    peer = Peer(lambda _: saying(SIZED, then_close=True))
    assert played(peer, two, max_attempts=1) == ["fine", "fine"]
    assert peer.connections == 2


@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_a_second_reply_that_nobody_asked_for_answers_no_later_question(pause: float) -> None:
    """With the first reply or after it: else it would be taken for the answer to the next question."""
    wrong = SIZED.replace(b"fine", b"liar")

    async def eager(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(SIZED if pause else SIZED + wrong)
        await asyncio.sleep(pause)
        writer.write(wrong if pause else b"")
        await reader.read()

    peer = Peer(lambda number: saying(SIZED) if number else eager)
    assert played(peer, two, max_attempts=1) == ["fine", "fine"]
    assert peer.connections == 2


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK " + KEY.encode() + b"\0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_not_http_is_a_connection_that_broke_off_and_is_not_quoted(reply: bytes) -> None:
    peer = Peer(lambda _: saying(reply))
    with pytest.raises(Unavailable, match=r"was lost \(the reply is not HTTP") as raised:
        played(peer, one, max_attempts=1)
    assert KEY not in str(raised.value)
    assert raised.value.unanswered == 1


@pytest.mark.parametrize("reply", [b"", SIZED[:20], SIZED[:-5], CHUNKED[:-5]])
def test_a_reply_that_stops_short_is_asked_for_again(reply: bytes) -> None:
    peer = Peer(lambda number: saying(SIZED) if number else saying(reply, then_close=True))
    assert played(peer, one) == ["fine"]
    assert peer.connections == 2


def test_a_refused_connection_says_that_nothing_was_sent() -> None:
    with (
        closed_port() as url,
        pytest.raises(Unavailable, match=r"no connection \(ConnectionRefused") as raised,
    ):
        asyncio.run(_ask(url))
    assert raised.value.unanswered == 0


def test_a_reply_that_is_too_long_is_cut_off_where_no_length_is_announced() -> None:
    endless = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 5_000
    with pytest.raises(Malformed, match="larger than 2000 bytes"):
        played(Peer(lambda _: saying(endless)), one, max_reply_bytes=2_000)


def test_connections_are_as_many_as_calls_at_once() -> None:
    """Two rounds of five calls: the second round opens none."""
    server = Server(latency=0.02)
    opened: list[int] = []
    connection = server._connection

    async def counting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(1)
        await connection(reader, writer)

    server._connection = counting  # type: ignore[method-assign]

    async def run() -> None:
        listener = await server.start()
        async with listener, client(server.url, max_concurrency=5) as calls:
            for _ in range(2):
                await asyncio.gather(*(one(calls) for _ in range(5)))

    asyncio.run(run())
    assert (len(opened), server.calls) == (5, 10)


async def _ask(url: str) -> list[str]:
    async with client(url, max_attempts=1) as opened:
        return await one(opened)


@contextmanager
def closed_port() -> Iterator[str]:
    """An address at which nobody listens: the port is bound and not listened at."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"
