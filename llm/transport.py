"""Connections to one endpoint: pinned to its checked addresses, kept open between calls.

This is deliberately not a full HTTP client: redirects, cookies, proxies of the environment, credentials of a .netrc and
decompression are not supported. The key is added to the request only here, where the only possible destination is the
endpoint's own host. A deployment with a certificate authority of its own names it in SSL_CERT_FILE.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from llm.connection import Connection, RawReply
from llm.endpoint import Endpoint

CHAT, EMBEDDINGS = "/chat/completions", "/embeddings"
_CONNECT_SECONDS = 10.0


class NotConnected(Exception):
    """No address took a connection, so nothing was sent."""


class Transport:
    """Sends bodies to paths below the base URL. The caller bounds the number of sends in flight."""

    def __init__(self, endpoint: Endpoint, addresses: tuple[str, ...]) -> None:
        self._endpoint = endpoint
        self._addresses = addresses
        parts = urlsplit(endpoint.base_url)
        self._root = parts.path.rstrip("/")
        self._headers = [
            ("Host", parts.netloc),
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/json"),
            ("User-Agent", "touchstone"),
        ]
        if endpoint.api_key:
            self._headers.append(("Authorization", f"Bearer {endpoint.api_key}"))
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._idle: list[Connection] = []
        self._busy: set[Connection] = set()

    async def send(
        self, path: str, body: bytes, headers: Mapping[str, str], heard: Callable[[], None]
    ) -> RawReply:
        """One request, one reply; `heard` is called whenever bytes arrive.

        Raises NotConnected, and what `Connection.exchange` raises.
        """
        connection = self._kept() or await self._open()
        self._busy.add(connection)
        try:
            sent = [*self._headers, *headers.items()]
            return await connection.exchange(self._root + path, sent, body, heard)
        finally:
            self._busy.discard(connection)
            if connection.usable:
                self._idle.append(connection)

    async def aclose(self) -> None:
        for connection in (*self._idle, *self._busy):
            connection.close()
        await asyncio.sleep(0)  # the loop lets go of a closed socket in its next turn

    def _kept(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            connection.close()
        return None

    async def _open(self) -> Connection:
        """To the first address that answers, while Host and the certificate's name stay the endpoint's."""
        for address in self._addresses:
            try:
                return await self._connect(address)
            except OSError as error:
                failed = error
        raise NotConnected(type(failed).__name__) from failed

    async def _connect(self, address: str) -> Connection:
        async with asyncio.timeout(min(_CONNECT_SECONDS, self._endpoint.timeout)):
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(self._endpoint.max_reply_bytes),
                address,
                self._endpoint.port,
                ssl=self._tls,
                server_hostname=self._endpoint.host.removesuffix(".") if self._tls else None,
            )
        return connection
