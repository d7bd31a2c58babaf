"""A model that decides by the fields of the question and keeps what it said, so that scores can be derived."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.protocol import Protocol
from judging.asking.prompts import predicate_prompt
from llm.neutral import neutralise

_FIELD = re.compile(r"\[\[DATA (\w+) \w+\]\]\n(.*?)\n\[\[END \1 ", re.DOTALL)
_NO_NONCE = "\0"  # in no text that was made visible
Question = tuple[str, frozenset[tuple[str, str]]]


class RecordedJudge:
    """Answers by a hash of the question, the same every time; `said` is what it was asked, with its answers."""

    def __init__(self, protocol: Protocol) -> None:
        prompts = {known.key: predicate_prompt(protocol, known.key) for known in protocol.all_predicates}
        self._labels = {key: prompt.labels for key, prompt in prompts.items()}
        self._predicate_of = {prompt.role: key for key, prompt in prompts.items()}
        self.said: dict[Question, str] = {}

    def __call__(self, request: Mapping[str, Any]) -> str:
        system, user = (message["content"] for message in request["messages"])
        asked = next(key for role, key in self._predicate_of.items() if system.startswith(role))
        question = asked, frozenset(_FIELD.findall(user))
        self.said[question] = _choose(self._labels[asked], question)
        return json.dumps({"label": self.said[question], "reason": "By lot.", "confidence": None})

    def answer(self, predicate: str, fields: Mapping[str, str]) -> str:
        """What it said when it was asked this. Raises KeyError if it never was."""
        read = frozenset((name, neutralise(text, _NO_NONCE)) for name, text in fields.items())
        return self.said[predicate, read]


def _choose(labels: Sequence[str], question: Question) -> str:
    """By lot; of two texts the same one in either order, unless the lot of the rest falls to the first slot."""
    predicate, fields = question
    told = dict(fields)
    rest = _lot((predicate, sorted(field for field in fields if field[0] not in ("first", "second"))))
    if "first" not in told:
        return labels[rest % len(labels)]
    return "first" if rest % 2 or _lot(told["first"]) > _lot(told["second"]) else "second"


def _lot(question: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(question).encode()).digest()[:4])
