"""The border of the chat-completion protocol: a typed question becomes a request, a reply a typed answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llm.errors import Malformed
from llm.strict_json import first_objection, storable

_AROUND = 16  # tokens that chat templates put around each message, generously
MOST_TOKENS = 2**31 - 1  # of one request: what the columns hold


class _Decoding(BaseModel):
    """What may be set. Many servers take a limit of -1 for none, and then nothing could be reserved for a reply."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    frequency_penalty: float | None = None
    max_completion_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    presence_penalty: float | None = None
    reasoning_effort: str | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    temperature: float | None = None
    top_p: float | None = None


DECODING = frozenset(_Decoding.model_fields)


def decoding_fault(decoding: Mapping[str, Any]) -> str:
    """What a server could not take of these parameters, in a sentence; empty if there is nothing."""
    if unknown := sorted(set(decoding) - DECODING):
        return f"Unknown: {', '.join(unknown)}. Known are {', '.join(sorted(DECODING))}."
    try:
        _Decoding.model_validate(dict(decoding))
    except ValidationError as error:
        return f"{first_objection(error, whole='decoding')}."
    return ""


@dataclass(frozen=True)
class Completion:
    """One answered call. `request` and `reply` are the JSON documents as sent and received, for the record.

    `text` is empty where the message has none: the model refused, or reached its limit while it reasoned. Words of
    a refusal are in `reply` only, so that nobody takes them for an answer.

    `latency` is the seconds from sending the answered request to the last byte; `attempts` counts requests,
    the failed ones before it included, and `unanswered` those among them that the server may have worked on
    without a reply. Token counts are None when the endpoint does not report them. `cached_tokens` are part of
    `prompt_tokens`, and `reasoning_tokens` of `completion_tokens`, as the protocol counts them.
    """

    text: str
    request: dict[str, object]
    reply: dict[str, object]
    model: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency: float
    attempts: int
    unanswered: int = 0
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Circumstances:
    """How a call went, as Completion and CallFailed report it."""

    request: Mapping[str, Any]
    latency: float = 0.0
    attempts: int = 1
    unanswered: int = 0


class Completer(Protocol):
    """What a judge needs of a model; llm.client.Client is one."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exception: object) -> None: ...

    async def complete(
        self,
        prompt: str | Sequence[Mapping[str, str]],
        *,
        model: str,
        decoding: Mapping[str, Any] | None = None,
        response_format: Mapping[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Completion: ...


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(strict=True)

    prompt_tokens: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    completion_tokens: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    total_tokens: Any = None
    prompt_tokens_details: Any = None
    completion_tokens_details: Any = None

    @property
    def received(self) -> int | None:
        """The tokens of the reply, hidden reasoning included.

        Some servers (Grok, Gemini) leave reasoning out of completion_tokens. What they bill is in their total.
        """
        if self.prompt_tokens is None or self.completion_tokens is None:
            return self.completion_tokens
        rest = _count(self.total_tokens, MOST_TOKENS) or 0
        return max(self.completion_tokens, rest - self.prompt_tokens)


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True)

    model: str = ""
    choices: list[_Choice] = Field(min_length=1, max_length=1)
    usage: _Usage | None = None


def _count(value: Any, most: int | None) -> int | None:
    """A count that is at most another one, else None: details are optional, and nonsense in them is passed over."""
    return value if type(value) is int and most is not None and 0 <= value <= most else None


def _detail(details: Any, name: str, whole: int | None) -> int | None:
    return _count(details.get(name), whole) if isinstance(details, dict) else None


def build_request(
    prompt: str | Sequence[Mapping[str, str]],
    *,
    model: str,
    decoding: Mapping[str, Any] | None = None,
    response_format: Mapping[str, Any] | None = None,
) -> dict[str, object]:
    """The body of a chat-completion request; a bare string is one user message.

    Raises ValueError for a decoding parameter outside DECODING, so that a judge's settings cannot smuggle
    tools, streaming or several choices into the call.
    """
    unknown = sorted(set(decoding or {}) - DECODING)
    if unknown:
        raise ValueError(f"unknown decoding parameter: {', '.join(unknown)}")
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [dict(m) for m in prompt]
    request: dict[str, object] = {"model": model, "messages": messages, **(decoding or {})}
    if response_format is not None:
        request["response_format"] = dict(response_format)
    return request


def most_sent(messages: Sequence[Mapping[str, str]], response_format: Mapping[str, Any] | None = None) -> int:
    """No fewer than the tokens of a request: tokenisers of language models join bytes, never split them.

    A server with structured output may show the model the format as well; it is counted for every server.
    """
    texts = [message["content"] for message in messages]
    if response_format is not None:
        texts.append(json.dumps(response_format))
    return sum(len(text.encode()) + _AROUND for text in texts)


def read_completion(reply: Any, told: Circumstances) -> Completion:
    """The typed answer in a reply document; raises Malformed if it is not a chat completion of one choice."""
    document = storable(reply)
    try:
        parsed = _Reply.model_validate(document)
    except ValidationError as error:
        raise Malformed(
            f"not a chat completion: {first_objection(error, whole='reply')}",
            request=told.request,
            reply=document if isinstance(document, dict) else None,
            attempts=told.attempts,
            unanswered=told.unanswered + 1,
            latency=told.latency,
        ) from error
    usage = parsed.usage or _Usage()
    if not usage.prompt_tokens:  # no request has none: the server does not count
        usage = _Usage()
    return Completion(
        text=parsed.choices[0].message.content or "",
        request=dict(told.request),
        reply=document,
        model=parsed.model,
        finish_reason=parsed.choices[0].finish_reason or "",
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.received,
        latency=told.latency,
        attempts=told.attempts,
        unanswered=told.unanswered,
        cached_tokens=_detail(usage.prompt_tokens_details, "cached_tokens", usage.prompt_tokens),
        reasoning_tokens=_detail(usage.completion_tokens_details, "reasoning_tokens", usage.received),
    )
