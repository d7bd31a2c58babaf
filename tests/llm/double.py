"""A scripted model without a network, for tests; it keeps the contract of llm.client.Client."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from llm.completion import Circumstances, Completion, build_request, read_completion
from llm.errors import CallFailed, Unavailable

Rule = Callable[[Mapping[str, Any]], str]
_LABELS = ("yes", "no", "uncertain")


def answer_by_hash(request: Mapping[str, Any]) -> str:
    """A well-formed reply whose label depends on nothing but the messages: same question, same label."""
    digest = hashlib.sha256(json.dumps(request["messages"], sort_keys=True).encode()).digest()
    label = _LABELS[digest[0] % len(_LABELS)]
    return json.dumps({"label": label, "reason": "Drawn from the hash of the prompt.", "confidence": 0.5})


class Double:
    """Answers from a rule, or from a list in which an error is raised instead of answered.

    `requests` holds every request in order. A list that runs out makes the endpoint Unavailable, so a test
    that forgets to script a call does not pass by accident.
    """

    def __init__(self, script: Rule | Iterable[str | CallFailed] = answer_by_hash) -> None:
        self.requests: list[dict[str, object]] = []
        self._rule: Rule | None = script if callable(script) else None
        self._script: Iterator[str | CallFailed] = iter(() if callable(script) else script)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        return

    async def complete(
        self,
        prompt: str | Sequence[Mapping[str, str]],
        *,
        model: str,
        decoding: Mapping[str, Any] | None = None,
        response_format: Mapping[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Completion:
        """As Client.complete; takes no time and sends nothing."""
        request = build_request(prompt, model=model, decoding=decoding, response_format=response_format)
        self.requests.append(request)
        answer = self._rule(request) if self._rule else next(self._script, None)
        if answer is None:
            raise Unavailable("the script has no further answer", request=request)
        if isinstance(answer, CallFailed):
            raise answer
        message = {"role": "assistant", "content": answer}
        reply = {
            "id": "double",
            "object": "chat.completion",
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1},
        }
        return read_completion(reply, Circumstances(request))
