"""One HTTP/1.1 connection to a model server: h11 knows the protocol, asyncio moves the bytes.

A connection carries one exchange after the other. Anything that is not clearly one reply to one request ends it:
bytes that nobody asked for, a reply of the wrong shape, a caller that gave up.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import h11

from llm.events import Assembler, NotAStream, StreamBroken

EVENTS = "text/event-stream"
_IDLE_SECONDS = 15.0  # servers close idle connections after some time, and a request may cross with that


class BrokenOff(Exception):
    """The connection ended, or spoke something else than HTTP, before the reply was complete."""


class ReplyTooLarge(Exception):
    """The body went over the bound; the rest was not read."""


class ReplyEncoded(Exception):
    """The body is compressed although that was not offered."""


@dataclass(frozen=True)
class RawReply:
    """An HTTP reply: status, headers with lower-case names, body bytes. Of a stream, the document that it comes to."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection(asyncio.Protocol):
    """Made by `loop.create_connection`; reads at most `most_bytes` of a reply's body."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._http = h11.Connection(h11.CLIENT)
        self._wire: asyncio.Transport | None = None
        self._reply: asyncio.Future[RawReply] | None = None
        self._head: h11.Response | None = None
        self._body = bytearray()
        self._size = 0
        self._stream: Assembler | None = None
        self._heard: Callable[[], None]
        self._idle_since = time.monotonic()

    @property
    def usable(self) -> bool:
        """Whether another request may be sent; only asked between exchanges."""
        alive = self._wire is not None and not self._wire.is_closing()
        return alive and time.monotonic() - self._idle_since < _IDLE_SECONDS

    async def exchange(
        self,
        target: str,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        heard: Callable[[], None],
    ) -> RawReply:
        """POST the body; one at a time. `heard` is called whenever bytes arrive.

        Raises BrokenOff, ReplyTooLarge, ReplyEncoded, StreamBroken or NotAStream.
        """
        if self._wire is None or self._wire.is_closing():
            raise BrokenOff("closed")
        self._reply = asyncio.get_running_loop().create_future()
        self._head, self._body, self._size, self._stream = None, bytearray(), 0, None
        self._heard = heard
        try:
            self._wire.write(self._encoded(target, headers, body))
            return await self._reply
        finally:
            self._reply = None
            self._finish_exchange()

    def _encoded(self, target: str, headers: Sequence[tuple[str, str]], body: bytes) -> bytes:
        whole = [*headers, ("Content-Length", str(len(body)))]
        request = h11.Request(method="POST", target=target, headers=whole)
        parts = [self._http.send(event) for event in (request, h11.Data(data=body), h11.EndOfMessage())]
        return b"".join(part for part in parts if part)

    def close(self) -> None:
        """End the connection at once."""
        if self._wire is not None:
            self._wire.abort()

    def _finish_exchange(self) -> None:
        """Ready for the next exchange, or closed where this one did not end well."""
        whole = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if whole and not self._http.trailing_data[0]:
            self._http.start_next_cycle()
            self._idle_since = time.monotonic()
        else:
            self.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._wire = transport

    def data_received(self, data: bytes) -> None:
        self._receive(data)

    def eof_received(self) -> None:
        self._receive(b"")

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(BrokenOff(type(exc).__name__ if exc else "closed"))

    def _receive(self, data: bytes) -> None:
        if self._reply is None or self._reply.done():
            self.close()
            return
        self._heard()
        try:
            self._http.receive_data(data)
            while (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take(event)
        except h11.RemoteProtocolError:  # its words may quote the reply, and so a key
            self._fail(BrokenOff("the reply is not HTTP" if data else "closed"))
        except (BrokenOff, ReplyTooLarge, ReplyEncoded, StreamBroken, NotAStream) as error:
            self._fail(error)

    def _take(self, event: object) -> None:
        if isinstance(event, h11.Response):
            self._head = event
            headers = _headers(event)
            encoding = headers.get("content-encoding", "identity")
            if encoding != "identity":
                raise ReplyEncoded(encoding)
            if event.status_code == 200 and headers.get("content-type", "").lower().startswith(EVENTS):
                self._stream = Assembler()
        elif isinstance(event, h11.Data):
            self._size += len(event.data)
            if self._size > self._most_bytes:
                raise ReplyTooLarge(f"the reply is larger than {self._most_bytes} bytes")
            if self._stream is not None:
                self._stream.feed(bytes(event.data))
            else:
                self._body += event.data
        elif isinstance(event, h11.EndOfMessage):
            assert self._head is not None
            assert self._reply is not None
            body = self._stream.document() if self._stream is not None else bytes(self._body)
            self._reply.set_result(RawReply(self._head.status_code, _headers(self._head), body))
        elif isinstance(event, h11.ConnectionClosed):
            raise BrokenOff("closed")

    def _fail(self, error: Exception) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(error)
        self.close()


def _headers(response: h11.Response) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
