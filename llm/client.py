"""The client of one endpoint: bounded, retried with back-off, and typed in what it gives and raises."""

import asyncio
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from llm.addresses import Resolver, checked_addresses, system_resolver
from llm.completion import Circumstances, Completion, build_request, read_completion
from llm.connection import BrokenOff, RawReply, ReplyEncoded, ReplyTooLarge
from llm.embeddings import embeddings_request, read_embeddings
from llm.endpoint import Endpoint
from llm.errors import CallFailed, Malformed, RefusedByServer, TooLarge, Unavailable
from llm.events import NotAStream, StreamBroken
from llm.pace import Pace, Turns
from llm.retries import Backoff, is_transient, retry_after
from llm.strict_json import NotJson, changed_strings, loads, storable
from llm.transport import CHAT, EMBEDDINGS, NotConnected, Transport

_EXCERPT = 500


class Client:
    """Asks the models of one endpoint. Use as `async with Client(endpoint) as client`, one per event loop.

    The host is resolved and checked once, on entry; that raises AddressRefused for a forbidden address and
    Unavailable for a name that does not resolve. `pace` keeps the endpoint's bound on requests per minute
    where several processes share it; without it this client keeps the bound for itself.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        backoff: Backoff | None = None,
        resolver: Resolver = system_resolver,
        pace: Turns | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._backoff = backoff or Backoff()
        self._resolver = resolver
        self._slots = asyncio.Semaphore(endpoint.max_concurrency)
        self._pace = pace or Pace(endpoint.requests_per_minute)
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        endpoint = self.endpoint
        try:
            addresses = await asyncio.to_thread(
                checked_addresses,
                endpoint.host,
                endpoint.port,
                private=endpoint.private,
                resolver=self._resolver,
            )
        except OSError as error:
            raise Unavailable(f"endpoint {endpoint.name}: {endpoint.host} does not resolve") from error
        self._transport = Transport(endpoint, addresses)
        return self

    async def __aexit__(self, *exception: object) -> None:
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    async def complete(
        self,
        prompt: str | Sequence[Mapping[str, str]],
        *,
        model: str,
        decoding: Mapping[str, Any] | None = None,
        response_format: Mapping[str, Any] | None = None,
        idempotency_key: str = "",
        max_attempts: int | None = None,
    ) -> Completion:
        """One answer to a prompt (a user message, or a list of `{"role", "content"}`).

        `response_format` is left out for an endpoint without structured output. `idempotency_key` lets a
        server recognise a repeated question. `max_attempts` replaces the endpoint's. Raises Unavailable when all
        attempts met a transient fault, RefusedByServer when the server will not serve the request, Malformed when it
        answers with something else than a chat completion, ValueError for a decoding parameter that is not known.
        """
        offered = response_format if self.endpoint.structured_output else None
        request = build_request(prompt, model=model, decoding=decoding, response_format=offered)
        if self.endpoint.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return read_completion(*await self._persist(CHAT, request, headers, max_attempts))

    async def embed(self, texts: Sequence[str], *, model: str) -> list[list[float]]:
        """The vectors of some texts in their order, all of one length, in one request. Raises as `complete` does."""
        return read_embeddings(*await self._persist(EMBEDDINGS, embeddings_request(texts, model), {}))

    async def _persist(
        self,
        path: str,
        request: dict[str, object],
        headers: Mapping[str, str],
        max_attempts: int | None = None,
    ) -> tuple[Any, Circumstances]:
        """The document that the server replied with, and how the call went."""
        most = max_attempts or self.endpoint.max_attempts
        body = json.dumps(request).encode()
        attempt = unanswered = 0
        while True:
            attempt += 1
            outcome, latency = await self._attempt(path, body, headers)
            if isinstance(outcome, RawReply):
                told = Circumstances(request, latency, attempt, unanswered)
                return self._document(outcome, told), told
            unanswered += outcome.unanswered
            transient = isinstance(outcome, Unavailable) and self._backoff.accepts(outcome.retry_after)
            if attempt == most or not transient:
                raise self._complaint(outcome, Circumstances(request, latency, attempt, unanswered))
            await asyncio.sleep(
                self._backoff.wait(attempt, asked=outcome.retry_after, uniform=random.uniform)
            )

    async def _attempt(
        self, path: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[RawReply | CallFailed, float]:
        """One request within the endpoint's limits: success or what went wrong, and the seconds."""
        async with self._slots:
            await self._pace.turn()
            begun = time.monotonic()
            outcome = await self._send(path, body, headers)
            return outcome, time.monotonic() - begun

    async def _send(self, path: str, body: bytes, headers: Mapping[str, str]) -> RawReply | CallFailed:
        if self._transport is None:
            raise RuntimeError("the client is not open: use `async with Client(endpoint) as client`")
        patience = self.endpoint.stall_seconds if self.endpoint.stream else None
        silence = asyncio.timeout(patience)

        def heard() -> None:
            if patience is not None:
                silence.reschedule(asyncio.get_running_loop().time() + patience)

        try:
            async with asyncio.timeout(self.endpoint.timeout), silence:
                reply = await self._transport.send(path, body, headers, heard)
        except TimeoutError:
            if silence.expired():
                return Unavailable(f"nothing more of the reply for {patience:g} s", unanswered=1)
            return Unavailable(f"no complete reply within {self.endpoint.timeout:g} s", unanswered=1)
        except NotConnected as error:
            return Unavailable(f"no connection ({error})")
        except BrokenOff as error:
            return Unavailable(f"the connection was lost ({error})", unanswered=1)
        except StreamBroken as error:
            return Unavailable(self._excerpt(str(error)), unanswered=1)
        except NotAStream as error:
            return Malformed(self._excerpt(str(error)), unanswered=1)
        except ReplyTooLarge as error:
            return TooLarge(self._excerpt(str(error)), unanswered=1)
        except ReplyEncoded as error:
            return Malformed(
                f"the reply is compressed ({error}), which the request did not allow", unanswered=1
            )
        return reply if reply.status == 200 else self._failure(reply)

    def _document(self, raw: RawReply, told: Circumstances) -> Any:
        try:
            return changed_strings(loads(raw.body), self._keyless)
        except NotJson as error:
            unread = Malformed(self._keyless(f"the reply is not JSON: {error}"), status=raw.status)
            raise self._complaint(unread, replace(told, unanswered=told.unanswered + 1)) from error

    def _complaint(self, failure: CallFailed, told: Circumstances) -> CallFailed:
        """The failure with its circumstances."""
        return type(failure)(
            f"endpoint {self.endpoint.name}: {failure.reason}",
            request=told.request,
            reply=failure.reply,
            status=failure.status,
            attempts=told.attempts,
            unanswered=told.unanswered,
            latency=told.latency,
            retry_after=failure.retry_after,
        )

    def _failure(self, reply: RawReply) -> CallFailed:
        said = self._excerpt(reply.body.decode("utf-8", "replace"))
        if is_transient(reply.status):
            return Unavailable(
                f"status {reply.status}: {said}", status=reply.status, retry_after=retry_after(reply.headers)
            )
        if 300 <= reply.status < 400:
            return RefusedByServer(f"status {reply.status}: redirects are not followed", status=reply.status)
        if reply.status < 300:
            return Malformed(f"status {reply.status} where 200 was expected", status=reply.status)
        return RefusedByServer(f"status {reply.status}: {said}", status=reply.status)

    def _excerpt(self, text: str) -> str:
        return self._keyless(storable(text))[:_EXCERPT]

    def _keyless(self, text: str) -> str:
        """The text without the key, in case the server echoed it: replies are stored and shown.

        Called on the strings of a reply after JSON has undone its escapes, and on the text of an error page,
        where a slash of the key may be escaped.
        """
        key = self.endpoint.api_key
        return text.replace(key, "[key]").replace(key.replace("/", r"\/"), "[key]") if key else text
