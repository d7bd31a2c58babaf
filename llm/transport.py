"""Connections to one endpoint: pinned to its checked addresses, bounded in time and size.

A request goes straight through a transport, not through an HTTP client with its conveniences: so redirects,
cookies, proxies of the environment, credentials of a .netrc and decompression do not exist here. The key is
put on the request here and nowhere else, where the only possible destination is the endpoint's own host.
A deployment with a certificate authority of its own names it in SSL_CERT_FILE.

Each connection has a pool of its own: a shared pool walks through all its connections at every request,
which at 200 in flight costs three times the processor time of everything else in a call.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

from llm.endpoint import Endpoint

_CONNECT_SECONDS = 10.0
_ONE = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=15.0)


class ReplyTooLarge(Exception):
    """The body went over the endpoint's `max_reply_bytes`; the rest was not read."""


class ReplyEncoded(Exception):
    """The body is compressed although that was not offered."""


@dataclass(frozen=True)
class RawReply:
    """An HTTP reply: status, headers with lower-case names, body bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends bodies to `<base_url>/chat/completions`. The caller bounds the number of sends in flight."""

    def __init__(self, endpoint: Endpoint, addresses: tuple[str, ...]) -> None:
        self._endpoint = endpoint
        self._addresses = addresses
        url = httpx2.URL(endpoint.base_url.rstrip("/") + "/chat/completions")
        self._urls = {address: url.copy_with(host=address) for address in addresses}
        self._headers = _headers(endpoint)
        self._tls: ssl.SSLContext | bool = httpx2.create_ssl_context() if url.scheme == "https" else False
        self._all: list[httpx2.AsyncHTTPTransport] = []
        self._idle: list[httpx2.AsyncHTTPTransport] = []

    async def send(self, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """One request, one reply; raises httpx2.HTTPError, ReplyTooLarge or ReplyEncoded."""
        lane = self._idle.pop() if self._idle else self._open()
        try:
            return await self._send(lane, body, headers)
        finally:
            self._idle.append(lane)

    async def aclose(self) -> None:
        for lane in self._all:
            await lane.aclose()

    def _open(self) -> httpx2.AsyncHTTPTransport:
        lane = httpx2.AsyncHTTPTransport(verify=self._tls, trust_env=False, limits=_ONE)
        self._all.append(lane)
        return lane

    async def _send(
        self, lane: httpx2.AsyncHTTPTransport, body: bytes, headers: Mapping[str, str]
    ) -> RawReply:
        for address in self._addresses[:-1]:
            try:
                return await self._send_to(address, lane, body, headers)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._send_to(self._addresses[-1], lane, body, headers)

    async def _send_to(
        self, address: str, lane: httpx2.AsyncHTTPTransport, body: bytes, headers: Mapping[str, str]
    ) -> RawReply:
        response = await lane.handle_async_request(self._request(address, body, headers))
        try:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise ReplyEncoded(response.headers["content-encoding"])
            return RawReply(response.status_code, dict(response.headers), await self._read(response))
        finally:
            await response.aclose()

    def _request(self, address: str, body: bytes, headers: Mapping[str, str]) -> httpx2.Request:
        """To the address itself, while Host and the certificate's name stay those of the endpoint."""
        seconds = self._endpoint.timeout
        wait = {"connect": min(_CONNECT_SECONDS, seconds), "read": seconds, "write": seconds, "pool": seconds}
        return httpx2.Request(
            "POST",
            self._urls[address],
            headers={**headers, **self._headers},
            content=body,
            extensions={"sni_hostname": self._endpoint.host.removesuffix("."), "timeout": wait},
        )

    async def _read(self, response: httpx2.Response) -> bytes:
        chunks, size = [], 0
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > self._endpoint.max_reply_bytes:
                raise ReplyTooLarge(f"the reply is larger than {self._endpoint.max_reply_bytes} bytes")
            chunks.append(chunk)
        return b"".join(chunks)


def _headers(endpoint: Endpoint) -> dict[str, str]:
    fixed = {
        "Host": urlsplit(endpoint.base_url).netloc,
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "touchstone",
    }
    return {**fixed, "Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else fixed
