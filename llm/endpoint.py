"""The allow-list of model endpoints, as the deployment declares it. Nobody else can add one.

    {"local": {"base_url": "http://127.0.0.1:8080/v1", "private": true, "max_concurrency": 200},
     "lab":   {"base_url": "https://models.example.org/v1", "api_key": "...", "timeout": 300},
     "long":  {"base_url": "https://models.example.org/v1", "api_key": "...", "stream": true}}

or the same in TOML, one table per endpoint. Unknown settings are refused by name.
"""

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llm.strict_json import NotJson, first_objection, loads

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_HOST_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
LONGEST = 6 * 3600.0  # seconds of one request
_STREAM_BYTES = 32 * 1024 * 1024
_PRINTABLE = re.compile(r"[!-~]+")


class EndpointError(ValueError):
    """A declaration that cannot be accepted; the message names endpoint and setting, never a key."""


@dataclass(frozen=True)
class Endpoint:
    """A server that speaks the chat-completion protocol, with the limits that hold for it.

    `timeout` is in seconds and bounds one attempt as a whole, body included. `max_concurrency` bounds the
    calls in flight of one client. `structured_output` says that the server honours a JSON schema in
    `response_format`. `private` allows loopback and private addresses. `max_reply_bytes` bounds a reply.

    With `stream` completions are asked for as a stream, so that gateways do not cut the connection, silent
    while a long reply is written. Then `stall_seconds` bounds the time between two pieces, the first one
    included, and `timeout` only ends streams that go on without end: a declaration that has none gets six hours.
    A stream has some 300 bytes for each token; without a declared bound it may have 32 MiB.
    """

    name: str
    base_url: str
    api_key: str = field(default="", repr=False)
    timeout: float = 120.0
    max_concurrency: int = 8
    requests_per_minute: int | None = None
    max_attempts: int = 5
    max_reply_bytes: int = 4 * 1024 * 1024
    structured_output: bool = False
    private: bool = False
    stream: bool = False
    stall_seconds: float = 120.0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise EndpointError(f"endpoint name {self.name!r}: expected lowercase letters, digits, - and _")
        try:
            _check_url(self.base_url, plain_allowed=self.private or not self.api_key)
        except EndpointError as error:
            raise EndpointError(f"endpoint {self.name}: base_url: {error}") from None
        if not re.fullmatch(r"[!-~]*", self.api_key):
            raise EndpointError(f"endpoint {self.name}: api_key: expected printable ASCII without spaces")

    @property
    def host(self) -> str:
        """The host without brackets, in lowercase letters."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.base_url)
        return parts.port or (443 if parts.scheme == "https" else 80)


class _Declaration(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    base_url: str
    api_key: str = ""
    timeout: float | None = Field(default=None, gt=0, le=LONGEST)
    max_concurrency: int = Field(default=8, ge=1, le=1000)
    requests_per_minute: int | None = Field(default=None, ge=1)
    max_attempts: int = Field(default=5, ge=1, le=20)
    max_reply_bytes: int | None = Field(default=None, ge=1024, le=64 * 1024 * 1024)
    structured_output: bool = False
    private: bool = False
    stream: bool = False
    stall_seconds: float | None = Field(default=None, gt=0, le=3600)


def parse_endpoints(source: str | Mapping[str, Any]) -> dict[str, Endpoint]:
    """The declared endpoints by name; an empty or blank string declares none.

    `source` is a mapping of name to settings, or that mapping as JSON (first character a brace) or TOML.
    Raises EndpointError. Resolves no names and opens no connection.
    """
    declared = source
    if isinstance(declared, str):
        try:
            declared = dict(loads(declared)) if declared.strip().startswith("{") else tomllib.loads(declared)
        except NotJson:
            raise EndpointError("the endpoints are not a JSON object without repeated keys") from None
        except tomllib.TOMLDecodeError:
            raise EndpointError("the endpoints are neither a JSON object nor TOML") from None
    found = {}
    for name, settings in declared.items():
        if not isinstance(settings, Mapping):
            raise EndpointError(f"endpoint {name}: expected a table of settings")
        try:
            checked = _Declaration.model_validate(dict(settings))
        except ValidationError as error:
            raise EndpointError(f"endpoint {name}: {first_objection(error)}") from None
        given = checked.model_dump(exclude_none=True)
        if checked.stream:
            given = {"timeout": LONGEST, "max_reply_bytes": _STREAM_BYTES, **given}
        elif "stall_seconds" in given:
            raise EndpointError(
                f"endpoint {name}: stall_seconds: only a stream has pieces; declare stream, too"
            )
        elif given.get("timeout", 0) > 3600:
            raise EndpointError(f"endpoint {name}: timeout: at most 3600, or declare stream for long replies")
        found[name] = Endpoint(name=name, **given)
    return found


def _check_url(url: str, *, plain_allowed: bool) -> None:
    if not _PRINTABLE.fullmatch(url) or "\\" in url:
        raise EndpointError("expected printable ASCII without spaces or backslashes")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise EndpointError("the host or port is malformed") from None
    if parts.scheme not in ("http", "https"):
        raise EndpointError("expected http:// or https://")
    if "%" in parts.netloc:
        raise EndpointError("a host must not contain an escape or an interface name")
    if "@" in parts.netloc:
        raise EndpointError("an address must not contain a user name or a password")
    if "#" in url or "?" in url:
        raise EndpointError("an address must not contain a fragment or a query")
    if port == 0:
        raise EndpointError("port 0 cannot be used")
    if parts.scheme == "http" and not plain_allowed:
        raise EndpointError("a key is only sent over https, unless the endpoint is private")
    # Hosts that resolvers would read as an IP address in another notation (octal, decimal, shortened) are refused.
    if ":" in host:
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise EndpointError(f"{host!r} is not an IPv6 address") from None
        return
    labels = host.removesuffix(".").split(".")
    if not all(_HOST_LABEL.fullmatch(label) for label in labels):
        raise EndpointError(f"{host!r} is not a host name (write an international name in its xn-- form)")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            raise EndpointError(
                f"{host!r} is an IP address in an unusual form; write four decimal numbers"
            ) from None
