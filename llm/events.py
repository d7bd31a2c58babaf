"""A reply that comes as server-sent events, put together into the document that the same server would send whole.

Written for the chat-completion protocol: each event is a chunk whose `delta` goes on with the message, the last one is
`[DONE]`. Lines end as the HTML standard says (section 9.2, server-sent events): CR LF, LF or CR.
"""

import json
import re
from typing import Any

from llm.strict_json import NotJson, loads

_LINE_END = re.compile(rb"\r\n|\r|\n")
_DONE = b"[DONE]"
_GIVEN_ONCE = ("id", "created", "model", "system_fingerprint", "service_tier", "usage")
_IN_PIECES = ("content", "refusal", "reasoning", "reasoning_content")


class StreamBroken(Exception):
    """The stream ended before the reply was complete, or reports an error: half a reply, which is not a reply."""


class NotAStream(Exception):
    """The events are not chunks of one chat completion."""


class Assembler:
    """Takes the bytes of a stream as they come; memory grows with the reply, not with its events.

    The caller bounds the number of bytes.
    """

    def __init__(self) -> None:
        self._begun = self._after_return = self._done = False
        self._line: list[bytes] = []  # pieces of the line that has not ended yet
        self._data: list[bytes] = []  # of the event that has not ended yet
        self._once: dict[str, object] = {}
        self._role: Any = "assistant"
        self._pieces: dict[str, list[str]] = {}
        self._finish_reason: Any = None

    def feed(self, data: bytes) -> None:
        """Raises StreamBroken or NotAStream; the rest of such a stream need not be read."""
        if not data:
            return
        if self._after_return and data.startswith(b"\n"):  # the second half of CR LF
            data = data[1:]
        self._after_return = data.endswith(b"\r")
        first, *others = _LINE_END.split(data)
        self._line.append(first)
        for piece in others:
            self._take(b"".join(self._line))
            self._line = [piece]

    def document(self) -> bytes:
        """The whole reply as JSON, once the stream has ended. Raises as `feed` does."""
        self._take(b"".join(self._line))
        self._take(b"")
        if not self._done or self._finish_reason is None:
            missing = "[DONE]" if not self._done else "a finish_reason"
            raise StreamBroken(f"the stream ended without {missing}")
        message = {"role": self._role, "content": None}
        message.update({name: "".join(pieces) for name, pieces in self._pieces.items()})
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason}
        return json.dumps({**self._once, "object": "chat.completion", "choices": [choice]}).encode()

    def _take(self, line: bytes) -> None:
        if not self._begun:
            self._begun, line = True, line.removeprefix(b"\xef\xbb\xbf")
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data = b"\n".join(self._data)
            self._data = []
            self._event(data)
        # Comments (`: keep-alive`) and other fields say nothing about the reply.

    def _event(self, data: bytes) -> None:
        if self._done:
            raise NotAStream("an event follows [DONE]")
        if data.strip() == _DONE:
            self._done = True
            return
        try:
            chunk = loads(data)
        except NotJson as fault:
            raise NotAStream(f"an event is not JSON: {fault}") from fault
        if not isinstance(chunk, dict):
            raise NotAStream("an event is not a JSON object")
        if error := chunk.get("error"):
            said = error.get("message") if isinstance(error, dict) else error
            words = said if isinstance(said, str) else "without a message"
            raise StreamBroken(f"the stream reports an error: {words}")
        self._once.update({name: chunk[name] for name in _GIVEN_ONCE if chunk.get(name) is not None})
        choices = chunk.get("choices") or []  # none in the chunk that has the usage
        if not isinstance(choices, list) or len(choices) > 1:
            raise NotAStream("the choices of an event are not a list of one")
        if choices:
            self._continue(choices[0])

    def _continue(self, choice: Any) -> None:
        delta = (choice.get("delta") or {}) if isinstance(choice, dict) else None
        if not isinstance(delta, dict) or choice.get("index", 0) != 0:
            raise NotAStream("an event has a choice other than the first one")
        for name in _IN_PIECES:
            piece = delta.get(name)
            if isinstance(piece, str):
                self._pieces.setdefault(name, []).append(piece)
            elif piece is not None:
                raise NotAStream(f"an event's {name} is not text")
        self._role = delta.get("role") or self._role
        if choice.get("finish_reason") is not None:
            self._finish_reason = choice["finish_reason"]
