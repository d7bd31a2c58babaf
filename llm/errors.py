"""Why a call gave no completion. Three reasons, because callers handle each of them differently."""

from collections.abc import Mapping
from typing import Any


class CallFailed(Exception):
    """A call that ended without a usable reply; the base of the three below.

    `request` is what was sent, `reply` the body received if it was JSON, `status` the last HTTP status,
    `attempts` the number of requests made, `unanswered` how many of them the server may have worked on, and
    billed, without a reply of its own, `latency` the seconds of the last one. No field holds a key.
    """

    def __init__(
        self,
        reason: str,
        *,
        request: Mapping[str, Any] | None = None,
        reply: Mapping[str, Any] | None = None,
        status: int | None = None,
        attempts: int = 1,
        unanswered: int = 0,
        latency: float = 0.0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.request = dict(request or {})
        self.reply = None if reply is None else dict(reply)
        self.status = status
        self.attempts = attempts
        self.unanswered = unanswered
        self.latency = latency
        self.retry_after = retry_after


class Unavailable(CallFailed):
    """The endpoint was overloaded, broken or out of reach through all attempts. Asking later may help;
    `retry_after` is the number of seconds the endpoint asked for, if it did."""


class RefusedByServer(CallFailed):
    """The endpoint will not serve this request (4xx, or a redirect); repeating it is useless."""


class Malformed(CallFailed):
    """The endpoint reported success, but its reply is not a chat completion or is too large."""


class TooLarge(Malformed):
    """The endpoint works, and what it says to this request is larger than is read."""
