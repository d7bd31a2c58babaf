"""A visitor with a kept connection: enough of HTTP/1.1 for measurements, at little cost compared with the server."""

import asyncio
import json
from typing import Any

TOKEN = "t" * 32  # a CSRF token that the visitor sends as cookie and as header, as the pages' scripts do


class Visitor:
    """One person at one server on loopback; `session` is their cookie."""

    def __init__(self, port: int, session: str = "") -> None:
        self.port = port
        self.cookie = f"sessionid={session}; csrftoken={TOKEN}"
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def json(self, method: str, path: str, body: Any = None, *, key: str = "") -> tuple[int, Any]:
        """Status and reply of a request with a JSON body."""
        status, reply = await self.request(method, path, body, key=key)
        return status, json.loads(reply) if reply else None

    async def request(self, method: str, path: str, body: Any = None, *, key: str = "") -> tuple[int, bytes]:
        """Status and body. A connection that the server has closed meanwhile is opened once more."""
        content = b"" if body is None else json.dumps(body).encode()
        head = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Cookie: {self.cookie}",
            f"X-CSRFToken: {TOKEN}",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
            *([f"Idempotency-Key: {key}"] if key else []),
        ]
        sent = "\r\n".join([*head, "", ""]).encode() + content
        try:
            return await self._exchange(sent)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            return await self._exchange(sent)

    async def _exchange(self, sent: bytes) -> tuple[int, bytes]:
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(sent)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(first.split()[1]), body

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None
